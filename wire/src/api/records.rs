//! The transcript (`plane-api.md`, The transcript).

use serde::{Deserialize, Serialize};

use super::sessions::State;
use crate::encoding::{Blob, Bytes32, not_null};
use crate::ids::{AttachmentId, MessageId, ParticipantId};
use crate::timestamp::Timestamp;
use crate::transcript::RecordClass;

/// What an author in auto says of the work. Also stands inside the sealed message, which readers believe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Signal {
    /// There is more to do; takes an earlier `done` back.
    Continue,
    /// Done on my side.
    Done,
    /// Can't go on without a human.
    Blocked,
}

impl Signal {
    /// The word in JSON and in the store.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Done => "done",
            Self::Blocked => "blocked",
        }
    }

    /// The signal of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Continue, Self::Done, Self::Blocked]
            .into_iter()
            .find(|signal| signal.word() == word)
    }
}

/// The mode that a post was written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ExpectMode {
    /// Auto, by this author's own consent.
    Auto,
}

/// `POST /v1/sessions/{id}/records`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Post {
    /// Made by the author, so that a retry is the same message.
    pub message_id: MessageId,
    /// The epoch it is sealed under.
    pub epoch: u32,
    /// The sealed form.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub sealed: Blob,
    /// What the author says of the work.
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub signal: Option<Signal>,
    /// Refuse unless the author is in that mode.
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub expect_mode: Option<ExpectMode>,
    /// Attachments to close and tie to this record; at most 16.
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub attachments: Option<Vec<AttachmentId>>,
}

/// The answer to a post, once it is durable: 201, or 200 for one that was stored before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Posted {
    /// Its number.
    pub seq: u64,
    /// When it was appended.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub at: Timestamp,
    /// The session as it stands.
    pub state: State,
}

/// One record. Which fields it has follows from its class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Record {
    /// Its number.
    pub seq: u64,
    /// When it was appended.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub at: Timestamp,
    /// The epoch it was appended in.
    pub epoch: u32,
    /// What it is.
    pub class: RecordClass,
    /// Who; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<ParticipantId>,
    /// The message id; of messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id: Option<MessageId>,
    /// The sealed form; of messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub sealed: Option<Blob>,
    /// What the author told the plane of the work; of messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<Signal>,
    /// The exact text that is hashed; of notices and member events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The bytes; of epoch records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub epoch_record: Option<Blob>,
}

/// Where a reader starts when what came before is gone (`crypto.md` section 9.4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Checkpoint {
    /// The last seq that is gone.
    pub seq: u64,
    /// The transcript hash up to it.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub hash: Bytes32,
    /// The epoch record in force there.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub epoch_record: Blob,
}

/// `GET /v1/sessions/{id}/records`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Page {
    /// In order, without a gap.
    pub records: Vec<Record>,
    /// The session as it stands.
    pub state: State,
    /// Whether there is more after the last one.
    pub more: bool,
    /// When `after` lies before what is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
}
