//! Machine tokens.

use serde::Serialize;
use wire::api::TokenText;
use wire::ids::MachineTokenId;
use wire::timestamp::Timestamp;
use wire::token::TokenKind;
use wire::transcript::sha256;

use super::{checked_name, find_org, find_user, random_id, taken};
use crate::service::random::random;
use crate::service::{Answer, Role, Scope, Service, ServiceError};
use crate::store::{machines, orgs};

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

/// The stored form of scopes that a member may have.
///
/// # Errors
/// `BadRequest`: no scope, scope `admin` for one who is no admin, or a disabled member.
pub(super) fn granted(scopes: &[Scope], user: &orgs::UserRow) -> Answer<String> {
    let mut words: Vec<&str> = scopes.iter().map(|scope| scope.word()).collect();
    words.sort_unstable();
    words.dedup();
    if words.is_empty() {
        return Err(taken("Name at least one scope: share, rekey or admin."));
    }
    if user.disabled_at.is_some() {
        return Err(taken("That member is disabled. Enable it first."));
    }
    if scopes.contains(&Scope::Admin) && user.role != Role::Admin.word() {
        return Err(taken("Scope admin is for members whose role is admin."));
    }
    Ok(words.join(","))
}

impl Service {
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
        let bytes = random()?;
        let mut tx = self.shared.store().begin_write().await?;
        let org = find_org(&mut tx, org).await?;
        let user = find_user(&mut tx, org, member).await?;
        let scopes = granted(scopes, &user)?;
        let token_id = MachineTokenId::from_bytes(random_id()?);
        let token = machines::NewMachineToken {
            hash: sha256(&bytes),
            token_id,
            org_id: org,
            user_id: user.user_id,
            name,
            scopes: &scopes,
            at: self.shared.now(),
        };
        machines::insert_token(&mut tx.on(), &token).await?;
        self.audit(&mut tx, org, "token.create", token_id.to_string())
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
        let rows = machines::tokens(&mut tx.on(), org).await?;
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
        let org = machines::revoke_token(&mut tx.on(), token, self.shared.now())
            .await?
            .ok_or(ServiceError::NotFound)?;
        self.audit(&mut tx, org, "token.revoke", token.to_string())
            .await?;
        tx.commit().await?;
        Ok(())
    }
}
