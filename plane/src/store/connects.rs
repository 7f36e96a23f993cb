//! Machines that ask to be connected, by the SHA-256 of either code, and the wrong codes of approvers.

use sqlx::FromRow;
use wire::ids::{MachineTokenId, UserId};
use wire::timestamp::Timestamp;

use super::codec::{count, hash, maybe_id, stored};
use super::engine::{maybe, one, run};
use super::{On, StoreError};
use crate::connect::Standing;

macro_rules! columns {
    () => {
        "device_hash, machine_name, address, created_at, expires_at, polled_at, approved_at, denied_at, spent_at, user_id, \
         token_id, scopes"
    };
}

const INSERT: &str = "INSERT INTO connect_requests (device_hash, user_code_hash, machine_name, address, created_at, \
     expires_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
const WAITING: &str = concat!(
    "SELECT COUNT(*) FROM connect_requests ",
    "WHERE expires_at > $1 AND approved_at IS NULL AND denied_at IS NULL"
);
const FIND: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM connect_requests WHERE device_hash = $1"
);
const LOCK: &str = concat!(
    "UPDATE connect_requests SET polled_at = polled_at WHERE device_hash = $1 RETURNING ",
    columns!()
);
const LOCK_BY_USER_CODE: &str = concat!(
    "UPDATE connect_requests SET polled_at = polled_at WHERE user_code_hash = $1 RETURNING ",
    columns!()
);
const POLLED: &str = "UPDATE connect_requests SET polled_at = $2 WHERE device_hash = $1";
const APPROVE: &str = "UPDATE connect_requests SET approved_at = $2, user_id = $3, token_id = $4, scopes = $5 \
     WHERE device_hash = $1";
const DENY: &str = "UPDATE connect_requests SET denied_at = $2 WHERE device_hash = $1";
const SPEND: &str = "UPDATE connect_requests SET spent_at = $2 WHERE device_hash = $1";
const DROP: &str = "DELETE FROM connect_requests WHERE expires_at <= $1";
const LOCK_TRIES: &str = "INSERT INTO connect_tries (approver, wrong, since) VALUES ($1, 0, $2) \
     ON CONFLICT (approver) DO UPDATE SET wrong = connect_tries.wrong RETURNING wrong, since";
const SET_TRIES: &str = "UPDATE connect_tries SET wrong = $2, since = $3 WHERE approver = $1";

/// A machine that asks to be connected.
#[derive(Debug, Clone)]
pub(crate) struct ConnectRow {
    pub(crate) device_hash: [u8; 32],
    pub(crate) machine_name: Option<String>,
    pub(crate) address: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) standing: Standing,
    pub(crate) grant: Option<Grant>,
}

/// What an approval gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grant {
    /// Whose machine it is.
    pub(crate) user_id: UserId,
    /// What the token will be named by.
    pub(crate) token_id: MachineTokenId,
    /// What it may do.
    pub(crate) scopes: String,
}

/// A request to be stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewConnect<'a> {
    pub(crate) device_hash: [u8; 32],
    pub(crate) user_code_hash: [u8; 32],
    pub(crate) machine_name: Option<&'a str>,
    pub(crate) address: &'a str,
    pub(crate) at: Timestamp,
    pub(crate) expires_at: Timestamp,
}

/// The wrong codes of one approver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tries {
    pub(crate) wrong: u64,
    /// When the first of them came.
    pub(crate) since: Timestamp,
}

#[derive(FromRow)]
struct Raw {
    device_hash: Vec<u8>,
    machine_name: Option<String>,
    address: Option<String>,
    created_at: i64,
    expires_at: i64,
    polled_at: Option<i64>,
    approved_at: Option<i64>,
    denied_at: Option<i64>,
    spent_at: Option<i64>,
    user_id: Option<Vec<u8>>,
    token_id: Option<Vec<u8>>,
    scopes: Option<String>,
}

impl TryFrom<Raw> for ConnectRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        let user = maybe_id(raw.user_id.as_deref(), UserId::from_bytes)?;
        let token = maybe_id(raw.token_id.as_deref(), MachineTokenId::from_bytes)?;
        let grant = match (user, token, raw.scopes) {
            (Some(user_id), Some(token_id), Some(scopes)) => Some(Grant {
                user_id,
                token_id,
                scopes,
            }),
            _ => None,
        };
        Ok(Self {
            device_hash: hash(&raw.device_hash)?,
            machine_name: raw.machine_name,
            address: raw.address,
            created_at: Timestamp::from_millis(raw.created_at),
            standing: Standing {
                expires_at: Timestamp::from_millis(raw.expires_at),
                polled_at: raw.polled_at.map(Timestamp::from_millis),
                approved: raw.approved_at.is_some(),
                denied: raw.denied_at.is_some(),
                spent: raw.spent_at.is_some(),
            },
            grant,
        })
    }
}

