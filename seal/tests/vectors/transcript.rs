//! Group `transcript`.

use std::collections::BTreeMap;

use libtest_mimic::Trial;
use seal::keys::{EpochKeys, Keyring};
use seal::roster::{Learned, Roster};
use seal::transcript::{Ahead, MemberKind, Outcome, RawRecord, Reader, Start, Transcript};
use serde_json::{Value, json};
use wire::epoch_record::EpochRecord;
use wire::ids::SessionId;

use crate::support::{array, hex, number, participant, rows, session, text};

pub(crate) fn cases(group: &'static Value) -> Vec<Trial> {
    rows("transcript", group, replay)
}

/// The file gives content keys alone, so the posting key of an epoch is that of the record the transcript shows.
struct Keys<'a> {
    session: SessionId,
    content: &'a Value,
    ring: Keyring,
}

impl Keys<'_> {
    fn see(&mut self, epoch_record: &[u8]) {
        let Ok(record) = EpochRecord::parse(epoch_record) else {
            return;
        };
        let content = &self.content[record.epoch.to_string()];
        if !content.is_null() {
            let posting = record.commitments.posting_key;
            self.ring.insert(EpochKeys::unchecked(
                &self.session,
                record.epoch,
                [0; 32],
                array(content),
                posting,
            ));
        }
    }
}

/// In turn; looked into ahead with all keys and people that the first reader came to know; and with keys that open nothing: the
/// outcome is the same.
fn replay(case: &Value) {
    let (keys, roster) = replay_with(case, |record| Ahead::from(record));
    replay_with(case, |record| Ahead::look(record, &keys, &roster));
    let mut wrong = Keyring::new();
    for right in keys.iter() {
        let posting_key = *right.posting_key().as_bytes();
        let session = right.session_id();
        wrong.insert(EpochKeys::unchecked(
            session,
            right.epoch(),
            [0; 32],
            [9; 32],
            posting_key,
        ));
    }
    replay_with(case, |record| Ahead::look(record, &wrong, &roster));
}

fn replay_with(case: &Value, look: impl for<'a> Fn(RawRecord<'a>) -> Ahead<'a>) -> (Keyring, Roster) {
    let sid = session(&case["session"]);
    let mut keys = Keys {
        session: sid,
        content: &case["content_keys"],
        ring: Keyring::new(),
    };
    let mut roster = Roster::new(sid);
    let mut transcript = Transcript::new(sid);
    if let Some(checkpoint) = case.get("checkpoint") {
        let epoch_record = hex(&checkpoint["epoch_record"]);
        keys.see(&epoch_record);
        let start = Start {
            seq: number(&checkpoint["seq"]),
            hash: array(&checkpoint["hash"]),
            epoch_record: &epoch_record,
        };
        transcript = Transcript::from_checkpoint(sid, &start, &keys.ring).unwrap();
    }

    let (records, expected) = (
        case["records"].as_array().unwrap(),
        case["expect"].as_array().unwrap(),
    );
    assert_eq!(records.len(), expected.len());
    for (record, expected) in records.iter().zip(expected) {
        let body = hex(&record["body"]);
        let record = RawRecord {
            seq: number(&record["seq"]),
            epoch: number(&record["epoch"]),
            class: number(&record["class"]),
            sender: array(&record["sender"]),
            item: array(&record["item"]),
            body: &body,
        };
        if record.class == 3 {
            keys.see(&body);
        }
        let before = transcript.head();
        let mut reader = Reader {
            keys: &mut keys.ring,
            roster: &mut roster,
            me: None,
        };
        if transcript.needs_profiles(&record, &reader) {
            for served in case["participants"].as_array().unwrap() {
                let (id, epoch) = (participant(&served["participant"]), number(&served["epoch"]));
                let sealed = hex(&served["sealed_profile"]);
                // One that does not open counts as not seen; the case says what follows.
                let _ = reader.roster.learn(reader.keys, &id, epoch, &sealed);
            }
        }
        match transcript.accept_ahead(look(record), &mut reader) {
            Err(error) => {
                assert_eq!(json!({ "error": error.name() }), *expected);
                assert_eq!(transcript.head(), before, "a refused record moved the head");
            }
            Ok(outcome) => {
                assert_eq!(outcome.name(), text(&expected["status"]));
                assert_eq!(transcript.head().hash, array(&expected["chain"]));
                assert_eq!(json_of(&outcome), expected.get("json").and_then(Value::as_str));
                assert_eq!(
                    profile_of(&outcome),
                    expected.get("profile").and_then(Value::as_str)
                );
                transcript.recheck(&record).unwrap();
            }
        }
    }
    assert_eq!(transcript.head().seq, number::<u64>(&case["head_seq"]));
    assert_eq!(transcript.head().hash, array(&case["head_hash"]));
    let confirmed: BTreeMap<_, _> = transcript.confirmed().map(|(id, seq)| (*id, seq)).collect();
    let expected: BTreeMap<_, _> = case["confirmed"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(id, seq)| (participant(&Value::from(id.as_str())), number(seq)))
        .collect();
    assert_eq!(confirmed, expected);
    (keys.ring, roster)
}

fn json_of(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Message { message, .. } => Some(message.json.as_str()),
        _ => None,
    }
}

fn profile_of(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Member(member) => match &member.kind {
            MemberKind::Joined { learned, .. } => Some(match learned {
                Ok(Learned::MayWrite) => "full",
                Ok(Learned::MayRead) => "view",
                Ok(Learned::NoKey) => "no_key",
                Err(error) => error.name(),
            }),
            _ => None,
        },
        _ => None,
    }
}
