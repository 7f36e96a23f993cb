//! The transitions in an auto whose time is not up.

use wire::api::Signal;
use wire::event::{Cause, Kind, ModeName, Notice};
use wire::ids::ParticipantId;

use super::event::{Event, Refused};
use super::state::{Auto, Consent};

impl Auto {
    /// What an event does in auto; a cause means that it ends.
    pub(super) fn apply(&mut self, event: &Event) -> Result<Option<Cause>, Refused> {
        match event {
            Event::SetObserve => Ok(Some(Cause::Requested)),
            Event::Propose { id, .. } if *id == self.terms.proposal_id => Ok(None),
            Event::SetRelay | Event::Propose { .. } => Err(Refused::InAuto),
            Event::Accept { id, by, kind } if *id == self.terms.proposal_id => {
                self.accepted.entry(*by).or_insert(Consent::new(*kind));
                Ok(None)
            }
            Event::Accept { .. } | Event::Decline { .. } => Err(Refused::ProposalGone),
            Event::Post {
                author,
                signal,
                expect_auto,
            } => self.post(*author, *signal, *expect_auto),
            Event::Stop => Ok(Some(Cause::Stopped)),
            Event::Leave { who } => {
                self.accepted.remove(who);
                Ok((self.accepted.len() < 2).then_some(Cause::Left))
            }
            Event::Rekey => Ok(Some(Cause::Rekeyed)),
            Event::End => Ok(Some(Cause::Ended)),
        }
    }

    /// Spends a unit, whoever writes. Of several causes the first of blocked, all done, budget spent counts.
    fn post(
        &mut self,
        author: ParticipantId,
        signal: Option<Signal>,
        expect_auto: bool,
    ) -> Result<Option<Cause>, Refused> {
        let consent = self.accepted.get_mut(&author);
        if expect_auto && consent.is_none() {
            return Err(Refused::AutoOver {
                mode: ModeName::Observe,
            });
        }
        self.spent = self.spent.saturating_add(1);
        if let (Some(consent), Some(signal)) = (consent, signal) {
            match signal {
                Signal::Blocked => return Ok(Some(Cause::Blocked)),
                Signal::Continue => consent.done = false,
                Signal::Done => {
                    consent.done = true;
                    if self.all_done() {
                        return Ok(Some(Cause::AllDone));
                    }
                }
            }
        }
        Ok((self.spent >= self.terms.budget).then_some(Cause::BudgetSpent))
    }

    /// Whether there is an accepted agent, and none that is not done. People need not say it.
    fn all_done(&self) -> bool {
        let mut agents = self
            .accepted
            .values()
            .filter(|consent| consent.kind == Kind::Agent)
            .peekable();
        agents.peek().is_some() && agents.all(|consent| consent.done)
    }

    pub(super) fn entry_notice(&self, from: ModeName) -> Notice {
        Notice::ModeChanged {
            from,
            to: ModeName::Auto,
            cause: Cause::Accepted,
            spent: None,
            budget: Some(self.terms.budget),
            ttl_s: Some(self.terms.ttl_s),
        }
    }

    pub(super) fn exit_notice(&self, cause: Cause) -> Notice {
        Notice::ModeChanged {
            from: ModeName::Auto,
            to: ModeName::Observe,
            cause,
            spent: Some(self.spent),
            budget: Some(self.terms.budget),
            ttl_s: None,
        }
    }
}
