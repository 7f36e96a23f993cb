//! What choosing a seat needs to know of it. Read without its secrets.

use serde::Deserialize;
use wire::encoding::Bytes32;
use wire::event::Kind;
use wire::ids::{ParticipantId, SessionId};
use wire::timestamp::Timestamp;

use super::consent::{Ended, ShareMark};
use super::state::LastUsed;
use crate::plane::Origin;

/// How long the same `share` call is the same session.
const SHARE_REPEAT_MS: i64 = 10 * 60 * 1000;

/// A seat without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SeatSummary {
    /// The plane.
    pub plane: Origin,
    /// The session.
    pub session: SessionId,
    /// The participant.
    pub participant: ParticipantId,
    /// An agent or a person.
    pub kind: Kind,
    /// The name it goes by.
    pub name: String,
    /// The title as last opened: text by somebody else.
    #[serde(default)]
    pub title: Option<String>,
    /// Until when the session lives.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
    /// Set once it is over.
    #[serde(default)]
    pub ended: Option<Ended>,
    /// When and where it was last used.
    pub last_used: LastUsed,
    /// The `share` call that made the session.
    #[serde(default)]
    pub share: Option<ShareMark>,
}

impl SeatSummary {
    /// Whether the session is not over as far as this machine knows.
    pub fn is_alive(&self, now: Timestamp) -> bool {
        self.ended.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// Whether this seat's session was made by the same `share` call within the last ten minutes.
    pub fn is_repeat_of(&self, fingerprint: &Bytes32, now: Timestamp) -> bool {
        let Some(share) = &self.share else {
            return false;
        };
        let age = now.millis().saturating_sub(share.at.millis());
        self.is_alive(now) && share.fingerprint == *fingerprint && (0..=SHARE_REPEAT_MS).contains(&age)
    }
}
