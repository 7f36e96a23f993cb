//! The operator's yes or no to a machine that asks to be connected.

use serde::Serialize;
use wire::ids::{MachineTokenId, OrgId};
use wire::timestamp::Timestamp;

use super::tokens::granted;
use super::{find_org, random_id, taken};
use crate::connect::UserCode;
use crate::service::open::millis;
use crate::service::{Answer, Scope, Service, ServiceError};
use crate::store::connects::{ConnectRow, Grant};
use crate::store::{Tx, audit, connects, orgs};

const NO_SUCH_CODE: &str = "No machine waits under that code. Type it as the machine shows it; after ten minutes a code \
     counts no more, and the machine has to ask again.";
const ANSWERED: &str = "That machine was answered already. If it should be answered otherwise, let it ask again; a token \
     that it got ends with `devpilot-plane admin token revoke ID`.";
const NOBODY: &str = "There is no member whose machine it could be. Make one first: `devpilot-plane admin org create ORG`, then \
     `devpilot-plane admin member create --org ORG --name NAME`.";
const SEVERAL: &str = "There are several members. Say whose machine it is with --org ORG --member NAME; `devpilot-plane admin \
     org list` and `devpilot-plane admin member list --org ORG` show them.";

/// A machine that asks to be connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConnectRequest {
    /// What it calls itself: its own word, proof of nothing.
    pub machine_name: Option<String>,
    /// Where it asks from, as far as proxies that are trusted tell.
    pub address: Option<String>,
    /// Since when.
    pub since: Timestamp,
    /// Until when it may be approved and fetch its token.
    pub expires_at: Timestamp,
}

/// What an approval would give, to whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Which machine.
    pub machine: ConnectRequest,
    /// The org that it would belong to.
    pub org: String,
    /// The member whose it would be.
    pub member: String,
    /// What the token would do.
    pub scopes: Vec<Scope>,
}

/// A machine that was approved. Its token is made when it comes for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Approved {
    /// Which.
    #[serde(flatten)]
    pub machine: ConnectRequest,
    /// Names its token: to revoke it.
    pub token_id: MachineTokenId,
    /// The org that it belongs to.
    pub org: String,
    /// The member whose it is.
    pub member: String,
    /// What the token may do.
    pub scopes: Vec<String>,
}

impl From<&ConnectRow> for ConnectRequest {
    fn from(row: &ConnectRow) -> Self {
        Self {
            machine_name: row.machine_name.clone(),
            address: row.address.clone(),
            since: row.created_at,
            expires_at: row.standing.expires_at,
        }
    }
}

impl Service {
    /// What [`Service::admin_approve`] would do with the same arguments: for the operator, before the yes. Approve with the org
    /// and the member that it names, so that nobody else is meant meanwhile.
    ///
    /// # Errors
    /// `BadRequest`: no machine waits under that code, it was answered, no member or several fit, or the scopes do not;
    /// `NotFound`: no such org; `RateLimited`: too many wrong codes.
    pub async fn admin_approval(
        &self,
        code: &str,
        org: Option<&str>,
        member: Option<&str>,
        scopes: &[Scope],
    ) -> Answer<Approval> {
        let (mut tx, row) = self.request_of(code).await?;
        if !row.standing.may_be_approved() {
            return Err(taken(ANSWERED));
        }
        let (org, user) = one_member(&mut tx, org, member).await?;
        granted(scopes, &user)?;
        Ok(Approval {
            machine: (&row).into(),
            org: org.name,
            member: user.name,
            scopes: scopes.to_vec(),
        })
    }

    /// Approves a machine as a member's; the only one there is, if none is named.
    ///
    /// # Errors
    /// As [`Service::admin_approval`].
    pub async fn admin_approve(
        &self,
        code: &str,
        org: Option<&str>,
        member: Option<&str>,
        scopes: &[Scope],
    ) -> Answer<Approved> {
        let (mut tx, row) = self.request_of(code).await?;
        if !row.standing.may_be_approved() {
            return Err(taken(ANSWERED));
        }
        let (org, user) = one_member(&mut tx, org, member).await?;
        let grant = Grant {
            user_id: user.user_id,
            token_id: MachineTokenId::from_bytes(random_id()?),
            scopes: granted(scopes, &user)?,
        };
        connects::approve(&mut tx.on(), &row.device_hash, self.shared.now(), &grant).await?;
        let subject = grant.token_id.to_string();
        self.audit(&mut tx, org.org_id, "machine.approve", subject)
            .await?;
        tx.commit().await?;
        Ok(Approved {
            machine: (&row).into(),
            token_id: grant.token_id,
            org: org.name,
            member: user.name,
            scopes: grant.scopes.split(',').map(str::to_owned).collect(),
        })
    }

