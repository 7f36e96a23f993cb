//! The cases of `seal/vectors/vectors.json` that need no key: what the plane computes is what an independent
//! implementation computed. The others are replayed in `seal`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use serde_json::Value;
use wire::encoding::{from_base64url, to_base64url};
use wire::epoch_record::EpochRecord;
use wire::ids::{MessageId, ParticipantId, SessionId};
use wire::transcript::{Link, RecordClass, next, start};

fn file() -> Value {
    serde_json::from_str(include_str!("../../seal/vectors/vectors.json")).unwrap()
}

/// The rows of a group, as many as there were when this test was written.
fn rows<'f>(file: &'f Value, path: &str, count: usize) -> &'f [Value] {
    let rows = file.pointer(path).and_then(Value::as_array).expect("a group");
    assert_eq!(rows.len(), count, "{path}");
    rows
}

fn hex(value: &Value) -> Vec<u8> {
    let text = value.as_str().expect("hex");
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

fn array<const N: usize>(value: &Value) -> [u8; N] {
    hex(value).try_into().unwrap()
}

/// Zeros stand for "none".
fn id(value: &Value) -> Option<[u8; 16]> {
    Some(array(value)).filter(|id| *id != [0; 16])
}

#[test]
fn base64url_has_one_spelling() {
    let file = file();
    for row in rows(&file, "/encoding/base64url", 4) {
        let text = row["text"].as_str().unwrap();
        assert_eq!(to_base64url(&hex(&row["hex"])), text);
        assert_eq!(from_base64url(text), Ok(hex(&row["hex"])));
    }
    for row in rows(&file, "/encoding/base64url_bad", 6) {
        assert!(from_base64url(row.as_str().unwrap()).is_err(), "{row}");
    }
}

#[test]
fn uuids_have_one_spelling() {
    let file = file();
    for row in rows(&file, "/encoding/uuid", 2) {
        let (text, id) = (
            row["text"].as_str().unwrap(),
            SessionId::from_bytes(array(&row["hex"])),
        );
        assert_eq!(id.to_string(), text);
        assert_eq!(text.parse(), Ok(id));
    }
    for row in rows(&file, "/encoding/uuid_bad", 3) {
        assert!(row.as_str().unwrap().parse::<SessionId>().is_err(), "{row}");
    }
}

#[test]
fn no_malformed_epoch_record_parses() {
    let file = file();
    for row in rows(&file, "/rekey/parse_bad", 18) {
        assert!(
            EpochRecord::parse(&hex(&row["record"])).is_err(),
            "{}",
            row["name"]
        );
    }
}

#[test]
fn an_epoch_record_is_the_bytes_it_was_parsed_from() {
    let file = file();
    let groups = [("/rekey/make", 2), ("/rekey/create", 1), ("/rekey/admin", 1)];
    for row in groups
        .into_iter()
        .flat_map(|(path, count)| rows(&file, path, count))
    {
        let bytes = hex(&row["record"]);
        let record = EpochRecord::parse(&bytes).unwrap();
        assert_eq!(record.to_bytes(), bytes);
        assert_eq!(record.session_id, SessionId::from_bytes(array(&row["session"])));
    }
}

/// Every record that enters the chain, whoever can open it, moves it as the file says.
#[test]
fn the_transcript_hash_needs_no_key() {
    let (file, mut accepted) = (file(), 0);
    for case in rows(&file, "/transcript", 64) {
        let mut hash = start(&SessionId::from_bytes(array(&case["session"])));
        let mut in_force = Vec::new();
        if let Some(checkpoint) = case.get("checkpoint") {
            hash = array(&checkpoint["hash"]);
            in_force = hex(&checkpoint["epoch_record"]);
        }
        let records = case["records"].as_array().unwrap().iter();
        for (record, expected) in records.zip(case["expect"].as_array().unwrap()) {
            if expected.get("error").is_some() {
                continue;
            }
            let body = hex(&record["body"]);
            let class = u8::try_from(record["class"].as_u64().unwrap()).unwrap();
            if RecordClass::from_byte(class) == Some(RecordClass::Epoch) {
                in_force.clone_from(&body);
            }
            let link = Link {
                seq: record["seq"].as_u64().unwrap(),
                epoch: u32::try_from(record["epoch"].as_u64().unwrap()).unwrap(),
                class,
                sender: id(&record["sender"]).map(ParticipantId::from_bytes),
                item_id: id(&record["item"]).map(MessageId::from_bytes),
                body: &body,
            };
            hash = next(&hash, &in_force, &link);
            assert_eq!(
                hash,
                array(&expected["chain"]),
                "{} at {}",
                case["name"],
                record["seq"]
            );
            accepted += 1;
        }
        assert_eq!(hash, array(&case["head_hash"]), "{}", case["name"]);
    }
    assert_eq!(accepted, ACCEPTED);
}

/// Records that enter the chain, in all cases together.
const ACCEPTED: usize = 222;
