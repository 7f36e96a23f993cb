//! What readers are told of a mode, and what may become due. Nothing here changes it.

use wire::api::{Mode, Proposal, SealedGoal};
use wire::event::ModeName;
use wire::ids::{ParticipantId, ProposalId};
use wire::timestamp::Timestamp;

use super::state::{self, Auto, ModeState, Standing, Terms};

/// What a waiting request compares to notice a change of mode.
///
/// Not in it: what comes with a message anyway (budget and `done`), since a wait goes on over its own
/// participant's messages; and the time, so that it changes with what is written only. An expiry therefore
/// answers a wait once its notice is there to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    name: ModeName,
    proposal: Option<ProposalId>,
    accepted: Vec<ParticipantId>,
}

impl ModeState {
    /// The session's mode. An overdue auto reads as observe.
    pub fn name(&self, now: Timestamp) -> ModeName {
        match &self.standing {
            Standing::Manual(manual) => manual.name(),
            Standing::Auto(auto) if auto.is_overdue(now) => ModeName::Observe,
            Standing::Auto(_) => ModeName::Auto,
        }
    }

    /// The stricter of the session's mode and the participant's own consent.
    pub fn effective(&self, participant: ParticipantId, now: Timestamp) -> ModeName {
        match self.running_auto(now) {
            Some(auto) if !auto.accepted.contains_key(&participant) => ModeName::Observe,
            Some(_) | None => self.name(now),
        }
    }

    /// The mode as a state answer shows it to a participant, or to nobody in particular: to a machine or
    /// console token, for which `effective` is the session's mode.
    pub fn mode_for(&self, participant: Option<ParticipantId>, now: Timestamp) -> Mode {
        let name = self.name(now);
        let auto = self.running_auto(now);
        Mode {
            name,
            effective: participant.map_or(name, |participant| self.effective(participant, now)),
            proposal_id: auto.map(|auto| auto.terms.proposal_id),
            budget_left: auto.map(|auto| auto.terms.budget.saturating_sub(auto.spent)),
            expires_at: auto.map(|auto| auto.expires_at),
            accepted: auto.map(|auto| auto.accepted.keys().copied().collect()),
            done: auto.map(Auto::done),
            goal: auto.map(|auto| auto.terms.sealed_goal()),
            proposal: match &self.standing {
                Standing::Manual(manual) => manual.open_proposal(now).map(state::Proposal::shown),
                Standing::Auto(_) => None,
            },
        }
    }

    /// When [`ModeState::expire`] has something to do next, unless an event comes before.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        match &self.standing {
            Standing::Manual(manual) => manual.proposal.as_ref().map(|proposal| proposal.lapses_at),
            Standing::Auto(auto) => Some(auto.expires_at),
        }
    }

    /// When the auto that is stored ends by time; absent outside auto.
    pub fn auto_expires_at(&self) -> Option<Timestamp> {
        match &self.standing {
            Standing::Manual(_) => None,
            Standing::Auto(auto) => Some(auto.expires_at),
        }
    }

    /// What a waiting request compares to notice a change of mode.
    pub fn fingerprint(&self) -> Fingerprint {
        match &self.standing {
            Standing::Manual(manual) => Fingerprint {
                name: manual.name(),
                proposal: manual
                    .proposal
                    .as_ref()
                    .map(|proposal| proposal.terms.proposal_id),
                accepted: Vec::new(),
            },
            Standing::Auto(auto) => Fingerprint {
                name: ModeName::Auto,
                proposal: Some(auto.terms.proposal_id),
                accepted: auto.accepted.keys().copied().collect(),
            },
        }
    }

    fn running_auto(&self, now: Timestamp) -> Option<&Auto> {
        match &self.standing {
            Standing::Auto(auto) if !auto.is_overdue(now) => Some(auto),
            Standing::Auto(_) | Standing::Manual(_) => None,
        }
    }
}

impl Auto {
    fn done(&self) -> Vec<ParticipantId> {
        self.accepted
            .iter()
            .filter(|(_, consent)| consent.done)
            .map(|(participant, _)| *participant)
            .collect()
    }
}

impl state::Proposal {
    fn shown(&self) -> Proposal {
        Proposal {
            proposal_id: self.terms.proposal_id,
            by: self.terms.by,
            budget: self.terms.budget,
            ttl_s: self.terms.ttl_s,
            lapses_at: self.lapses_at,
            goal: self.terms.sealed_goal(),
        }
    }
}

impl Terms {
    fn sealed_goal(&self) -> SealedGoal {
        SealedGoal {
            participant_id: self.by,
            epoch: self.goal.epoch,
            proposal_id: self.proposal_id,
            sealed: self.goal.sealed.clone(),
        }
    }
}
