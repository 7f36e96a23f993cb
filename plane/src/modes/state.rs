//! What a session's mode is made of, as it is stored with the session row.
//!
//! Serialised as JSON it is the stored form: a field may be added with a default, never renamed or given
//! another meaning. An unknown field is refused, so that an older plane can't drop what a newer one wrote.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use wire::api::SettableMode;
use wire::encoding::Blob;
use wire::event::{Kind, ModeName};
use wire::ids::{ParticipantId, ProposalId};
use wire::timestamp::Timestamp;

/// How many of the last proposal ids can't be used again.
const RECENT: usize = 16;

/// A session's mode with all that belongs to it. A new session is in observe, which is the default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModeState {
    pub(super) standing: Standing,
    pub(super) recent: RecentProposals,
}

/// Where the session stands. A proposal exists outside auto only, a budget inside only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Standing {
    /// Observe or relay.
    Manual(Manual),
    /// Auto, perhaps overdue.
    Auto(Auto),
}

impl Default for Standing {
    /// Observe without a proposal, where every way out of auto leads too.
    fn default() -> Self {
        Self::Manual(Manual {
            mode: SettableMode::Observe,
            proposal: None,
        })
    }
}

/// Observe or relay, with at most one proposal beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manual {
    pub(super) mode: SettableMode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) proposal: Option<Proposal>,
}

impl Manual {
    pub(super) const fn name(&self) -> ModeName {
        match self.mode {
            SettableMode::Observe => ModeName::Observe,
            SettableMode::Relay => ModeName::Relay,
        }
    }

    /// The proposal that may still be accepted.
    pub(super) fn open_proposal(&self, now: Timestamp) -> Option<&Proposal> {
        self.proposal.as_ref().filter(|proposal| now < proposal.lapses_at)
    }
}

/// What was proposed and holds in auto.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Terms {
    pub(super) proposal_id: ProposalId,
    pub(super) by: ParticipantId,
    pub(super) budget: u32,
    pub(super) ttl_s: u32,
    pub(super) goal: Goal,
}

/// A goal, sealed by the proposer (`crypto.md` section 7, kind 4). The plane can't read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// The epoch it is sealed under.
    pub epoch: u32,
    /// The sealed form.
    pub sealed: Blob,
}

/// A proposal that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Proposal {
    pub(super) terms: Terms,
    /// What the proposer is.
    pub(super) by_kind: Kind,
    pub(super) lapses_at: Timestamp,
}

/// Auto with what has been used of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Auto {
    pub(super) terms: Terms,
    pub(super) spent: u32,
    pub(super) expires_at: Timestamp,
    /// At least two, or auto is left.
    pub(super) accepted: BTreeMap<ParticipantId, Consent>,
}

impl Auto {
    /// Whether the time is up.
    pub(super) fn is_overdue(&self, now: Timestamp) -> bool {
        now >= self.expires_at
    }
}

/// One participant's consent to an auto.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Consent {
    pub(super) kind: Kind,
    /// Whether its last word on the work was `done`.
    pub(super) done: bool,
}

impl Consent {
    pub(super) const fn new(kind: Kind) -> Self {
        Self { kind, done: false }
    }
}

/// The ids of the last proposals, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct RecentProposals(VecDeque<ProposalId>);

impl RecentProposals {
    pub(super) fn contains(&self, id: ProposalId) -> bool {
        self.0.contains(&id)
    }

    pub(super) fn push(&mut self, id: ProposalId) {
        if self.0.len() >= RECENT {
            self.0.pop_front();
        }
        self.0.push_back(id);
    }
}
