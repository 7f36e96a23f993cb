//! The way into auto from this seat: proposing, accepting and declining, each with this machine's human's word kept
//! before a byte is sent.
//!
//! A consent is in the seat's file first, so that an answer that gets lost loses nothing; where the plane refused for
//! certain it is taken back. Whether auto is acted in is `auto`'s to decide.
//!
//! Source: `modes.md`, Transitions; `crypto.md` section 12.

use seal::random::{self, Nonce};
use tokio::time::Instant;
use wire::api::{ProposalRef, Propose, SealedGoal};
use wire::encoding::{Blob, Bytes32};
use wire::ids::ProposalId;
use wire::problem::Code;
use wire::transcript::sha256;

use super::Session;
use super::auto::{self, Facts, Standing};
use super::calls::is_token_over;
use super::error::SessionError;
use crate::plane::{Deadline, PlaneError};
use crate::seat::{Consent, ConsentRole};

/// What this machine's human said yes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreed {
    /// Messages, by everybody together.
    pub budget: u32,
    /// Seconds.
    pub ttl_s: u32,
    /// The last record before auto can begin under it.
    pub since_seq: u64,
}

impl Session {
    /// What consents are held against, as it is now.
    pub fn auto_facts(&self) -> Facts<'_> {
        Facts {
            view: &self.view,
            mode: self.plane_state().map(|state| &state.mode),
            now: self.clock.now(),
            timed_out: self
                .run_ends
                .filter(|(_, end)| *end <= Instant::now())
                .map(|(proposal, _)| proposal),
        }
    }

    /// Sets the end of the run this seat is in by a clock that nobody can set. The earliest that was seen counts.
    pub(super) fn time_run(&mut self) -> Result<(), SessionError> {
        let kept = self.seat.read()?;
        let running = kept.consents.iter().find_map(|(proposal, consent)| {
            match auto::standing(consent, proposal, &self.auto_facts()) {
                Standing::Running(run) => Some((*proposal, run)),
                Standing::Idle | Standing::Over(_) => None,
            }
        });
        let Some((proposal, run)) = running else {
            return Ok(());
        };
        let left = run.ends_at.millis().saturating_sub(self.clock.now().millis());
        let end = Instant::now() + std::time::Duration::from_millis(u64::try_from(left).unwrap_or(0));
        self.run_ends = match self.run_ends {
            Some((same, known)) if same == proposal => Some((proposal, known.min(end))),
            _ => Some((proposal, end)),
        };
        Ok(())
    }

    /// A goal as its author sealed it, if it opens. Somebody else's text.
    pub fn goal(&self, goal: &SealedGoal) -> Option<String> {
        let keys = self.keys.get(goal.epoch)?;
        let (author, id) = (&goal.participant_id, &goal.proposal_id);
        seal::record::goal::open(keys, author, id, goal.sealed.as_slice(), &self.roster).ok()
    }

    /// Proposes auto. The same call again after a lost answer is the same proposal.
    ///
    /// # Errors
    /// `too_large`; what the plane or the way to it gives, and what coming back gives.
    pub async fn propose(
        &mut self,
        goal: &str,
        budget: u32,
        ttl_s: u32,
        until: Deadline,
    ) -> Result<(), SessionError> {
        let hash = goal_hash(goal);
        let kept = self.seat.read()?;
        let unanswered = kept.consents.iter().find(|(_, consent)| {
            let same = consent.goal == Some(hash) && (consent.budget, consent.ttl_s) == (budget, ttl_s);
            same && consent.started_seq.is_none() && !consent.over
        });
        // What was proposed and is gone again, declined or replaced, is proposed anew.
        if let Some(id) = unanswered.map(|(id, _)| *id) {
            match self.propose_as(id, goal, budget, ttl_s, until).await {
                Err(SessionError::Plane(error)) if error.code() == Some(Code::ProposalGone) => {}
                result => return result,
            }
        }
        let id = random::proposal_id()?;
        self.propose_as(id, goal, budget, ttl_s, until).await
    }

    async fn propose_as(
        &mut self,
        id: ProposalId,
        goal: &str,
        budget: u32,
        ttl_s: u32,
        until: Deadline,
    ) -> Result<(), SessionError> {
        let sent = self.send_proposal(id, goal, budget, ttl_s, until).await;
        self.unless_refused(id, sent).await
    }

    /// Accepts the proposal of that id, and no other.
    ///
    /// # Errors
    /// As [`Session::propose`].
    pub async fn accept_auto(
        &mut self,
        id: ProposalId,
        agreed: Agreed,
        until: Deadline,
    ) -> Result<(), SessionError> {
        self.consent(id, ConsentRole::Accepted, agreed, None).await?;
        let sent = self.send_acceptance(id, until).await;
        self.unless_refused(id, sent).await
    }

    /// Declines the proposal of that id, and no other.
    ///
    /// # Errors
    /// As [`Session::set_mode`].
    pub async fn decline(&mut self, id: ProposalId, until: Deadline) -> Result<(), SessionError> {
        let proposal = ProposalRef { proposal_id: id };
        self.for_state(until, |plane, id, token| async move {
            plane.decline(&id, &token, proposal, until).await
        })
        .await
    }

    /// Ends auto for this seat on this machine, whatever the plane says to it. `told`: whoever acts for the seat knows.
    ///
    /// # Errors
    /// The seat's file can't be written.
    pub async fn end_own_auto(&mut self, told: bool) -> Result<(), SessionError> {
        let kept = self.seat.read()?;
        if kept
            .consents
            .values()
            .all(|consent| consent.over && (consent.told || !told))
        {
            return Ok(());
        }
        self.change(|state| {
            for consent in state.consents.values_mut() {
                consent.over = true;
                consent.told |= told;
            }
        })
        .await
    }

    /// Whoever acts for this seat has been told that auto is over: what it posts from here on is at its human's word.
    ///
    /// # Errors
    /// The seat's file can't be written.
    pub async fn auto_told(&mut self) -> Result<(), SessionError> {
        let concerns = |consent: &Consent| consent.over || consent.started_seq.is_some();
        let kept = self.seat.read()?;
        if !kept
            .consents
            .values()
            .any(|consent| concerns(consent) && !consent.told)
        {
            return Ok(());
        }
        self.change(|state| {
            for consent in state.consents.values_mut().filter(|consent| concerns(consent)) {
                consent.over = true;
                consent.told = true;
            }
        })
        .await
    }

    async fn consent(
        &mut self,
        id: ProposalId,
        role: ConsentRole,
        agreed: Agreed,
        goal: Option<Bytes32>,
    ) -> Result<(), SessionError> {
        let at = self.clock.now();
        self.change(|state| {
            // What is over counts for nothing any more, once it was told.
            state
                .consents
                .retain(|known, consent| *known == id || !(consent.over && consent.told));
            let known = state.consents.get(&id);
            // A run that goes on is what it is.
            if known.is_some_and(|known| !known.over && known.started_seq.is_some()) {
                return;
            }
            let consent = Consent {
                role,
                at,
                budget: agreed.budget,
                ttl_s: agreed.ttl_s,
                since_seq: agreed.since_seq,
                goal,
                started_at: None,
                started_seq: None,
                over: false,
                told: false,
            };
            state.consents.insert(id, consent);
        })
        .await
    }

    /// Takes the consent back where the plane did not take what it stands for, for certain.
    async fn unless_refused(
        &mut self,
        id: ProposalId,
        sent: Result<(), SessionError>,
    ) -> Result<(), SessionError> {
        let certain = match &sent {
            Ok(()) => false,
            Err(SessionError::Plane(error)) => {
                !error.is_effect_open() && !matches!(error, PlaneError::Unreachable { .. })
            }
            Err(SessionError::Seal(_) | SessionError::Random(_)) => true,
            Err(_) => false,
        };
        if certain {
            self.change(|state| {
                state.consents.remove(&id);
            })
            .await?;
        }
        sent
    }

    async fn send_proposal(
        &mut self,
        id: ProposalId,
        goal: &str,
        budget: u32,
        ttl_s: u32,
        until: Deadline,
    ) -> Result<(), SessionError> {
        for again in [true, false] {
            // What came while the human read the question, or by a re-key in between, stands before this proposal.
            let agreed = Agreed {
                budget,
                ttl_s,
                since_seq: self.transcript.head().seq,
            };
            self.consent(id, ConsentRole::Proposed, agreed, Some(goal_hash(goal)))
                .await?;
            let epoch = self.transcript.epoch();
            let keys = self
                .keys
                .get(epoch)
                .ok_or(SessionError::Impossible("no keys of the epoch in force"))?;
            let sealed = seal::record::goal::seal(keys, &self.me, &id, goal, Nonce::random()?)?;
            let request = Propose {
                proposal_id: id,
                budget: Some(budget),
                ttl_s: Some(ttl_s),
                epoch,
                sealed_goal: Blob(sealed),
            };
            let token = self.token()?;
            let asked = self
                .plane
                .propose(self.me.session_id(), &token, &request, until)
                .await;
            let error = match asked {
                Ok(answer) => {
                    self.hear_state(answer.state);
                    break;
                }
                Err(error) => SessionError::Plane(error),
            };
            // A re-key came in between: under its epoch once more.
            let moved =
                matches!(&error, SessionError::Plane(error) if error.code() == Some(Code::EpochMoved));
            if !again || !(moved || is_token_over(&error)) {
                return Err(error);
            }
            self.sync(until).await?;
        }
        Ok(())
    }

    async fn send_acceptance(&mut self, id: ProposalId, until: Deadline) -> Result<(), SessionError> {
        let proposal = ProposalRef { proposal_id: id };
        self.for_state(until, |plane, id, token| async move {
            plane.accept(&id, &token, proposal, until).await
        })
        .await
    }
}

/// The hash by which a goal is known again.
pub fn goal_hash(goal: &str) -> Bytes32 {
    Bytes32(sha256(goal.as_bytes()))
}
