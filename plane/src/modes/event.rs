//! What can happen to a session's mode, what comes of it, and why it is refused.

use wire::api::Signal;
use wire::event::{Kind, ModeName, Notice};
use wire::ids::{ParticipantId, ProposalId};

use super::state::{Goal, ModeState};

/// One thing that happens. Who may cause it by capability, scope and epoch has been checked before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A full participant sets observe.
    SetObserve,
    /// A full participant sets relay.
    SetRelay,
    /// A full participant proposes to go to auto.
    Propose {
        /// Made by the proposer, so that a retry is the same proposal.
        id: ProposalId,
        /// The proposer.
        by: ParticipantId,
        /// An agent or a person.
        kind: Kind,
        /// Posts allowed; absent: the default.
        budget: Option<u32>,
        /// Seconds allowed; absent: the default.
        ttl_s: Option<u32>,
        /// What for.
        goal: Goal,
    },
    /// A full participant accepts.
    Accept {
        /// Which proposal.
        id: ProposalId,
        /// Who.
        by: ParticipantId,
        /// An agent or a person.
        kind: Kind,
    },
    /// A full participant declines.
    Decline {
        /// Which proposal.
        id: ProposalId,
    },
    /// A message is about to be appended; not for one that is stored already.
    Post {
        /// Who wrote it.
        author: ParticipantId,
        /// What it says of the work.
        signal: Option<Signal>,
        /// Whether it was written for auto (`expect_mode`).
        expect_auto: bool,
    },
    /// Somebody stops auto.
    Stop,
    /// A participant leaves.
    Leave {
        /// Who.
        who: ParticipantId,
    },
    /// The session is re-keyed.
    Rekey,
    /// The session ends.
    End,
}

/// What comes of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The state from now on.
    pub state: ModeState,
    /// To be appended in the same transaction, after the record that caused it.
    pub notice: Option<Notice>,
    /// Whether `state` differs from the one before, so that it must be stored.
    pub changed: bool,
}

/// Why an event is refused; each stands for one code of `plane-api.md`, Errors. Nothing is half-applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// `bad_request`: budget or time out of bounds.
    #[error("bad_request: {limit}")]
    BadRequest {
        /// What to ask for instead.
        detail: &'static str,
        /// The limit, by its name.
        limit: &'static str,
    },
    /// `forbidden`: somebody accepts their own proposal.
    #[error("forbidden: {detail}")]
    Forbidden {
        /// Who may do it.
        detail: &'static str,
    },
    /// `auto_over`: a post was written for auto, and its author is not in it, or no longer.
    #[error("auto_over: {mode:?}")]
    AutoOver {
        /// The author's effective mode.
        mode: ModeName,
    },
    /// `in_auto`: not while the session is in auto.
    #[error("in_auto")]
    InAuto,
    /// `proposal_gone`: that proposal is not, or no longer, there.
    #[error("proposal_gone")]
    ProposalGone,
}
