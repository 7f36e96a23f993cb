//! Session links and our own tokens, in every form in which they are pasted.

use super::{alnum, found, key, rules, symbols};

/// The vectors' links open nothing: they are public.
fn vectors() -> Vec<serde_json::Value> {
    let text = include_str!("../../../../seal/vectors/vectors.json");
    let vectors: serde_json::Value = serde_json::from_str(text).unwrap();
    vectors["link"]["ok"].as_array().unwrap().clone()
}

#[test]
fn every_text_that_a_link_is_found_in_is_a_hit() {
    let vectors = vectors();
    assert!(vectors.len() >= 40);
    for case in vectors {
        let text = case["text"].as_str().unwrap();
        let found = found(text);
        assert!(found.hold_ours(), "{}", case["name"]);
        let shown = found.withheld_in(text);
        assert!(seal::link::find(&shown).is_err(), "{}: {shown}", case["name"]);
    }
}

#[test]
fn a_key_is_found_whole_cut_and_taken_apart() {
    for kind in ["f", "v"] {
        let key = key(kind);
        for text in [
            key.clone(),
            key.to_uppercase(),
            key.get(..24).unwrap().to_owned(),
            format!("see {}\n> {}", key.get(..12).unwrap(), key.get(12..).unwrap()),
            key.chars().map(|symbol| format!("{symbol} ")).collect(),
            key.chars().map(|symbol| format!("{symbol}\u{200B}")).collect(),
            key.as_bytes()
                .chunks(10)
                .map(|part| format!("\"{}\" +\n", std::str::from_utf8(part).unwrap()))
                .collect(),
        ] {
            assert_eq!(rules(&text), ["devpilot-link"], "{text}");
        }
    }
}

#[test]
fn an_encoded_link_is_placed_in_its_line() {
    let link = vectors()[0]["text"].as_str().unwrap().to_owned();
    let encoded: String = link.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let text = format!("one\ntwo {encoded}\nthree");
    let found = found(&text);
    let places: Vec<_> = found.iter().map(|finding| finding.place.to_string()).collect();
    assert_eq!(places, ["`text`, line 2, column 1"]);
    let far = format!("{}{encoded}", "word ".repeat(40_000));
    assert!(super::found(&far).hold_ours(), "in a text longer than one piece");
}

/// Broken so early that no part shows a key by itself, and the parts so far from each other that only who reads the text as
/// a whole finds it. Long texts are read in pieces, and a link may stand where one ends.
#[test]
fn a_disguised_link_is_found_where_two_pieces_of_a_long_text_meet() {
    let link = vectors()[0]["text"].as_str().unwrap().to_owned();
    let key = link.find("#dp1").unwrap() + 1;
    let (front, back) = link.split_at(key + 10);
    let disguised = format!("{front}\n{}{back}", " ".repeat(60));
    assert!(found(&disguised).hold_ours());
    for part in [front, back] {
        assert!(!found(part).hold_ours(), "{part}");
    }
    let piece = 65_536;
    let length = disguised.len();
    for before_the_end in [1, key, key + 12, key + 40, length - 1, length] {
        let mut text = "word ".repeat(piece / 5 + 1);
        text.truncate(piece - before_the_end - 1);
        let text = format!("{text}\n{disguised}\n{}", "word ".repeat(1_000));
        assert!(found(&text).hold_ours(), "{before_the_end} bytes before the end");
    }
}

#[test]
fn tokens_of_all_kinds_are_hits() {
    for prefix in ["dps_", "dpm_", "dpa_"] {
        let text = format!("token {prefix}{}.", alnum(43));
        let found = found(&text);
        assert!(found.hold_ours());
        assert_eq!(rules(&text), ["devpilot-token"]);
        assert_eq!(found.withheld_in(&text), "token [credential withheld]");
    }
}

#[test]
fn talk_about_links_passes() {
    for text in [
        "A key begins with dp1f or dp1v and goes on with 64 symbols of base32, as the specification has it in section four.",
        "https://plane.example.org/s/00112233445566778899aabbccddeeff is the session without its key",
        "dpm_ and dps_ are prefixes; dps_short",
        "dp1f",
    ] {
        assert_eq!(rules(text), [""; 0], "{text}");
    }
    // Letters alone are prose that ran together.
    let prose = symbols("abcdefghijklmnopqrstuvwxyz", 15, 3);
    assert_eq!(
        rules(&format!("dp1f{prose} {prose} {prose} {prose} {prose}")),
        [""; 0]
    );
}
