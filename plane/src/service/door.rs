//! The door, for those who keep it: the owner user, the owner participant, an org admin.

use wire::api::{Decide, Door, Knock, SetDoor};
use wire::encoding::Blob;
use wire::event::MemberEvent;
use wire::ids::{ParticipantId, SessionId};

use super::acts::Act;
use super::end::keeper;
use super::write::SessionWrite;
use super::{Answer, OwnerCaller, Service, ServiceError};
use crate::door::DoorPolicy;
use crate::store::session::{self, SessionRow, door_word};
use crate::store::{Tx, knocks};

/// How long an admission may be used.
const ADMISSION_MS: i64 = 600_000;

/// Whether a caller keeps this session's door.
fn keeps(by: &OwnerCaller, row: &SessionRow) -> Answer<()> {
    match by {
        OwnerCaller::Machine(by) => keeper(by, row.org_id, row.owner_user),
        OwnerCaller::Participant(by) if by.epoch != row.epoch => {
            Err(ServiceError::TokenRekeyed { epoch: row.epoch })
        }
        OwnerCaller::Participant(by) if Some(by.participant_id) == row.owner => Ok(()),
        OwnerCaller::Participant(_) => Err(ServiceError::Forbidden {
            detail: "The door is kept by the session's owner and by org admins.",
        }),
    }
}

const fn gone(by: &OwnerCaller) -> ServiceError {
    match by {
        OwnerCaller::Participant(_) => ServiceError::Unauthorized,
        OwnerCaller::Machine(_) => ServiceError::NotFound,
    }
}

impl Service {
    /// `GET door`
    ///
    /// # Errors
    /// `NotFound`, `Forbidden`: who does not keep it.
    pub async fn door(&self, by: &OwnerCaller, session: SessionId) -> Answer<Door> {
        let mut tx = self.shared.store.begin_read().await?;
        let row = session::load(&mut tx.on(), session).await?.ok_or(gone(by))?;
        keeps(by, &row)?;
        self.shown_door(&mut tx, &row).await
    }

    /// `PUT door`: what is left out is without bound.
    ///
    /// # Errors
    /// As [`Service::door`]; `SessionEnded`.
    pub async fn set_door(&self, by: &OwnerCaller, session: SessionId, request: SetDoor) -> Answer<Door> {
        let mut write = SessionWrite::open(&self.shared, session).await?.ok_or(gone(by))?;
        keeps(by, &write.row)?;
        write.live()?;
        write.row.door = DoorPolicy::from(request);
        let set = door_word(write.row.door.state).to_owned();
        write.record_act(by, Act::SetDoor, Some(set)).await?;
        let row = write.commit().await?;
        let mut tx = self.shared.store.begin_read().await?;
        self.shown_door(&mut tx, &row).await
    }

    /// `POST door/{participant_id}`: admits or refuses somebody who knocks.
    ///
    /// # Errors
    /// As [`Service::door`]; `SessionEnded`; `NotFound`: nobody of that id knocks.
    pub async fn decide(
        &self,
        by: &OwnerCaller,
        session: SessionId,
        who: ParticipantId,
        request: Decide,
    ) -> Answer<()> {
        let mut write = SessionWrite::open(&self.shared, session).await?.ok_or(gone(by))?;
        keeps(by, &write.row)?;
        write.live()?;
        let now = write.now;
        let knock = self
            .knock_of(&mut write, session, who)
            .await?
            .ok_or(ServiceError::NotFound)?;
        let act = match (request.admit, knock.admitted_at, knock.refused_at) {
            // The same answer again is the same request.
            (true, Some(_), None) | (false, _, Some(_)) => return Ok(()),
            (true, _, _) => {
                let until = now.plus_millis(ADMISSION_MS);
                knocks::admit(&mut write.on(), session, who, now, until).await?;
                Act::Admit
            }
            (false, _, None) => {
                knocks::refuse(&mut write.on(), session, who, now).await?;
                write.member(who, &MemberEvent::Refused { participant_id: who })?;
                Act::Refuse
            }
        };
        write.record_act(by, act, Some(who.to_string())).await?;
        write.recount_knocks().await?;
        write.commit().await?;
        Ok(())
    }

    async fn shown_door(&self, tx: &mut Tx, row: &SessionRow) -> Answer<Door> {
        let now = self.shared.now();
        let waiting = knocks::waiting(&mut tx.on(), row.session_id, now).await?;
        Ok(Door {
            state: row.door.standing(now),
            joins_left: row.door.joins_left,
            until: row.door.until,
            knocking: waiting
                .into_iter()
                .map(|knock| Knock {
                    participant_id: knock.participant_id,
                    kind: knock.kind,
                    capability: knock.capability,
                    sealed_profile: Blob(knock.sealed_profile),
                    since: knock.since,
                })
                .collect(),
        })
    }
}
