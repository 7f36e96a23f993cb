//! What choosing a seat needs to know of it. Read without its secrets.

use serde::Deserialize;
use serde::de::IgnoredAny;
use wire::encoding::Bytes32;
use wire::event::Kind;
use wire::ids::{ParticipantId, SessionId};
use wire::timestamp::Timestamp;

use super::consent::{Alarm, Ended, ShareMark};
use super::pending::AtTheDoor;
use super::state::LastUsed;
use crate::plane::Origin;

/// How long the same `share` call is the same session.
const SHARE_REPEAT_MS: i64 = 10 * 60 * 1000;

/// How far a seat has come into its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is in, or was.
    In,
    /// Its session is being made, or the share that makes it was cut off.
    Creating,
    /// On its way in, and not answered yet.
    Joining,
    /// Before a door whose keeper has not answered.
    Knocking,
    /// Not let in.
    TurnedAway,
}

/// The way in that a seat has not finished. Return is no first way in.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EntryMark {
    Create(IgnoredAny),
    Join(IgnoredAny),
    Return(IgnoredAny),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
struct PendingMark {
    #[serde(default)]
    entry: Option<EntryMark>,
}

/// A seat without its secrets.
#[derive(Debug, Clone, PartialEq, Deserialize)]
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
    /// The owner participant in force, as far as this seat knows.
    #[serde(default)]
    pub owner: Option<ParticipantId>,
    /// A failed check, if there was one.
    #[serde(default)]
    pub alarm: Option<Alarm>,
    #[serde(default)]
    at_the_door: Option<AtTheDoor>,
    /// As of the last time the seat's own file was replaced, which getting in does.
    #[serde(default)]
    pending: PendingMark,
}

impl SeatSummary {
    /// How far it has come.
    pub fn standing(&self) -> Standing {
        match (self.pending.entry, self.at_the_door) {
            (None | Some(EntryMark::Return(_)), _) => Standing::In,
            (Some(EntryMark::Create(_)), _) => Standing::Creating,
            (Some(EntryMark::Join(_)), None) => Standing::Joining,
            (Some(EntryMark::Join(_)), Some(AtTheDoor::Knocking(_))) => Standing::Knocking,
            (Some(EntryMark::Join(_)), Some(AtTheDoor::TurnedAway(_))) => Standing::TurnedAway,
        }
    }

    /// Whether it is, or was, in its session: only then is there anything to read or to write to.
    pub fn is_in(&self) -> bool {
        self.standing() == Standing::In
    }

    /// Whether it is the session's owner participant, as far as it knows.
    pub fn is_owner(&self) -> bool {
        self.is_in() && self.owner == Some(self.participant)
    }

    /// Whether its participant left, and was not brought back since.
    pub fn has_left(&self) -> bool {
        self.ended.as_ref().is_some_and(Ended::by_leaving)
    }

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
