//! `POST /v1/sessions/{id}/leave`: a participant goes, its tokens end. Always possible.

use wire::event::{Capability, MemberEvent};

use super::write::SessionWrite;
use super::{Answer, Service, SessionCaller};
use crate::modes::Event;
use crate::rate::{Allowance, Counted};
use crate::store::{participants, tokens};

impl Service {
    /// `POST leave`. On an ended session it ends the tokens and appends nothing.
    ///
    /// # Errors
    /// `TokenRekeyed`: the session was re-keyed meanwhile.
    pub async fn leave(&self, by: &SessionCaller) -> Answer<()> {
        let Some(mut write) = SessionWrite::open(&self.shared, by.session_id).await? else {
            return Ok(());
        };
        write.same_epoch(by)?;
        let me = by.participant_id;
        let _ending = self.shared.departures.ending(by.session_id, me);
        tokens::end(&mut write.on(), by.session_id, me).await?;
        let was_in = participants::find(&mut write.on(), by.session_id, me)
            .await?
            .is_some_and(|participant| participant.left_at.is_none());
        if was_in && write.live().is_ok() {
            let now = write.now;
            write.member(me, &MemberEvent::Left { participant_id: me })?;
            write.step(&Event::Leave { who: me })?;
            participants::left(&mut write.on(), by.session_id, me, now).await?;
            if by.capability == Capability::View {
                // Leaving is never refused, but it counts.
                let allowance = Allowance::an_hour(self.shared.limits.view_records_per_hour);
                self.shared
                    .rates
                    .charge(Counted::ViewRecords(by.session_id), 1, allowance, now);
            }
        }
        write.commit().await?;
        Ok(())
    }
}
