//! The transcript hash (`crypto.md` sections 8 and 9.1): made from ciphertext alone.

use sha2::{Digest, Sha256};

use crate::ids::{MessageId, ParticipantId, SessionId};

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum RecordClass {
    /// 1: a sealed message by a participant.
    Message,
    /// 2: the plane's plaintext word on the mode.
    Notice,
    /// 3: an epoch record.
    Epoch,
    /// 4: a plaintext member event.
    Member,
}

impl RecordClass {
    /// The byte in the transcript hash and in the store.
    pub const fn byte(self) -> u8 {
        match self {
            Self::Message => 1,
            Self::Notice => 2,
            Self::Epoch => 3,
            Self::Member => 4,
        }
    }

    /// The class of a byte.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Message),
            2 => Some(Self::Notice),
            3 => Some(Self::Epoch),
            4 => Some(Self::Member),
            _ => None,
        }
    }
}

/// A value of the transcript hash.
pub type Hash = [u8; 32];

/// What the hash covers of one record. Times and signals are not covered.
#[derive(Debug, Clone, Copy)]
pub struct Link<'a> {
    /// The record's number.
    pub seq: u64,
    /// The epoch it was appended in.
    pub epoch: u32,
    /// Its class byte, as received: an unknown class is the reader's to refuse.
    pub class: u8,
    /// Its sender; none where `crypto.md` section 8 has zeros.
    pub sender: Option<ParticipantId>,
    /// Its message id; none unless it is a message.
    pub item_id: Option<MessageId>,
    /// Its body, as hashed.
    pub body: &'a [u8],
}

/// SHA-256.
pub fn sha256(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

/// H(0) of a session.
pub fn start(session: &SessionId) -> Hash {
    let mut hash = Sha256::new();
    hash.update(b"devpilot-session v1 transcript");
    hash.update(session.as_bytes());
    hash.finalize().into()
}

/// H(i) from H(i-1). `epoch_record` is the one in force at i; for an epoch record, itself.
pub fn next(before: &Hash, epoch_record: &[u8], link: &Link<'_>) -> Hash {
    next_hashed(before, &sha256(epoch_record), link)
}

/// As [`next`], with the SHA-256 of the epoch record already at hand.
pub fn next_hashed(before: &Hash, epoch_record_hash: &Hash, link: &Link<'_>) -> Hash {
    const NO_ID: [u8; 16] = [0; 16];
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update(epoch_record_hash);
    hash.update(link.seq.to_be_bytes());
    hash.update(link.epoch.to_be_bytes());
    hash.update([link.class]);
    hash.update(link.sender.as_ref().map_or(&NO_ID, ParticipantId::as_bytes));
    hash.update(link.item_id.as_ref().map_or(&NO_ID, MessageId::as_bytes));
    hash.update(sha256(link.body));
    hash.finalize().into()
}
