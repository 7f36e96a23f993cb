//! `DELETE /v1/sessions/{id}`: ends a session, or purges it to a tombstone.

use wire::ids::{OrgId, SessionId, UserId};
use wire::problem::EndCause;
use wire::timestamp::Timestamp;

use super::acts::{Act, Actor};
use super::open::Shared;
use super::write::SessionWrite;
use super::{Answer, MachineCaller, Role, Scope, Service, ServiceError};
use crate::store::purge;
use crate::store::tombstones::{self, Tombstone};

/// Whether a caller may end, re-key or keep the door of a session of this org and owner user.
///
/// # Errors
/// `NotFound`: it may not see the session; `Forbidden`: it may, but its token lacks the scope.
pub(super) fn keeper(by: &MachineCaller, org: OrgId, owner: UserId) -> Answer<()> {
    let admin = by.may(Scope::Admin) && by.role == Role::Admin && by.org_id == org;
    let own = by.user_id == owner;
    if admin || (own && by.may(Scope::Rekey)) {
        Ok(())
    } else if own {
        Err(ServiceError::Forbidden {
            detail: "This takes a machine token with scope rekey.",
        })
    } else {
        Err(ServiceError::NotFound)
    }
}

impl Service {
    /// `DELETE`: owner user or org admin. One that has ended stays as it is, unless it is purged now.
    ///
    /// # Errors
    /// `NotFound`: no such session, or none that the caller may see; `Forbidden`: no scope for it.
    pub async fn end(&self, by: &MachineCaller, session: SessionId, purge: bool) -> Answer<()> {
        self.end_as(Some(by), session, purge).await
    }

    /// Ends a session for a machine's user, or for the operator.
    pub(super) async fn end_as(
        &self,
        by: Option<&MachineCaller>,
        session: SessionId,
        purge: bool,
    ) -> Answer<()> {
        let Some(mut write) = SessionWrite::open(&self.shared, session).await? else {
            return self.end_gone(by, session).await;
        };
        if let Some(by) = by {
            keeper(by, write.row.org_id, write.row.owner_user)?;
        }
        let now = write.now;
        let goes_on = write.row.ended.is_none();
        if goes_on {
            write.end(now, EndCause::Ended).await?;
        }
        let actor = by.map_or(Actor::Operator, Actor::from);
        if purge {
            write.record_act(actor, Act::Purge, None).await?;
            return self.shared.purge(write, EndCause::Purged, now).await;
        }
        if goes_on {
            write.record_act(actor, Act::End, None).await?;
            write.commit().await?;
        } else if write.has_appended() {
            // Its time was over, and that is written with the notice of its auto.
            write.commit().await?;
        }
        Ok(())
    }

    /// A purged session: done, for those who might have done it.
    async fn end_gone(&self, by: Option<&MachineCaller>, session: SessionId) -> Answer<()> {
        let mut conn = self.shared.store.reader().await?;
        let stone = tombstones::find(&mut conn.on(), session)
            .await?
            .ok_or(ServiceError::NotFound)?;
        by.map_or(Ok(()), |by| keeper(by, stone.org_id, stone.owner_user))
    }
}

impl Shared {
    /// Deletes all rows of a locked session but for a tombstone.
    pub(crate) async fn purge(
        &self,
        mut write: SessionWrite<'_>,
        cause: EndCause,
        at: Timestamp,
    ) -> Answer<()> {
        let row = &write.row;
        let stone = Tombstone {
            session_id: row.session_id,
            org_id: row.org_id,
            owner_user: row.owner_user,
            epoch: row.epoch,
            full_verifier: row.full_verifier,
            view_verifier: row.view_verifier,
            at,
            cause,
        };
        let until = write.now.plus_millis(self.tombstone_life_ms());
        purge::session(&mut write.on(), stone.session_id).await?;
        tombstones::insert(&mut write.on(), &stone, until).await?;
        write.commit_gone().await
    }
}
