//! Organisations, their policies and their members.

use sqlx::FromRow;
use wire::api::DoorState;
use wire::ids::{OrgId, UserId};
use wire::timestamp::Timestamp;

use super::codec::{id, small};
use super::engine::{all, maybe, run};
use super::session::door_state;
use super::{On, StoreError};

const INSERT_ORG: &str =
    "INSERT INTO orgs (org_id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
const ORGS: &str = "SELECT org_id, name, created_at FROM orgs ORDER BY created_at, name";
const ORG_BY_NAME: &str = "SELECT org_id, name, created_at FROM orgs WHERE name = $1";
const POLICY: &str = "SELECT max_budget, max_ttl_s, retention_s, max_sessions, view_links_refused_at, default_door \
     FROM orgs WHERE org_id = $1";
const INSERT_USER: &str = "INSERT INTO users (user_id, org_id, name, role, created_at) \
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
const USERS: &str = "SELECT user_id, name, role, created_at, disabled_at FROM users WHERE org_id = $1 \
     ORDER BY created_at, name";
const USER_BY_NAME: &str =
    "SELECT user_id, name, role, created_at, disabled_at FROM users WHERE org_id = $1 AND name = $2";
const MEMBER: &str = "SELECT u.org_id, o.name AS org, u.name, u.disabled_at FROM users u \
     JOIN orgs o ON o.org_id = u.org_id WHERE u.user_id = $1";
const DISABLE_USER: &str = "UPDATE users SET disabled_at = $3 WHERE org_id = $1 AND user_id = $2";

/// An organisation.
#[derive(Debug, Clone)]
pub(crate) struct OrgRow {
    pub(crate) org_id: OrgId,
    pub(crate) name: String,
    pub(crate) created_at: Timestamp,
}

/// What an organisation set otherwise than the plane.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Policy {
    pub(crate) max_budget: Option<u32>,
    pub(crate) max_ttl_s: Option<u32>,
    pub(crate) retention_s: Option<u32>,
    pub(crate) max_sessions: Option<u32>,
    pub(crate) view_links_refused: bool,
    pub(crate) default_door: Option<DoorState>,
}

/// A member, by role word.
#[derive(Debug, Clone)]
pub(crate) struct UserRow {
    pub(crate) user_id: UserId,
    pub(crate) name: String,
    pub(crate) role: String,
    pub(crate) created_at: Timestamp,
    pub(crate) disabled_at: Option<Timestamp>,
}

#[derive(FromRow)]
struct RawUser {
    user_id: Vec<u8>,
    name: String,
    role: String,
    created_at: i64,
    disabled_at: Option<i64>,
}

impl TryFrom<RawUser> for UserRow {
    type Error = StoreError;

    fn try_from(raw: RawUser) -> Result<Self, StoreError> {
        Ok(Self {
            user_id: id(&raw.user_id, UserId::from_bytes)?,
            name: raw.name,
            role: raw.role,
            created_at: Timestamp::from_millis(raw.created_at),
            disabled_at: raw.disabled_at.map(Timestamp::from_millis),
        })
    }
}

type RawOrg = (Vec<u8>, String, i64);

fn org((org, name, at): RawOrg) -> Result<OrgRow, StoreError> {
    Ok(OrgRow {
        org_id: id(&org, OrgId::from_bytes)?,
        name,
        created_at: Timestamp::from_millis(at),
    })
}

/// Adds an organisation; false: the name is taken.
pub(crate) async fn insert_org(on: &mut On<'_>, row: &OrgRow) -> Result<bool, StoreError> {
    let inserted = run!(
        on,
        INSERT_ORG,
        &row.org_id.as_bytes()[..],
        row.name.as_str(),
        row.created_at.millis(),
    )?;
    Ok(inserted == 1)
}

/// All organisations.
pub(crate) async fn orgs(on: &mut On<'_>) -> Result<Vec<OrgRow>, StoreError> {
    all!(RawOrg, on, ORGS)?.into_iter().map(org).collect()
}

/// The organisation of a name.
pub(crate) async fn org_by_name(on: &mut On<'_>, name: &str) -> Result<Option<OrgRow>, StoreError> {
    maybe!(RawOrg, on, ORG_BY_NAME, name)?.map(org).transpose()
}

/// What an organisation set; of an unknown one, nothing.
pub(crate) async fn policy(on: &mut On<'_>, org: OrgId) -> Result<Policy, StoreError> {
    type Raw = (
        Option<i64>,
        Option<i64>,
        Option<i64>,
        Option<i64>,
        Option<i64>,
        Option<String>,
    );
    let Some((budget, ttl, retention, sessions, view_refused, door)) =
        maybe!(Raw, on, POLICY, &org.as_bytes()[..])?
    else {
        return Ok(Policy::default());
    };
    Ok(Policy {
        max_budget: budget.map(small).transpose()?,
        max_ttl_s: ttl.map(small).transpose()?,
        retention_s: retention.map(small).transpose()?,
        max_sessions: sessions.map(small).transpose()?,
        view_links_refused: view_refused.is_some(),
        default_door: door.as_deref().map(door_state).transpose()?,
    })
}

/// Adds a member; false: the name is taken in that org.
pub(crate) async fn insert_user(on: &mut On<'_>, org: OrgId, user: &UserRow) -> Result<bool, StoreError> {
    let inserted = run!(
        on,
        INSERT_USER,
        &user.user_id.as_bytes()[..],
        &org.as_bytes()[..],
        user.name.as_str(),
        user.role.as_str(),
        user.created_at.millis(),
    )?;
    Ok(inserted == 1)
}

/// The members of an organisation.
pub(crate) async fn users(on: &mut On<'_>, org: OrgId) -> Result<Vec<UserRow>, StoreError> {
    all!(RawUser, on, USERS, &org.as_bytes()[..])?
        .into_iter()
        .map(UserRow::try_from)
        .collect()
}

/// The member of a name.
pub(crate) async fn user_by_name(
    on: &mut On<'_>,
    org: OrgId,
    name: &str,
) -> Result<Option<UserRow>, StoreError> {
    maybe!(RawUser, on, USER_BY_NAME, &org.as_bytes()[..], name)?
        .map(UserRow::try_from)
        .transpose()
}

/// A member with the names that it is known by.
#[derive(Debug, Clone)]
pub(crate) struct MemberRow {
    pub(crate) org_id: OrgId,
    pub(crate) org: String,
    pub(crate) name: String,
    pub(crate) is_disabled: bool,
}

/// The member of an id.
pub(crate) async fn member(on: &mut On<'_>, user: UserId) -> Result<Option<MemberRow>, StoreError> {
    maybe!(
        (Vec<u8>, String, String, Option<i64>),
        on,
        MEMBER,
        &user.as_bytes()[..]
    )?
    .map(|(org_id, org, name, disabled_at)| {
        Ok(MemberRow {
            org_id: id(&org_id, OrgId::from_bytes)?,
            org,
            name,
            is_disabled: disabled_at.is_some(),
        })
    })
    .transpose()
}

/// Ends a member's access, or gives it back.
pub(crate) async fn disable_user(
    on: &mut On<'_>,
    org: OrgId,
    user: UserId,
    at: Option<Timestamp>,
) -> Result<(), StoreError> {
    run!(
        on,
        DISABLE_USER,
        &org.as_bytes()[..],
        &user.as_bytes()[..],
        at.map(Timestamp::millis)
    )?;
    Ok(())
}
