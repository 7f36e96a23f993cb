//! What the operator does from the command line: organisations, members, machine tokens, audit, sessions.
//!
//! Whoever can start the plane's binary on its database is the operator; there is no credential to check. Each
//! act leaves an audit entry.

use serde::Serialize;
use wire::api::TokenText;
use wire::event::ModeName;
use wire::ids::{MachineTokenId, OrgId, ParticipantId, SessionId, UserId};
use wire::problem::EndCause;
use wire::timestamp::Timestamp;
use wire::token::TokenKind;
use wire::transcript::sha256;

use super::random::random;
use super::{Answer, Role, Scope, Service, ServiceError};
use crate::store::{Tx, orgs};

/// Who acted, where the operator did.
const OPERATOR: &str = "operator";
/// The longest name of an org, a member or a token, in bytes.
const NAME_MAX: usize = 200;
/// Rows in one answer.
const LIST_MAX: u32 = 1_000;

/// An organisation.
#[derive(Debug, Clone, Serialize)]
pub struct Org {
    /// Its id.
    pub org_id: OrgId,
    /// Its name, unique on this plane.
    pub name: String,
    /// Since when.
    pub created_at: Timestamp,
}

/// A member of an organisation.
#[derive(Debug, Clone, Serialize)]
pub struct Member {
    /// Its id.
    pub user_id: UserId,
    /// Its name, unique in the org.
    pub name: String,
    /// `member` or `admin`.
    pub role: String,
    /// Since when.
    pub created_at: Timestamp,
    /// Since when it may do nothing.
    pub disabled_at: Option<Timestamp>,
}

/// A new machine token; the only time that its text is seen.
#[derive(Debug, Clone, Serialize)]
pub struct NewMachineToken {
    /// Names it from now on.
    pub token_id: MachineTokenId,
    /// The secret, `dpm_…`.
    pub token: TokenText,
}

/// A machine token without its text.
#[derive(Debug, Clone, Serialize)]
pub struct MachineToken {
    /// Names it.
    pub token_id: MachineTokenId,
    /// Whose.
    pub member: String,
    /// What its owner calls it.
    pub name: Option<String>,
    /// What it may do.
    pub scopes: Vec<String>,
    /// Since when.
    pub created_at: Timestamp,
    /// Since when it counts no more.
    pub revoked_at: Option<Timestamp>,
}

/// One admin act.
#[derive(Debug, Clone, Serialize)]
pub struct AuditEntry {
    /// When.
    pub at: Timestamp,
    /// Who: `operator`, or a user's id.
    pub actor: String,
    /// What, in dotted words.
    pub action: String,
    /// Of which session.
    pub session_id: Option<SessionId>,
    /// Of whom or what.
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

fn shown_member(user: orgs::UserRow) -> Member {
    Member {
        user_id: user.user_id,
        name: user.name,
        role: user.role,
        created_at: user.created_at,
        disabled_at: user.disabled_at,
    }
}

impl Service {
    /// Creates an organisation.
    ///
    /// # Errors
    /// `BadRequest`: the name does not fit or is taken.
    pub async fn admin_create_org(&self, name: &str) -> Answer<Org> {
        let row = orgs::OrgRow {
            org_id: OrgId::from_bytes(random_id()?),
            name: checked_name(name)?.to_owned(),
            created_at: self.shared.now(),
        };
        let mut tx = self.shared.store().begin_write().await?;
        if !orgs::insert_org(&mut tx.on(), &row).await? {
            return Err(taken("An organisation of that name exists. Choose another name."));
        }
        self.audit(&mut tx, row.org_id, "org.create", None, Some(name))
            .await?;
        tx.commit().await?;
        Ok(Org {
            org_id: row.org_id,
            name: row.name,
            created_at: row.created_at,
        })
    }

    /// All organisations, oldest first.
    ///
    /// # Errors
    /// The store failed.
    pub async fn admin_orgs(&self) -> Answer<Vec<Org>> {
        let mut conn = self.shared.store().reader().await?;
        let rows = orgs::orgs(&mut conn.on()).await?;
        Ok(rows
            .into_iter()
            .map(|row| Org {
                org_id: row.org_id,
                name: row.name,
                created_at: row.created_at,
            })
            .collect())
    }

    /// Adds a member to an organisation, named by its name.
    ///
    /// # Errors
    /// `NotFound`: no such org; `BadRequest`: the name does not fit or is taken in it.
    pub async fn admin_create_member(&self, org: &str, name: &str, role: Role) -> Answer<Member> {
        let user = orgs::UserRow {
            user_id: UserId::from_bytes(random_id()?),
            name: checked_name(name)?.to_owned(),
            role: role.word().to_owned(),
            created_at: self.shared.now(),
            disabled_at: None,
        };
        let mut tx = self.shared.store().begin_write().await?;
        let org = find_org(&mut tx, org).await?;
        if !orgs::insert_user(&mut tx.on(), org, &user).await? {
            return Err(taken(
                "A member of that name is in that organisation. Choose another name.",
            ));
        }
        self.audit(&mut tx, org, "member.create", None, Some(name))
            .await?;
        tx.commit().await?;
        Ok(shown_member(user))
    }

