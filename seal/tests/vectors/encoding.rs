//! Group `encoding`.

use libtest_mimic::Trial;
use seal::hazmat::{decode_token, encode_token};
use serde_json::Value;
use wire::encoding::{from_base64url, to_base64url};
use wire::ids::SessionId;

use crate::support::{array, hex, parse, rows, text};

pub(crate) fn cases(group: &'static Value) -> Vec<Trial> {
    let mut trials = rows("base32", &group["base32"], base32);
    trials.extend(rows("base64url", &group["base64url"], base64url));
    trials.extend(rows("base64url bad", &group["base64url_bad"], |row| {
        assert!(from_base64url(text(row)).is_err());
    }));
    trials.extend(rows("uuid", &group["uuid"], uuid));
    trials.extend(rows("uuid bad", &group["uuid_bad"], |row| {
        assert_eq!(parse::<SessionId>(text(row)), None);
    }));
    trials
}

fn base32(row: &Value) {
    assert_eq!(*encode_token(&array(&row["hex"])), text(&row["text"]));
    assert_eq!(
        decode_token(text(&row["text"])).unwrap()[..],
        hex(&row["hex"])[..]
    );
}

fn base64url(row: &Value) {
    assert_eq!(to_base64url(&hex(&row["hex"])), text(&row["text"]));
    assert_eq!(from_base64url(text(&row["text"])).unwrap(), hex(&row["hex"]));
}

fn uuid(row: &Value) {
    assert_eq!(
        SessionId::from_bytes(array(&row["hex"])).to_string(),
        text(&row["text"])
    );
    assert_eq!(
        parse(text(&row["text"])),
        Some(SessionId::from_bytes(array(&row["hex"])))
    );
}
