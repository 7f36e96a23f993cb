//! The transitions in observe and relay, the way into auto among them.

use std::collections::BTreeMap;

use wire::api::SettableMode;
use wire::event::{Cause, Kind, Notice};
use wire::ids::{ParticipantId, ProposalId};
use wire::timestamp::Timestamp;

use super::bounds::Bounds;
use super::event::{Event, Refused};
use super::state::{Auto, Consent, Manual, Proposal, RecentProposals, Terms};

impl Manual {
    /// What an event other than an acceptance does. A lapsed proposal has been dropped before.
    pub(super) fn apply(
        &mut self,
        event: &Event,
        now: Timestamp,
        bounds: &Bounds,
        recent: &mut RecentProposals,
    ) -> Result<Option<Notice>, Refused> {
        match event {
            Event::SetObserve => {
                self.proposal = None;
                Ok(self.set(SettableMode::Observe))
            }
            Event::SetRelay => Ok(self.set(SettableMode::Relay)),
            Event::Propose {
                id,
                by,
                kind,
                budget,
                ttl_s,
                goal,
            } => {
                if self.has_proposal(*id) {
                    return Ok(None);
                }
                let terms = Terms {
                    proposal_id: *id,
                    by: *by,
                    budget: bounds.budget(*budget)?,
                    ttl_s: bounds.ttl_s(*ttl_s)?,
                    goal: goal.clone(),
                };
                if recent.contains(*id) {
                    return Err(Refused::ProposalGone);
                }
                recent.push(*id);
                Ok(Some(self.propose(terms, *kind, now, bounds)))
            }
            Event::Decline { id } if self.has_proposal(*id) => {
                self.proposal = None;
                Ok(Some(Notice::AutoDeclined {}))
            }
            Event::Accept { .. } | Event::Decline { .. } => Err(Refused::ProposalGone),
            Event::Post {
                expect_auto: true, ..
            } => Err(Refused::AutoOver { mode: self.name() }),
            Event::Leave { who } => {
                // Leaving ends consent: a proposal without its proposer would start auto with one participant.
                self.proposal = self.proposal.take().filter(|proposal| proposal.terms.by != *who);
                Ok(None)
            }
            Event::Rekey | Event::End => {
                self.proposal = None;
                Ok(None)
            }
            Event::Post { .. } | Event::Stop => Ok(None),
        }
    }

    /// The auto that begins when somebody other than the proposer accepts first.
    pub(super) fn accept(
        &mut self,
        id: ProposalId,
        by: ParticipantId,
        kind: Kind,
        now: Timestamp,
    ) -> Result<Auto, Refused> {
        let Proposal { terms, by_kind, .. } = self
            .proposal
            .take()
            .filter(|proposal| proposal.terms.proposal_id == id)
            .ok_or(Refused::ProposalGone)?;
        if terms.by == by {
            return Err(Refused::Forbidden {
                detail: "Nobody accepts their own proposal. Ask another participant to accept it.",
            });
        }
        Ok(Auto {
            spent: 0,
            expires_at: after_seconds(now, terms.ttl_s),
            accepted: BTreeMap::from([(terms.by, Consent::new(by_kind)), (by, Consent::new(kind))]),
            terms,
        })
    }

    fn has_proposal(&self, id: ProposalId) -> bool {
        self.proposal
            .as_ref()
            .is_some_and(|proposal| proposal.terms.proposal_id == id)
    }

    fn set(&mut self, mode: SettableMode) -> Option<Notice> {
        let from = self.name();
        self.mode = mode;
        let to = self.name();
        (from != to).then_some(Notice::ModeChanged {
            from,
            to,
            cause: Cause::Requested,
            spent: None,
            budget: None,
            ttl_s: None,
        })
    }

    fn propose(&mut self, terms: Terms, by_kind: Kind, now: Timestamp, bounds: &Bounds) -> Notice {
        let (budget, ttl_s) = (terms.budget, terms.ttl_s);
        self.proposal = Some(Proposal {
            terms,
            by_kind,
            lapses_at: after_seconds(now, bounds.proposal_life_s),
        });
        Notice::AutoProposed { budget, ttl_s }
    }
}

fn after_seconds(now: Timestamp, seconds: u32) -> Timestamp {
    now.plus_millis(i64::from(seconds) * 1_000)
}
