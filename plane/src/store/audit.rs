//! The audit: who did what, append-only.

use wire::ids::{OrgId, SessionId};
use wire::timestamp::Timestamp;

use super::codec::maybe_id;
use super::engine::{all, run};
use super::{On, StoreError};

/// Who acted, where the operator did.
pub(crate) const OPERATOR: &str = "operator";

const INSERT: &str = "INSERT INTO audit (org_id, at, entry_id, actor, action, session_id, subject) \
     VALUES ($1, $2, $3, $4, $5, $6, $7)";
const BEFORE: &str = "SELECT at, actor, action, session_id, subject FROM audit WHERE org_id = $1 AND at < $2 \
     ORDER BY at DESC, entry_id LIMIT $3";

/// One act of an owner, an admin or the operator.
#[derive(Debug, Clone)]
pub(crate) struct AuditRow {
    pub(crate) at: Timestamp,
    pub(crate) actor: String,
    pub(crate) action: String,
    pub(crate) session_id: Option<SessionId>,
    pub(crate) subject: Option<String>,
}

/// Writes down an admin act.
pub(crate) async fn insert(
    on: &mut On<'_>,
    org: OrgId,
    entry: &[u8; 16],
    act: &AuditRow,
) -> Result<(), StoreError> {
    run!(
        on,
        INSERT,
        &org.as_bytes()[..],
        act.at.millis(),
        &entry[..],
        act.actor.as_str(),
        act.action.as_str(),
        act.session_id.as_ref().map(|session| &session.as_bytes()[..]),
        act.subject.as_deref(),
    )?;
    Ok(())
}

/// Admin acts before a time, newest first.
pub(crate) async fn before(
    on: &mut On<'_>,
    org: OrgId,
    time: Timestamp,
    limit: u32,
) -> Result<Vec<AuditRow>, StoreError> {
    type Raw = (i64, String, String, Option<Vec<u8>>, Option<String>);
    all!(
        Raw,
        on,
        BEFORE,
        &org.as_bytes()[..],
        time.millis(),
        i64::from(limit)
    )?
    .into_iter()
    .map(|(at, actor, action, session, subject)| {
        Ok(AuditRow {
            at: Timestamp::from_millis(at),
            actor,
            action,
            session_id: maybe_id(session.as_deref(), SessionId::from_bytes)?,
            subject,
        })
    })
    .collect()
}
