//! Epoch records, kept as long as the session.

use wire::ids::SessionId;
use wire::timestamp::Timestamp;

use super::codec::{count, small, stored};
use super::engine::{all, maybe, one, run};
use super::{On, StoreError};

const INSERT: &str =
    "INSERT INTO epoch_records (session_id, epoch, seq, at, record) VALUES ($1, $2, $3, $4, $5)";
const FIND: &str = "SELECT seq, record FROM epoch_records WHERE session_id = $1 AND epoch = $2";
const AFTER: &str =
    "SELECT epoch, record FROM epoch_records WHERE session_id = $1 AND epoch > $2 ORDER BY epoch";
const IN_FORCE: &str = "SELECT record FROM epoch_records WHERE session_id = $1 AND seq <= $2 \
     ORDER BY epoch DESC LIMIT 1";
const SINCE: &str = "SELECT COUNT(*) FROM epoch_records WHERE session_id = $1 AND epoch > 1 AND at > $2";

/// Keeps an epoch's record.
pub(crate) async fn insert(
    on: &mut On<'_>,
    session: SessionId,
    epoch: u32,
    seq: u64,
    at: Timestamp,
    record: &[u8],
) -> Result<(), StoreError> {
    run!(
        on,
        INSERT,
        &session.as_bytes()[..],
        i64::from(epoch),
        stored(seq),
        at.millis(),
        record,
    )?;
    Ok(())
}

/// The record of an epoch, with its seq.
pub(crate) async fn find(
    on: &mut On<'_>,
    session: SessionId,
    epoch: u32,
) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
    let found = maybe!(
        (i64, Vec<u8>),
        on,
        FIND,
        &session.as_bytes()[..],
        i64::from(epoch)
    )?;
    found.map(|(seq, record)| Ok((count(seq)?, record))).transpose()
}

/// The records of all epochs after one, ascending.
pub(crate) async fn after(
    on: &mut On<'_>,
    session: SessionId,
    epoch: u32,
) -> Result<Vec<(u32, Vec<u8>)>, StoreError> {
    all!(
        (i64, Vec<u8>),
        on,
        AFTER,
        &session.as_bytes()[..],
        i64::from(epoch)
    )?
    .into_iter()
    .map(|(epoch, record)| Ok((small(epoch)?, record)))
    .collect()
}

/// How often the session was re-keyed after a time.
pub(crate) async fn rekeys_since(
    on: &mut On<'_>,
    session: SessionId,
    time: Timestamp,
) -> Result<u64, StoreError> {
    let (found,) = one!((i64,), on, SINCE, &session.as_bytes()[..], time.millis())?;
    count(found)
}

/// The record in force at a seq.
pub(crate) async fn in_force(on: &mut On<'_>, session: SessionId, seq: u64) -> Result<Vec<u8>, StoreError> {
    let found = maybe!((Vec<u8>,), on, IN_FORCE, &session.as_bytes()[..], stored(seq))?;
    found
        .map(|(record,)| record)
        .ok_or(StoreError::Corrupt("epoch record"))
}
