//! Organisations and their members.

use serde::Serialize;
use wire::ids::{OrgId, UserId};
use wire::timestamp::Timestamp;

use super::{checked_name, find_org, find_user, random_id, taken};
use crate::service::{Answer, Role, Service};
use crate::store::orgs;

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
        self.audit(&mut tx, row.org_id, "org.create", row.org_id.to_string())
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
        self.audit(&mut tx, org, "member.create", user.user_id.to_string())
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
        self.audit(&mut tx, org, action, user.user_id.to_string()).await?;
        tx.commit().await?;
        Ok(())
    }
}
