//! The verifier's state as it goes into a state file: ids and hashes, no secret and no plaintext.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use wire::encoding::{Blob, Bytes32, from_base64url, to_base64url};
use wire::ids::{MessageId, ParticipantId, SessionId};
use wire::transcript::{self, Hash};

/// Everything a [`super::Transcript`] keeps across restarts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptState {
    /// The session.
    pub session_id: SessionId,
    /// The seq this view starts after.
    pub base: u64,
    /// H of every seq from the base to the head: 32 bytes each.
    pub chain: Chain,
    /// The epoch record in force; empty before the first record.
    pub epoch_record: Blob,
    /// From which seq on which epoch record was in force, ascending.
    pub eras: Vec<Era>,
    /// The ids of all messages accepted.
    pub seen: BTreeSet<MessageId>,
    /// Own messages that were accepted, and their seq.
    pub own: BTreeMap<MessageId, u64>,
    /// Own messages that were sent and not accepted yet.
    pub sent: BTreeMap<MessageId, Sent>,
    /// The seq of the last message of each sender that opened.
    pub last_opened: BTreeMap<ParticipantId, u64>,
    /// Up to which seq each sender confirmed this history.
    pub confirmed: BTreeMap<ParticipantId, u64>,
}

impl TranscriptState {
    /// Before the first record.
    pub(super) fn new(session: SessionId) -> Self {
        Self {
            session_id: session,
            base: 0,
            chain: Chain(vec![transcript::start(&session)]),
            epoch_record: Blob::default(),
            eras: Vec::new(),
            seen: BTreeSet::new(),
            own: BTreeMap::new(),
            sent: BTreeMap::new(),
            last_opened: BTreeMap::new(),
            confirmed: BTreeMap::new(),
        }
    }
}

/// When an epoch record came into force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Era {
    /// The first seq it is in force at; the base for the one of a checkpoint.
    pub from_seq: u64,
    /// Its SHA-256.
    pub epoch_record: Bytes32,
}

/// An own message on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// The epoch it was sealed under.
    pub epoch: u32,
    /// SHA-256 of the sealed bytes.
    pub body: Bytes32,
    /// The seq that the plane answered, once it did.
    pub seq: Option<u64>,
}

/// Values of the transcript hash, in order. In JSON one base64url string.
#[derive(Clone, PartialEq, Eq)]
pub struct Chain(pub Vec<Hash>);

impl std::fmt::Debug for Chain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Chain({} values)", self.0.len())
    }
}

impl Serialize for Chain {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&to_base64url(self.0.as_flattened()))
    }
}

impl<'de> Deserialize<'de> for Chain {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(d)?;
        let bytes = from_base64url(&text).map_err(|_| de::Error::custom("not base64url without padding"))?;
        match bytes.as_chunks::<32>() {
            (hashes, []) => Ok(Self(hashes.to_vec())),
            _ => Err(de::Error::custom("not a number of hashes")),
        }
    }
}
