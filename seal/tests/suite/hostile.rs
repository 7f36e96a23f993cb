//! `vectors/hostile.json`: texts that every renderer shows as quoted data. Here: that they seal, open byte for
//! byte, and hide no link from the redaction; and that none of the kinds got lost from the file.

use std::collections::BTreeSet;

use seal::Error;
use seal::link::{find, redact};
use seal::random::{self, Nonce};
use seal::record::message::{self, Head};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::world::session;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hostile {
    name: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    repeat: Option<String>,
    #[serde(default)]
    count: Option<usize>,
    why: String,
}

impl Hostile {
    fn text(&self) -> String {
        match (&self.text, &self.repeat, self.count) {
            (Some(text), None, None) => text.clone(),
            (None, Some(repeat), Some(count)) => repeat.repeat(count),
            _ => panic!("{}: either a text, or what to repeat and how often", self.name),
        }
    }
}

fn texts() -> Vec<Hostile> {
    serde_json::from_str(include_str!("../../vectors/hostile.json")).unwrap()
}

#[test]
fn every_text_has_a_name_of_its_own_and_a_reason() {
    let texts = texts();
    let names: BTreeSet<&str> = texts.iter().map(|hostile| hostile.name.as_str()).collect();
    assert_eq!(names.len(), texts.len());
    assert!(texts.iter().all(|hostile| !hostile.why.is_empty()));
}

#[test]
fn every_kind_of_hostile_character_is_there() {
    let all: String = texts().iter().map(Hostile::text).collect();
    let controls = (0..0x20)
        .chain([0x7f, 0x85, 0x9b, 0x9d])
        .filter_map(char::from_u32);
    let hidden = "\u{202E}\u{2066}\u{200B}\u{200E}\u{2060}\u{FEFF}\u{00AD}\u{E0041}\u{E0001}\u{E007F}\u{FE0F}\u{E0172}\u{3164}";
    for symbol in controls.chain(hidden.chars()) {
        assert!(all.contains(symbol), "{symbol:?}");
    }
    for piece in [
        "<script>",
        "![",
        "javascript:",
        "jsonrpc",
        "--- end ",
        "mode_changed",
        "\u{1b}]52;",
        "../",
        "$(",
    ] {
        assert!(all.contains(piece), "{piece}");
    }
    for name in ["system", "human"] {
        assert!(texts().iter().any(|hostile| hostile.text() == name), "{name}");
    }
}

#[test]
fn each_is_carried_byte_for_byte_or_refused_for_its_length() {
    let (_, owner) = session();
    let (keys, head) = (
        owner.keys.newest().unwrap(),
        Head {
            seq: 2,
            hash: [0; 32],
        },
    );
    for hostile in texts() {
        let (id, json) = (
            random::message_id().unwrap(),
            json!({ "kind": "chat", "text": hostile.text() }).to_string(),
        );
        let sealed = message::seal(keys, &owner.me, &id, &head, &json, Nonce::random().unwrap());
        if json.len() > wire::sizes::MESSAGE_JSON_MAX {
            assert_eq!(sealed, Err(Error::TooLarge), "{}", hostile.name);
            continue;
        }
        let opened = message::open(keys, &owner.id(), &id, &sealed.unwrap(), &owner.roster).unwrap();
        let read: Value = serde_json::from_str(opened.json.as_str()).unwrap();
        assert_eq!(read["text"], hostile.text(), "{}", hostile.name);
    }
}

#[test]
fn no_token_is_left_once_hidden_characters_are_gone() {
    let mut links = 0;
    for hostile in texts() {
        let shown: String = hostile
            .text()
            .chars()
            .filter(|symbol| *symbol != '\u{200B}')
            .collect();
        let withheld = redact(&shown);
        links += usize::from(withheld != shown);
        assert!(find(&withheld).is_err(), "{}", hostile.name);
        // The secrets in the file are 32 times 0x66 and 32 times 0x77.
        for token in ["mztgmztg", "o53xo53x"] {
            assert!(!withheld.to_ascii_lowercase().contains(token), "{}", hostile.name);
        }
    }
    assert!(links >= 6, "the file has links to withhold: {links}");
}
