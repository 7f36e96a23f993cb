//! What a seat remembers of people's decisions and of its session's fate.

use std::fmt;

use serde::{Deserialize, Serialize};
use wire::api::SessionEnd;
use wire::encoding::Bytes32;
use wire::ids::MessageId;
use wire::problem::EndCause;
use wire::timestamp::Timestamp;

/// How this machine's human came to a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConsentRole {
    /// Proposed it.
    Proposed,
    /// Accepted it as shown.
    Accepted,
}

/// A human's yes on this machine to one proposal. The client acts in auto under such a proposal alone, and counts
/// budget and time itself as well (`crypto.md` section 12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consent {
    /// Proposed or accepted.
    pub role: ConsentRole,
    /// When the human said so.
    pub at: Timestamp,
    /// Posts agreed to.
    pub budget: u32,
    /// Seconds agreed to.
    pub ttl_s: u32,
    /// The last record before auto can begin under it: the first entry into auto behind it is the one agreed to, and
    /// there is no second.
    #[serde(default)]
    pub since_seq: u64,
    /// Of one that was proposed: SHA-256 of the goal, so that the same call after a lost answer is the same proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Bytes32>,
    /// When this client first saw auto begin under it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// The seq of the notice with which auto began: what comes after it counts against the budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_seq: Option<u64>,
    /// Whether auto under it is over. It never begins again.
    #[serde(default)]
    pub over: bool,
    /// Whether this seat's agent was told since that auto is over. Until then a post of its may be a late
    /// reply, which must not pass for a human's word.
    #[serde(default)]
    pub told: bool,
}

/// The session is gone, by the plane's word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// When.
    pub at: Timestamp,
    /// `ended`, `expired`, `purged`, `left` or `removed`.
    pub cause: String,
}

/// Why a seat is over whose participant left.
pub const LEFT: &str = "left";

impl Ended {
    /// Whether this participant left. It comes back by a link that somebody gives to `join`, and by nothing else.
    pub fn by_leaving(&self) -> bool {
        self.cause == LEFT
    }

    /// The end of the session itself; none where only this participant's part in it is over.
    pub fn for_everybody(&self) -> Option<SessionEnd> {
        let cause = match self.cause.as_str() {
            "ended" => EndCause::Ended,
            "expired" => EndCause::Expired,
            "purged" => EndCause::Purged,
            _ => return None,
        };
        Some(SessionEnd { at: self.at, cause })
    }
}

/// A `share` call that made this session, so that the same call soon after is the same session.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareMark {
    /// SHA-256 over the call's arguments.
    pub fingerprint: Bytes32,
    /// When.
    pub at: Timestamp,
    /// The message that carries the context, once it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<MessageId>,
}

impl fmt::Debug for ShareMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShareMark")
    }
}

/// A failed check of `crypto.md` section 9.3. It outlives the process that found it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alarm {
    /// The error's name, such as `fork` or `rollback`.
    pub error: String,
    /// The seq at which it showed.
    pub seq: u64,
    /// When it was found.
    pub at: Timestamp,
    /// Whether a person said to go on. Possible only where histories of single senders differ.
    #[serde(default)]
    pub acknowledged: bool,
}
