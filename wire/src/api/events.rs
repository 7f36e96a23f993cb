//! The event stream (`plane-api.md`, The transcript, events).

use serde::{Deserialize, Serialize};

use super::records::{Checkpoint, Record};
use super::sessions::State;
use crate::ids::ParticipantId;
use crate::timestamp::Timestamp;

/// One event of a stream: `event` is its name, `data` the JSON on its `data` line. Records alone have an `id`, their seq.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "event", content = "data", rename_all = "lowercase")]
pub enum StreamEvent {
    /// First, when what the reader asked for begins before what is stored.
    Checkpoint(Checkpoint),
    /// The next record.
    Record(Record),
    /// The session as it stands, at the start and after what changed it.
    State(Box<State>),
    /// Everybody who is in, at the start and when something changed, at most every 5 s.
    Presence(Vec<Presence>),
    /// Last: why the stream ends.
    Bye(Bye),
}

/// Whether somebody is here, within some seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Presence {
    /// Who.
    pub participant_id: ParticipantId,
    /// Whether it waits or streams now, within a minute.
    pub listening: bool,
    /// When it was last heard of.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub last_seen_at: Timestamp,
    /// The newest seq that it fetched.
    pub fetched_seq: u64,
}

/// The last event of a stream that the plane ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Bye {
    /// Why.
    pub code: ByeCode,
    /// With `draining`: when to come back, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
}

impl From<ByeCode> for Bye {
    fn from(code: ByeCode) -> Self {
        Self {
            code,
            retry_after_s: None,
        }
    }
}

/// Why the plane ends a stream. One whose participant left or returned ends without a word: its token counts no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ByeCode {
    /// This process is going down: another one answers.
    Draining,
    /// The session was re-keyed, which ends the token.
    Rekeyed,
    /// The session is over, and everything of it was sent.
    SessionEnded,
    /// The reader takes what is sent too slowly: come back, after the last record received.
    TooSlow,
}
