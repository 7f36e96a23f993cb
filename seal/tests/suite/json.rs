//! Strict JSON, as readers and as producers keep it (`crypto.md` section 7).

use seal::Error;
use seal::identity::Identity;
use seal::json::{NESTING_MAX, object, produced};
use seal::keys::EpochKeys;
use seal::profile;
use seal::random::{self, Nonce};
use seal::record::message::{self, Head};
use seal::record::{goal, title};
use seal::secret::FullSecret;
use serde_json::json;
use wire::sizes::{MESSAGE_JSON_MAX, SEALED_MESSAGE_MAX, SEALED_MIN, SEALED_SMALL_MAX, SMALL_JSON_MAX};

fn nested(depth: usize) -> String {
    // The object is the first level.
    format!("{{\"a\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1))
}

#[test]
fn of_equal_names_the_last_counts_for_readers_and_producers_have_none() {
    let text = br#"{"kind":1,"kind":"chat"}"#;
    assert_eq!(object(text).unwrap()["kind"], "chat");
    assert_eq!(produced(text), Err(Error::BadContent));
    assert_eq!(produced(br#"{"a":{"b":1,"b":2}}"#), Err(Error::BadContent));
    assert!(produced(br#"{"a":{"b":1},"b":{"b":2}}"#).is_ok());
}

#[test]
fn producers_nest_16_deep_and_readers_never_overflow() {
    assert!(produced(nested(NESTING_MAX).as_bytes()).is_ok());
    assert_eq!(
        produced(nested(NESTING_MAX + 1).as_bytes()),
        Err(Error::BadContent)
    );
    assert!(object(nested(NESTING_MAX + 1).as_bytes()).is_ok());
    assert!(object(nested(127).as_bytes()).is_ok());
    for depth in [128, 1_000, 120_000] {
        assert_eq!(object(nested(depth).as_bytes()), Err(Error::BadContent));
    }
    assert_eq!(object("[".repeat(250_000).as_bytes()), Err(Error::BadContent));
    assert_eq!(
        object("{\"a\":".repeat(50_000).as_bytes()),
        Err(Error::BadContent)
    );
}

#[test]
fn numbers_are_doubles() {
    for good in ["1e308", "-1e308", "1e-400", "18446744073709551616", "-0", "0.1"] {
        assert!(object(format!(r#"{{"n":{good}}}"#).as_bytes()).is_ok(), "{good}");
    }
    let long = format!("1{}", "0".repeat(400));
    for bad in [
        "1e309", "-1e309", &long, "NaN", "Infinity", "01", "+1", "1.", ".5", "0x1",
    ] {
        assert_eq!(
            object(format!(r#"{{"n":{bad}}}"#).as_bytes()),
            Err(Error::BadContent),
            "{bad}"
        );
    }
}

#[test]
fn text_is_utf_8_without_surrogates_or_a_byte_order_mark() {
    let good: [&[u8]; 4] = [
        br#" {"a":"\ud83d\ude00"} "#,
        "{\"a\":\"\u{1F600}\u{FEFF}\u{0}\"}"
            .replace('\u{0}', "\\u0000")
            .leak()
            .as_bytes(),
        br#"{"\u006b":1}"#,
        b"{}",
    ];
    for text in good {
        assert!(object(text).is_ok(), "{}", String::from_utf8_lossy(text));
    }
    let bad: [&[u8]; 12] = [
        b"\xef\xbb\xbf{}",
        br#"{"a":"\ud83d"}"#,
        br#"{"a":"\ude00\ud83d"}"#,
        br#"{"\ud800":1}"#,
        b"{\"a\":\"\xed\xa0\x80\"}",
        b"{\"a\":\"\xff\"}",
        b"{\"a\":\"\x00\"}",
        b"{\"a\":\"\n\"}",
        b"{} {}",
        b"[]",
        b"",
        b"{\"a\":1,}",
    ];
    for text in bad {
        assert_eq!(
            object(text),
            Err(Error::BadContent),
            "{}",
            String::from_utf8_lossy(text)
        );
    }
}

fn writer() -> (EpochKeys, Identity) {
    let session = random::session_id().unwrap();
    let keys = EpochKeys::open_epoch(&session, 1, FullSecret::random().unwrap()).0;
    (keys, Identity::random(session).unwrap())
}

#[test]
fn a_message_may_be_as_long_as_the_limit_and_not_a_byte_longer() {
    let (keys, me) = writer();
    let (id, head) = (
        random::message_id().unwrap(),
        Head {
            seq: 1,
            hash: [0; 32],
        },
    );
    let of_len = |len: usize| {
        let around = json!({ "kind": "chat", "text": "" }).to_string().len();
        json!({ "kind": "chat", "text": "x".repeat(len - around) }).to_string()
    };
    let seal = |json: &str| message::seal(&keys, &me, &id, &head, json, Nonce::random().unwrap());
    assert_eq!(
        seal(&of_len(404)).unwrap().len(),
        SEALED_MIN,
        "up to 404 bytes all look alike"
    );
    assert!(seal(&of_len(405)).unwrap().len() > SEALED_MIN);
    assert_eq!(seal(&of_len(MESSAGE_JSON_MAX)).unwrap().len(), SEALED_MESSAGE_MAX);
    assert_eq!(seal(&of_len(MESSAGE_JSON_MAX + 1)), Err(Error::TooLarge));
    for bad in [
        r#"{"text":"no kind"}"#,
        r#"{"kind":7}"#,
        "no json",
        r#"{"kind":"a","kind":"b"}"#,
    ] {
        assert_eq!(seal(bad), Err(Error::BadContent), "{bad}");
    }
}

#[test]
fn small_kinds_may_be_as_long_as_the_limit_and_not_a_byte_longer() {
    let (keys, me) = writer();
    let nonce = || Nonce::random().unwrap();
    let titled = |len: usize| title::seal(&keys, &me, &"x".repeat(len - r#"{"title":""}"#.len()), nonce());
    assert_eq!(titled(SMALL_JSON_MAX).unwrap().len(), SEALED_SMALL_MAX);
    assert_eq!(titled(SMALL_JSON_MAX + 1), Err(Error::TooLarge));
    let id = random::proposal_id().unwrap();
    let aimed = |len: usize| {
        goal::seal(
            &keys,
            &me,
            &id,
            &"x".repeat(len - r#"{"goal":""}"#.len()),
            nonce(),
        )
    };
    assert_eq!(aimed(SMALL_JSON_MAX).unwrap().len(), SEALED_SMALL_MAX);
    assert_eq!(aimed(SMALL_JSON_MAX + 1), Err(Error::TooLarge));
    let named = |len: usize| profile::seal(&keys, &me, &"x".repeat(len), object(b"{}").unwrap(), nonce());
    // Profiles with and without a certificate look alike up to this name.
    assert_eq!(named(235).unwrap().len(), SEALED_MIN);
    assert_eq!(named(SMALL_JSON_MAX), Err(Error::TooLarge));
}

#[test]
fn a_profile_cannot_be_given_other_keys_by_its_further_members() {
    let (keys, me) = writer();
    let more = json!({ "name": "other", "pk": "AA", "vk": "AA", "cert": "AA", "host": "h" });
    let sealed = profile::seal(
        &keys,
        &me,
        "me",
        more.as_object().unwrap().clone(),
        Nonce::random().unwrap(),
    )
    .unwrap();
    let opened = profile::open(&keys, me.participant_id(), &sealed).unwrap();
    assert_eq!(opened.claims.name, "me");
    assert_eq!(opened.keys, me.public());
    assert!(opened.may_write);
    assert_eq!(opened.claims.members["host"], "h");

    let view = keys.without_full_secret();
    let more = json!({ "cert": "AA" });
    let sealed = profile::seal(
        &view,
        &me,
        "me",
        more.as_object().unwrap().clone(),
        Nonce::random().unwrap(),
    )
    .unwrap();
    assert!(
        !profile::open(&view, me.participant_id(), &sealed)
            .unwrap()
            .may_write
    );
}
