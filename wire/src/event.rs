//! The plaintext bodies that the plane makes: notices (`modes.md`) and member events (`crypto.md` section 8).
//!
//! A body is serialised once, when its record is appended, and is hashed and served as that string from
//! then on. A notice holds counts and names of modes only, so that nobody can smuggle text through it.

use serde::{Deserialize, Serialize};

use crate::encoding::Blob;
use crate::ids::ParticipantId;

/// A session's mode by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ModeName {
    /// Agents read and post at their human's word.
    Observe,
    /// Agents may wait; each post is approved by the agent's own human.
    Relay,
    /// Agents take turns within a budget and a time.
    Auto,
}

/// Why a mode changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A participant set it.
    Requested,
    /// A second participant accepted the proposal.
    Accepted,
    /// The last unit of the budget was spent.
    BudgetSpent,
    /// The time was up.
    TtlExpired,
    /// Every accepted agent said done.
    AllDone,
    /// Somebody said blocked.
    Blocked,
    /// Somebody stopped it.
    Stopped,
    /// Fewer than two of those who accepted remain.
    Left,
    /// The session was re-keyed.
    Rekeyed,
    /// The session ended.
    Ended,
}

/// A notice's body. `event` comes first, absent counts are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Notice {
    /// The mode changed.
    ModeChanged {
        /// From which mode.
        from: ModeName,
        /// To which mode.
        to: ModeName,
        /// Why.
        cause: Cause,
        /// Posts spent; when leaving auto.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spent: Option<u32>,
        /// The budget; when entering and leaving auto.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<u32>,
        /// The time to live in seconds; when entering auto.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ttl_s: Option<u32>,
    },
    /// Somebody proposed to go to auto.
    AutoProposed {
        /// Posts allowed.
        budget: u32,
        /// Seconds allowed.
        ttl_s: u32,
    },
    /// A proposal was declined.
    AutoDeclined {},
}

/// What kind of participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A coding agent.
    Agent,
    /// A person.
    Human,
}

/// What a participant's proof allows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Capability {
    /// Reading and posting.
    Full,
    /// Reading alone.
    View,
}

/// A member event's body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum MemberEvent {
    /// Somebody joined, or came back with a new profile.
    Joined {
        /// Who.
        participant_id: ParticipantId,
        /// An agent or a person, by its own word.
        kind: Kind,
        /// By the plane's word; readers believe certificates alone.
        capability: Capability,
        /// The sealed profile under the record's epoch.
        sealed_profile: Blob,
    },
    /// Somebody left.
    Left {
        /// Who.
        participant_id: ParticipantId,
    },
    /// Somebody was refused at the door.
    Refused {
        /// Who.
        participant_id: ParticipantId,
    },
}
