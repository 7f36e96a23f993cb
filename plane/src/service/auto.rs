//! The way into auto: propose, accept, decline (`modes.md`). It always takes two.

use wire::api::{ProposalRef, Propose, StateAnswer};
use wire::event::Capability;

use super::{Answer, Service, ServiceError, SessionCaller, shape};
use crate::modes::{Event, Goal};

impl Service {
    /// `POST auto`: proposes to go to auto. The current proposal's id again changes nothing.
    ///
    /// # Errors
    /// `BadRequest`, `TooLarge`: no sealed goal, or budget or time out of bounds; `ViewOnly`; `SessionEnded`;
    /// `EpochMoved`; `InAuto`; `ProposalGone`: the id was used before; `RateLimited`.
    pub async fn propose(&self, by: &SessionCaller, request: Propose) -> Answer<StateAnswer> {
        shape::small(&request.sealed_goal)?;
        if by.capability == Capability::View {
            return Err(ServiceError::ViewOnly);
        }
        if request.epoch != by.epoch {
            return Err(ServiceError::EpochMoved { epoch: by.epoch });
        }
        let event = Event::Propose {
            id: request.proposal_id,
            by: by.participant_id,
            kind: by.kind,
            budget: request.budget,
            ttl_s: request.ttl_s,
            goal: Goal {
                epoch: request.epoch,
                sealed: request.sealed_goal,
            },
        };
        self.take_through(by, &event).await
    }

    /// `POST auto/accept`: the first acceptance by another one starts auto.
    ///
    /// # Errors
    /// `ViewOnly`; `SessionEnded`; `Forbidden`: one's own; `ProposalGone`; `RateLimited`.
    pub async fn accept(&self, by: &SessionCaller, request: ProposalRef) -> Answer<StateAnswer> {
        let event = Event::Accept {
            id: request.proposal_id,
            by: by.participant_id,
            kind: by.kind,
        };
        self.take_through(by, &event).await
    }

    /// `POST auto/decline`: drops the proposal.
    ///
    /// # Errors
    /// `ViewOnly`; `SessionEnded`; `ProposalGone`; `RateLimited`.
    pub async fn decline(&self, by: &SessionCaller, request: ProposalRef) -> Answer<StateAnswer> {
        let event = Event::Decline {
            id: request.proposal_id,
        };
        self.take_through(by, &event).await
    }

    async fn take_through(&self, by: &SessionCaller, event: &Event) -> Answer<StateAnswer> {
        let row = self.change_mode(by, event).await?;
        Ok(StateAnswer {
            state: self.shared.state_for(&row, by.into()),
        })
    }
}
