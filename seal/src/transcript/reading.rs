//! Step 6 of `crypto.md` section 9.3: what a record in the chain yields.

use serde::Deserialize;
use serde_json::Value;
use wire::encoding::from_base64url;
use wire::event::Notice;
use wire::ids::{MessageId, ParticipantId};

use super::{Member, MemberKind, Outcome, RawRecord, Reader, Standing, Transcript};
use crate::error::Error;
use crate::json::{self, Object};
use crate::record::message::{Head, Looked};

/// Opens a message and compares its head with this reader's chain, which holds the message already.
pub(super) fn message(
    transcript: &mut Transcript,
    record: &RawRecord<'_>,
    looked: Option<Looked>,
    sender: &ParticipantId,
    id: &MessageId,
    reader: &Reader<'_>,
) -> Outcome {
    let Some(keys) = reader.keys.get(record.epoch) else {
        return Outcome::NoKey;
    };
    let author = reader.roster.author(sender, record.epoch);
    let looked = looked
        .filter(|looked| looked.is_by(keys, author.key))
        .unwrap_or_else(|| Looked::into(keys, sender, id, record.body, author.key));
    match looked.judged(author.may_write) {
        Ok(message) => {
            let standing = standing(transcript, record.seq, sender, &message.head);
            Outcome::Message { message, standing }
        }
        Err(error) => Outcome::Unreadable(error),
    }
}

fn standing(transcript: &mut Transcript, seq: u64, sender: &ParticipantId, head: &Head) -> Standing {
    let before = transcript.state.last_opened.insert(*sender, seq).unwrap_or(0);
    if head.seq >= seq {
        return Standing::Differs(Error::HeadAhead);
    }
    if head.seq < before {
        return Standing::Differs(Error::HeadRegressed);
    }
    let Some(hash) = transcript.hash_at(head.seq) else {
        return Standing::Unchecked;
    };
    if *hash != head.hash {
        return Standing::Differs(Error::Fork);
    }
    transcript.state.confirmed.insert(*sender, head.seq);
    Standing::Confirmed(head.seq)
}

pub(super) fn notice(body: &[u8]) -> Outcome {
    match event(body) {
        Some((_, members)) => Outcome::Notice(Notice::deserialize(Value::Object(members)).ok()),
        None => Outcome::BadNotice,
    }
}

/// A member event; a profile in it is learned.
pub(super) fn member(record: &RawRecord<'_>, about: &ParticipantId, reader: &mut Reader<'_>) -> Outcome {
    let Some((name, members)) = event(record.body) else {
        return Outcome::BadMember;
    };
    let names = members
        .get("participant_id")
        .and_then(Value::as_str)
        .and_then(|id| id.parse().ok());
    if names != Some(*about) {
        return Outcome::BadMember;
    }
    let kind = match name.as_str() {
        "joined" => {
            let sealed = members
                .get("sealed_profile")
                .and_then(Value::as_str)
                .map(from_base64url);
            let Some(Ok(sealed)) = sealed else {
                return Outcome::BadMember;
            };
            MemberKind::Joined {
                kind: claim(&members, "kind"),
                capability: claim(&members, "capability"),
                learned: reader.roster.learn(reader.keys, about, record.epoch, &sealed),
            }
        }
        "left" => MemberKind::Left,
        "refused" => MemberKind::Refused,
        _ => MemberKind::Unknown,
    };
    Outcome::Member(Member {
        participant_id: *about,
        kind,
    })
}

/// A plaintext object with a string `event`.
fn event(body: &[u8]) -> Option<(String, Object)> {
    let members = json::object(body).ok()?;
    let name = json::string(&members, "event").ok()?.to_owned();
    Some((name, members))
}

fn claim<T: for<'de> Deserialize<'de>>(members: &Object, name: &str) -> Option<T> {
    T::deserialize(members.get(name)?).ok()
}
