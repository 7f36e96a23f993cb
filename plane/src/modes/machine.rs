//! The machine: which part of the table an event meets, and the one way out of auto.

use wire::event::{Cause, ModeName, Notice};
use wire::timestamp::Timestamp;

use super::bounds::Bounds;
use super::event::{Event, Refused, Step};
use super::state::{Manual, ModeState, Standing};

impl ModeState {
    /// What has become due: an auto whose time is up ends with its notice, a lapsed proposal goes without one.
    ///
    /// Whoever writes applies this first and appends the notice before anything else. A process whose own
    /// monotonic deadline for this auto has passed gives a `now` of at least [`ModeState::auto_expires_at`].
    pub fn expire(&self, now: Timestamp) -> Option<(Self, Option<Notice>)> {
        let mut next;
        let notice = match &self.standing {
            Standing::Auto(auto) if auto.is_overdue(now) => {
                next = self.clone();
                next.leave_auto(Cause::TtlExpired)
            }
            Standing::Manual(manual) if manual.proposal.is_some() && manual.open_proposal(now).is_none() => {
                next = self.clone();
                next.drop_proposal();
                None
            }
            Standing::Manual(_) | Standing::Auto(_) => return None,
        };
        Some((next, notice))
    }

    /// What comes of an event at a time.
    ///
    /// Apply [`ModeState::expire`] before. Without it this stays safe: a lapsed proposal counts as gone, and an
    /// overdue auto answers as observe does and is moved by nothing, because only `expire` writes its notice.
    ///
    /// # Errors
    /// See [`Refused`]; the state is unchanged then.
    pub fn step(&self, event: &Event, now: Timestamp, bounds: &Bounds) -> Result<Step, Refused> {
        // On a copy, so that a refusal leaves nothing half-applied.
        let mut state = self.clone();
        let notice = state.apply(event, now, bounds)?;
        Ok(Step {
            changed: state != *self,
            state,
            notice,
        })
    }

    fn apply(&mut self, event: &Event, now: Timestamp, bounds: &Bounds) -> Result<Option<Notice>, Refused> {
        match &mut self.standing {
            Standing::Auto(auto) if auto.is_overdue(now) => overdue(event).map(|()| None),
            Standing::Auto(auto) => {
                let cause = auto.apply(event)?;
                Ok(cause.and_then(|cause| self.leave_auto(cause)))
            }
            Standing::Manual(manual) => {
                if manual.open_proposal(now).is_none() {
                    manual.proposal = None;
                }
                match event {
                    Event::Accept { id, by, kind } => {
                        let from = manual.name();
                        let auto = manual.accept(*id, *by, *kind, now)?;
                        let notice = auto.entry_notice(from);
                        self.standing = Standing::Auto(auto);
                        Ok(Some(notice))
                    }
                    _ => manual.apply(event, now, bounds, &mut self.recent),
                }
            }
        }
    }

    /// The only way out of auto, so that every exit has exactly one notice.
    fn leave_auto(&mut self, cause: Cause) -> Option<Notice> {
        match std::mem::take(&mut self.standing) {
            Standing::Auto(auto) => Some(auto.exit_notice(cause)),
            manual @ Standing::Manual(_) => {
                self.standing = manual;
                None
            }
        }
    }

    fn drop_proposal(&mut self) {
        if let Standing::Manual(Manual { proposal, .. }) = &mut self.standing {
            *proposal = None;
        }
    }
}

/// How an auto that is over, but not yet ended by its notice, answers.
fn overdue(event: &Event) -> Result<(), Refused> {
    match event {
        Event::Post {
            expect_auto: true, ..
        } => Err(Refused::AutoOver {
            mode: ModeName::Observe,
        }),
        Event::SetRelay | Event::Propose { .. } => Err(Refused::InAuto),
        Event::Accept { .. } | Event::Decline { .. } => Err(Refused::ProposalGone),
        Event::SetObserve
        | Event::Post { .. }
        | Event::Stop
        | Event::Leave { .. }
        | Event::Rekey
        | Event::End => Ok(()),
    }
}
