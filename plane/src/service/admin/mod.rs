//! What the operator does from the command line: organisations, members, machine tokens, machines
//! that ask for one, audit, sessions.
//!
//! Whoever can start the plane's binary on its database is the operator; there is no credential to check. Each
//! act leaves an audit entry.

mod connect;
mod people;
mod sessions;
mod tokens;

pub use connect::{Approval, Approved, ConnectRequest};
pub use people::{Member, Org};
pub use sessions::{AuditEntry, SessionSummary};
pub use tokens::{MachineToken, NewMachineToken};

use wire::ids::OrgId;

use super::random::random;
use super::{Answer, Service, ServiceError};
use crate::store::{Tx, audit, orgs};

/// The longest name of an org, a member or a token, in bytes.
const NAME_MAX: usize = 200;
/// Rows in one answer.
const LIST_MAX: u32 = 1_000;

fn checked_name(name: &str) -> Answer<&str> {
    let fits = !name.is_empty() && name.len() <= NAME_MAX && !name.chars().any(char::is_control);
    if !fits || name.trim() != name {
        return Err(ServiceError::BadRequest {
            detail: "A name has 1 to 200 bytes, no control characters and no space at its ends. Choose another.",
            limit: None,
        });
    }
    Ok(name)
}

const fn taken(detail: &'static str) -> ServiceError {
    ServiceError::BadRequest { detail, limit: None }
}

impl Service {
    /// Writes down an act of the operator in the transaction that carries it out. `subject` is an id, never a name.
    async fn audit(&self, tx: &mut Tx, org: OrgId, action: &str, subject: String) -> Answer<()> {
        let act = audit::AuditRow {
            at: self.shared.now(),
            actor: audit::OPERATOR.to_owned(),
            action: action.to_owned(),
            session_id: None,
            subject: Some(subject),
        };
        audit::insert(&mut tx.on(), org, &random_id()?, &act).await?;
        Ok(())
    }
}

fn random_id() -> Answer<[u8; 16]> {
    random()
}

async fn find_org(tx: &mut Tx, name: &str) -> Answer<OrgId> {
    let org = orgs::org_by_name(&mut tx.on(), name).await?;
    org.map(|org| org.org_id).ok_or(ServiceError::NotFound)
}

async fn find_user(tx: &mut Tx, org: OrgId, name: &str) -> Answer<orgs::UserRow> {
    orgs::user_by_name(&mut tx.on(), org, name)
        .await?
        .ok_or(ServiceError::NotFound)
}
