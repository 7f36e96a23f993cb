//! `PUT /v1/sessions/{id}/title`. Nobody is woken, nothing is appended.

use wire::api::{SetTitle, StateAnswer};
use wire::event::Capability;

use super::write::SessionWrite;
use super::{Answer, Service, ServiceError, SessionCaller, shape};
use crate::store::titles;

impl Service {
    /// `PUT title`: author and epoch must be the token's.
    ///
    /// # Errors
    /// `TooLarge`, `BadRequest`: no sealed title; `ViewOnly`; `Forbidden`: another author; `SessionEnded`;
    /// `EpochMoved`; `RateLimited`.
    pub async fn set_title(&self, by: &SessionCaller, request: SetTitle) -> Answer<StateAnswer> {
        shape::title(&request.title)?;
        if by.capability != Capability::Full {
            return Err(ServiceError::ViewOnly);
        }
        if request.title.participant_id != by.participant_id {
            return Err(ServiceError::Forbidden {
                detail: "A title is set under one's own participant id. Seal it as this participant.",
            });
        }
        let mut write = SessionWrite::open(&self.shared, by.session_id)
            .await?
            .ok_or(ServiceError::Unauthorized)?;
        write.same_epoch(by)?;
        write.live()?;
        if request.title.epoch != write.row.epoch {
            return Err(ServiceError::EpochMoved {
                epoch: write.row.epoch,
            });
        }
        // It appends nothing, but costs the same.
        self.shared.take_change(by, write.now)?;
        titles::save(&mut write.on(), by.session_id, &request.title).await?;
        let row = write.commit_quietly().await?;
        Ok(StateAnswer {
            state: self.shared.state_for(&row, by.into()),
        })
    }
}