/// Stores a request; false: one of its codes is taken.
pub(crate) async fn insert(on: &mut On<'_>, new: &NewConnect<'_>) -> Result<bool, StoreError> {
    let inserted = run!(
        on,
        INSERT,
        &new.device_hash[..],
        &new.user_code_hash[..],
        new.machine_name,
        new.address,
        new.at.millis(),
        new.expires_at.millis(),
    )?;
    Ok(inserted == 1)
}

/// How many requests wait for a decision: neither approved nor denied, and their time is not up.
pub(crate) async fn count_waiting(on: &mut On<'_>, now: Timestamp) -> Result<u64, StoreError> {
    let (waiting,) = one!((i64,), on, WAITING, now.millis())?;
    count(waiting)
}

/// The request of a device code.
pub(crate) async fn find(on: &mut On<'_>, device_hash: &[u8; 32]) -> Result<Option<ConnectRow>, StoreError> {
    maybe!(Raw, on, FIND, &device_hash[..])?
        .map(ConnectRow::try_from)
        .transpose()
}

/// As [`find`], and nobody else changes it before this transaction ends.
pub(crate) async fn lock(on: &mut On<'_>, device_hash: &[u8; 32]) -> Result<Option<ConnectRow>, StoreError> {
    maybe!(Raw, on, LOCK, &device_hash[..])?
        .map(ConnectRow::try_from)
        .transpose()
}

/// As [`lock`], by the code that people type.
pub(crate) async fn lock_by_user_code(
    on: &mut On<'_>,
    user_code_hash: &[u8; 32],
) -> Result<Option<ConnectRow>, StoreError> {
    maybe!(Raw, on, LOCK_BY_USER_CODE, &user_code_hash[..])?
        .map(ConnectRow::try_from)
        .transpose()
}

/// The machine asked for its token.
pub(crate) async fn polled(on: &mut On<'_>, device_hash: &[u8; 32], at: Timestamp) -> Result<(), StoreError> {
    run!(on, POLLED, &device_hash[..], at.millis())?;
    Ok(())
}

/// Somebody said yes.
pub(crate) async fn approve(
    on: &mut On<'_>,
    device_hash: &[u8; 32],
    at: Timestamp,
    grant: &Grant,
) -> Result<(), StoreError> {
    run!(
        on,
        APPROVE,
        &device_hash[..],
        at.millis(),
        &grant.user_id.as_bytes()[..],
        &grant.token_id.as_bytes()[..],
        grant.scopes.as_str(),
    )?;
    Ok(())
}

/// Somebody said no.
pub(crate) async fn deny(on: &mut On<'_>, device_hash: &[u8; 32], at: Timestamp) -> Result<(), StoreError> {
    run!(on, DENY, &device_hash[..], at.millis())?;
    Ok(())
}

/// The token is handed out.
pub(crate) async fn spend(on: &mut On<'_>, device_hash: &[u8; 32], at: Timestamp) -> Result<(), StoreError> {
    run!(on, SPEND, &device_hash[..], at.millis())?;
    Ok(())
}

/// Drops requests whose time is up.
pub(crate) async fn drop_due(on: &mut On<'_>, now: Timestamp) -> Result<u64, StoreError> {
    Ok(run!(on, DROP, now.millis())?)
}

/// An approver's wrong codes; nobody else changes them before this transaction ends.
pub(crate) async fn lock_tries(on: &mut On<'_>, approver: &str, now: Timestamp) -> Result<Tries, StoreError> {
    let (wrong, since) = one!((i64, i64), on, LOCK_TRIES, approver, now.millis())?;
    Ok(Tries {
        wrong: count(wrong)?,
        since: Timestamp::from_millis(since),
    })
}

/// Stores an approver's wrong codes.
pub(crate) async fn set_tries(on: &mut On<'_>, approver: &str, tries: Tries) -> Result<(), StoreError> {
    run!(on, SET_TRIES, approver, stored(tries.wrong), tries.since.millis())?;
    Ok(())
}