    /// The members of an organisation, oldest first.
    ///
    /// # Errors
    /// `NotFound`: no such org.
    pub async fn admin_members(&self, org: &str) -> Answer<Vec<Member>> {
        let mut tx = self.shared.store().begin_read().await?;
        let org = find_org(&mut tx, org).await?;
        let users = orgs::users(&mut tx.on(), org).await?;
        Ok(users.into_iter().map(shown_member).collect())
    }

    /// Ends all access of a member through its machine and console tokens, or gives it back. Session tokens of
    /// participants are the sessions' own and go on.
    ///
    /// # Errors
    /// `NotFound`: no such org or member.
    pub async fn admin_disable_member(&self, org: &str, name: &str, disabled: bool) -> Answer<()> {
        let mut tx = self.shared.store().begin_write().await?;
        let org = find_org(&mut tx, org).await?;
        let user = find_user(&mut tx, org, name).await?;
        orgs::disable_user(
            &mut tx.on(),
            org,
            user.user_id,
            disabled.then(|| self.shared.now()),
        )
        .await?;
        let action = if disabled {
            "member.disable"
        } else {
            "member.enable"
        };
        self.audit(&mut tx, org, action, None, Some(name)).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Makes a machine token for a member. Its text is in the answer and nowhere else.
    ///
    /// # Errors
    /// `NotFound`: no such org or member; `BadRequest`: no scope, scope `admin` for one who is no admin, a disabled
    /// member, or a name that does not fit.
    pub async fn admin_create_token(
        &self,
        org: &str,
        member: &str,
        scopes: &[Scope],
        name: Option<&str>,
    ) -> Answer<NewMachineToken> {
        let name = name.map(checked_name).transpose()?;
        let mut words: Vec<&str> = scopes.iter().map(|scope| scope.word()).collect();
        words.sort_unstable();
        words.dedup();
        if words.is_empty() {
            return Err(taken("Name at least one scope: share, rekey or admin."));
        }
        let bytes = random()?;
        let mut tx = self.shared.store().begin_write().await?;
        let org = find_org(&mut tx, org).await?;
        let user = find_user(&mut tx, org, member).await?;
        if user.disabled_at.is_some() {
            return Err(taken("That member is disabled. Enable it first."));
        }
        if scopes.contains(&Scope::Admin) && user.role != Role::Admin.word() {
            return Err(taken("Scope admin is for members whose role is admin."));
        }
        let token_id = MachineTokenId::from_bytes(random_id()?);
        let scopes = words.join(",");
        let token = orgs::NewMachineToken {
            hash: sha256(&bytes),
            token_id,
            org_id: org,
            user_id: user.user_id,
            name,
            scopes: &scopes,
            at: self.shared.now(),
        };
        orgs::insert_token(&mut tx.on(), &token).await?;
        self.audit(&mut tx, org, "token.create", None, Some(member))
            .await?;
        tx.commit().await?;
        Ok(NewMachineToken {
            token_id,
            token: TokenText(TokenKind::Machine.format(&bytes)),
        })
    }

    /// The machine tokens of an organisation, oldest first, also revoked ones.
    ///
    /// # Errors
    /// `NotFound`: no such org.
    pub async fn admin_tokens(&self, org: &str) -> Answer<Vec<MachineToken>> {
        let mut tx = self.shared.store().begin_read().await?;
        let org = find_org(&mut tx, org).await?;
        let rows = orgs::tokens(&mut tx.on(), org).await?;
        Ok(rows
            .into_iter()
            .map(|row| MachineToken {
                token_id: row.token_id,
                member: row.member,
                name: row.name,
                scopes: row.scopes.split(',').map(str::to_owned).collect(),
                created_at: row.created_at,
                revoked_at: row.revoked_at,
            })
            .collect())
    }

    /// Revokes a machine token.
    ///
    /// # Errors
    /// `NotFound`: there is none of that id that still counts.
    pub async fn admin_revoke_token(&self, token: MachineTokenId) -> Answer<()> {
        let mut tx = self.shared.store().begin_write().await?;
        let org = orgs::revoke_token(&mut tx.on(), token, self.shared.now())
            .await?
            .ok_or(ServiceError::NotFound)?;
        let subject = token.to_string();
        self.audit(&mut tx, org, "token.revoke", None, Some(&subject))
            .await?;
        tx.commit().await?;
        Ok(())
    }

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
        let rows = orgs::audit_before(&mut tx.on(), org, before, limit.min(LIST_MAX)).await?;
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
        let rows = crate::store::session::of_org(&mut tx.on(), org, LIST_MAX).await?;
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

    /// Writes down an act of the operator in the transaction that carries it out.
    async fn audit(
        &self,
        tx: &mut Tx,
        org: OrgId,
        action: &str,
        session: Option<SessionId>,
        subject: Option<&str>,
    ) -> Answer<()> {
        let act = orgs::AuditRow {
            at: self.shared.now(),
            actor: OPERATOR.to_owned(),
            action: action.to_owned(),
            session_id: session,
            subject: subject.map(str::to_owned),
        };
        orgs::audit(&mut tx.on(), org, &random_id()?, &act).await?;
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
