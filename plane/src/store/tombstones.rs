//! What is left of a purged session: that its id is taken, and who held its last link.

use sqlx::FromRow;
use wire::ids::{OrgId, SessionId, UserId};
use wire::problem::EndCause;
use wire::timestamp::Timestamp;

use super::codec::{cause, cause_word, hash, id, small};
use super::engine::{maybe, run};
use super::{On, StoreError};

const INSERT: &str = "INSERT INTO tombstones (session_id, org_id, owner_user, epoch, full_verifier, view_verifier, \
     at, cause, until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING";
const FIND: &str = "SELECT org_id, owner_user, epoch, full_verifier, view_verifier, at, cause FROM tombstones \
     WHERE session_id = $1";
const DROP: &str = "DELETE FROM tombstones WHERE until <= $1";

/// A purged session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tombstone {
    pub(crate) session_id: SessionId,
    pub(crate) org_id: OrgId,
    pub(crate) owner_user: UserId,
    /// The last epoch.
    pub(crate) epoch: u32,
    pub(crate) full_verifier: [u8; 32],
    pub(crate) view_verifier: [u8; 32],
    pub(crate) at: Timestamp,
    pub(crate) cause: EndCause,
}

#[derive(FromRow)]
struct Raw {
    org_id: Vec<u8>,
    owner_user: Vec<u8>,
    epoch: i64,
    full_verifier: Vec<u8>,
    view_verifier: Vec<u8>,
    at: i64,
    cause: String,
}

/// Sets a tombstone that stays until a time.
pub(crate) async fn insert(on: &mut On<'_>, stone: &Tombstone, until: Timestamp) -> Result<(), StoreError> {
    run!(
        on,
        INSERT,
        &stone.session_id.as_bytes()[..],
        &stone.org_id.as_bytes()[..],
        &stone.owner_user.as_bytes()[..],
        i64::from(stone.epoch),
        &stone.full_verifier[..],
        &stone.view_verifier[..],
        stone.at.millis(),
        cause_word(stone.cause),
        until.millis(),
    )?;
    Ok(())
}

/// The tombstone of a session.
pub(crate) async fn find(on: &mut On<'_>, session: SessionId) -> Result<Option<Tombstone>, StoreError> {
    maybe!(Raw, on, FIND, &session.as_bytes()[..])?
        .map(|raw| {
            Ok(Tombstone {
                session_id: session,
                org_id: id(&raw.org_id, OrgId::from_bytes)?,
                owner_user: id(&raw.owner_user, UserId::from_bytes)?,
                epoch: small(raw.epoch)?,
                full_verifier: hash(&raw.full_verifier)?,
                view_verifier: hash(&raw.view_verifier)?,
                at: Timestamp::from_millis(raw.at),
                cause: cause(&raw.cause)?,
            })
        })
        .transpose()
}

/// Drops tombstones whose time is up.
pub(crate) async fn drop_due(on: &mut On<'_>, now: Timestamp) -> Result<u64, StoreError> {
    Ok(run!(on, DROP, now.millis())?)
}