    /// Refuses a machine, also one that was approved and has not come for its token. Written down in the org named,
    /// that of the approval, or the only one; a machine that is nobody's yet is in no org's audit.
    ///
    /// # Errors
    /// `BadRequest`: no machine waits under that code, or it has its token; `NotFound`: no such org; `RateLimited`: too many
    /// wrong codes.
    pub async fn admin_deny(&self, code: &str, org: Option<&str>) -> Answer<ConnectRequest> {
        let (mut tx, row) = self.request_of(code).await?;
        if !row.standing.may_be_denied() {
            return Err(taken(ANSWERED));
        }
        let org = self.org_of_denial(&mut tx, org, row.grant.as_ref()).await?;
        connects::deny(&mut tx.on(), &row.device_hash, self.shared.now()).await?;
        if let Some(org) = org {
            let subject = match &row.grant {
                Some(grant) => grant.token_id.to_string(),
                None => "before an approval".to_owned(),
            };
            self.audit(&mut tx, org, "machine.deny", subject).await?;
        }
        tx.commit().await?;
        Ok((&row).into())
    }

    async fn org_of_denial(
        &self,
        tx: &mut Tx,
        named: Option<&str>,
        grant: Option<&Grant>,
    ) -> Answer<Option<OrgId>> {
        if let Some(name) = named {
            return find_org(tx, name).await.map(Some);
        }
        if let Some(grant) = grant {
            let member = orgs::member(&mut tx.on(), grant.user_id).await?;
            return Ok(member.map(|member| member.org_id));
        }
        Ok(match orgs::orgs(&mut tx.on()).await?.as_slice() {
            [only] => Some(only.org_id),
            _ => None,
        })
    }

    /// The request of a code, locked. Wrong codes are counted, for as long as a code lives: whoever may only
    /// approve can't try codes until one fits.
    async fn request_of(&self, code: &str) -> Answer<(Tx, ConnectRow)> {
        let code = UserCode::parse(code).ok_or(taken(NO_SUCH_CODE))?;
        let now = self.shared.now();
        let window = millis(self.shared.limits.connect_life_s);
        let mut tx = self.shared.store.begin_write().await?;
        let mut tries = connects::lock_tries(&mut tx.on(), audit::OPERATOR, now).await?;
        let lapses_at = tries.since.plus_millis(window);
        if tries.wrong == 0 || now >= lapses_at {
            tries = connects::Tries { wrong: 0, since: now };
        }
        if tries.wrong >= self.shared.limits.connect_tries {
            let left = lapses_at.millis().saturating_sub(now.millis());
            return Err(ServiceError::RateLimited {
                limit: "connect_tries",
                retry_after_s: u64::try_from(left).unwrap_or(0).div_ceil(1_000),
            });
        }
        let found = connects::lock_by_user_code(&mut tx.on(), &code.hash()).await?;
        if let Some(row) = found.filter(|row| now < row.standing.expires_at) {
            return Ok((tx, row));
        }
        tries.wrong += 1;
        connects::set_tries(&mut tx.on(), audit::OPERATOR, tries).await?;
        tx.commit().await?;
        Err(taken(NO_SUCH_CODE))
    }
}

/// The one member that fits.
async fn one_member(
    tx: &mut Tx,
    org: Option<&str>,
    member: Option<&str>,
) -> Answer<(orgs::OrgRow, orgs::UserRow)> {
    let all = orgs::orgs(&mut tx.on()).await?;
    if org.is_some_and(|name| all.iter().all(|row| row.name != name)) {
        return Err(ServiceError::NotFound);
    }
    let mut found = None;
    for row in all
        .into_iter()
        .filter(|row| org.is_none_or(|name| row.name == name))
    {
        for user in orgs::users(&mut tx.on(), row.org_id).await? {
            let fits = match member {
                Some(name) => user.name == name,
                None => user.disabled_at.is_none(),
            };
            if fits && found.replace((row.clone(), user)).is_some() {
                return Err(taken(SEVERAL));
            }
        }
    }
    found.ok_or_else(|| taken(NOBODY))
}
