//! Modes: what participants ask of the mode machine.

use wire::api::{SetMode, SettableMode, StateAnswer};
use wire::event::Capability;
use wire::ids::SessionId;
use wire::timestamp::Timestamp;

use super::acts::Act;
use super::end::keeper;
use super::state::Viewer;
use super::write::SessionWrite;
use super::{Answer, OwnerCaller, Service, ServiceError, SessionCaller};
use crate::modes::Event;
use crate::store::participants;
use crate::store::session::SessionRow;

impl Service {
    /// `POST mode`: sets observe or relay. Setting the mode in force appends nothing.
    ///
    /// # Errors
    /// `ViewOnly`; `SessionEnded`; `RateLimited`; `InAuto`: relay while in auto.
    pub async fn set_mode(&self, by: &SessionCaller, request: SetMode) -> Answer<StateAnswer> {
        let event = match request.set {
            SettableMode::Observe => Event::SetObserve,
            SettableMode::Relay => Event::SetRelay,
        };
        let row = self.change_mode(by, &event).await?;
        Ok(StateAnswer {
            state: self.shared.state_for(&row, by.into()),
        })
    }

    /// `POST auto/stop`: any participant, the owner user or an org admin. Never refused for rate or capability;
    /// outside auto it changes nothing.
    ///
    /// # Errors
    /// `NotFound`, `Forbidden`: a machine that may not; `SessionEnded`.
    pub async fn stop(&self, by: &OwnerCaller, session: SessionId) -> Answer<StateAnswer> {
        let gone = match by {
            OwnerCaller::Participant(_) => ServiceError::Unauthorized,
            OwnerCaller::Machine(_) => ServiceError::NotFound,
        };
        let mut write = SessionWrite::open(&self.shared, session).await?.ok_or(gone)?;
        let viewer = match by {
            OwnerCaller::Participant(by) => {
                write.same_epoch(by)?;
                Viewer::from(by)
            }
            OwnerCaller::Machine(by) => {
                keeper(by, write.row.org_id, write.row.owner_user)?;
                Viewer::OUTSIDE
            }
        };
        write.live()?;
        let stopped = write.step(&Event::Stop)?;
        if stopped && matches!(by, OwnerCaller::Machine(_)) {
            write.record_act(by, Act::Stop, None).await?;
        }
        let row = if stopped || write.has_appended() {
            write.commit().await?
        } else {
            write.row
        };
        Ok(StateAnswer {
            state: self.shared.state_for(&row, viewer),
        })
    }

    /// Takes an event of a full participant through the machine; commits what it changes.
    pub(super) async fn change_mode(&self, by: &SessionCaller, event: &Event) -> Answer<SessionRow> {
        if by.capability != Capability::Full {
            return Err(ServiceError::ViewOnly);
        }
        let mut write = SessionWrite::open(&self.shared, by.session_id)
            .await?
            .ok_or(ServiceError::Unauthorized)?;
        write.same_epoch(by)?;
        still_in(&mut write, by).await?;
        write.live()?;
        if matches!(event, Event::Propose { .. }) {
            write.bound_by_policy().await?;
        }
        let due = write.has_appended();
        let changed = write.step(event)?;
        if !changed && !due {
            return Ok(write.row);
        }
        if changed {
            self.count_append(by, event, write.now)?;
        }
        write.commit().await
    }

    /// Counts a change against the participant's appends. The safe direction is never refused.
    fn count_append(&self, by: &SessionCaller, event: &Event, now: Timestamp) -> Answer<()> {
        let (appends, allowance) = self.shared.appends(by.session_id, by.participant_id);
        if *event == Event::SetObserve {
            self.shared.rates.charge(appends, 1, allowance, now);
            return Ok(());
        }
        self.shared.take_change(by, now)
    }
}

/// Refuses one who has left since its token was looked up, here or at another process: nobody who is gone consents
/// to anything.
async fn still_in(write: &mut SessionWrite<'_>, by: &SessionCaller) -> Answer<()> {
    let (session, me) = (by.session_id, by.participant_id);
    let known = participants::find(&mut write.on(), session, me).await?;
    if known.is_some_and(|known| known.left_at.is_none()) {
        Ok(())
    } else {
        Err(ServiceError::Unauthorized)
    }
}
