//! Sessions and the audit, as an operator sees them: never a title.

use serde::Serialize;
use wire::event::ModeName;
use wire::ids::{ParticipantId, SessionId, UserId};
use wire::problem::EndCause;
use wire::timestamp::Timestamp;

use super::{LIST_MAX, find_org};
use crate::service::{Answer, Service};
use crate::store::{audit, session};

/// One act of an owner, an admin or the operator.
#[derive(Debug, Clone, Serialize)]
pub struct AuditEntry {
    /// When.
    pub at: Timestamp,
    /// Who: `operator`, a user's id, or `participant` with its id.
    pub actor: String,
    /// What, in dotted words.
    pub action: String,
    /// Of which session.
    pub session_id: Option<SessionId>,
    /// Of whom or what: an id or fixed words, never a name.
    pub subject: Option<String>,
}

/// A session as an operator sees it: never a title.
#[derive(Debug, Clone, Serialize)]
pub struct SessionSummary {
    /// Its id.
    pub session_id: SessionId,
    /// Whose machine created it.
    pub owner_user: UserId,
    /// The owner participant; none after an administrator re-key.
    pub owner: Option<ParticipantId>,
    /// Its public label.
    pub label: Option<String>,
    /// Its epoch.
    pub epoch: u32,
    /// Its mode.
    pub mode: ModeName,
    /// Records that are stored.
    pub records: u64,
    /// Bytes that are stored.
    pub bytes: u64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires unless somebody writes.
    pub expires_at: Timestamp,
    /// Since when it is over.
    pub ended_at: Option<Timestamp>,
    /// Why it is over.
    pub cause: Option<EndCause>,
}

impl Service {
    /// Admin acts before a time (now, if none is named), newest first, at most 1,000.
    ///
    /// # Errors
    /// `NotFound`: no such org.
    pub async fn admin_audit(
        &self,
        org: &str,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Answer<Vec<AuditEntry>> {
        let before = before.unwrap_or(Timestamp::from_millis(i64::MAX));
        let mut tx = self.shared.store().begin_read().await?;
        let org = find_org(&mut tx, org).await?;
        let rows = audit::before(&mut tx.on(), org, before, limit.min(LIST_MAX)).await?;
        Ok(rows
            .into_iter()
            .map(|row| AuditEntry {
                at: row.at,
                actor: row.actor,
                action: row.action,
                session_id: row.session_id,
                subject: row.subject,
            })
            .collect())
    }

    /// The newest sessions of an organisation, at most 1,000.
    ///
    /// # Errors
    /// `NotFound`: no such org.
    pub async fn admin_sessions(&self, org: &str) -> Answer<Vec<SessionSummary>> {
        let now = self.shared.now();
        let mut tx = self.shared.store().begin_read().await?;
        let org = find_org(&mut tx, org).await?;
        let rows = session::of_org(&mut tx.on(), org, LIST_MAX).await?;
        Ok(rows
            .into_iter()
            .map(|row| SessionSummary {
                session_id: row.session_id,
                owner_user: row.owner_user,
                owner: row.owner,
                mode: row.mode.name(now),
                records: row.records(),
                label: row.label,
                epoch: row.epoch,
                bytes: row.bytes,
                created_at: row.created_at,
                expires_at: row.expires_at,
                ended_at: row.ended.map(|ended| ended.at),
                cause: row.ended.map(|ended| ended.cause),
            })
            .collect())
    }

    /// Ends a session, with `purge` for good. One that has ended is left as it is.
    ///
    /// # Errors
    /// `NotFound`: no such session.
    pub async fn admin_end_session(&self, session: SessionId, purge: bool) -> Answer<()> {
        self.end_as(None, session, purge).await
    }
}
