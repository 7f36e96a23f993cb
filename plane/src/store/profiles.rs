//! Sealed profiles: the newest of each participant in each epoch, as long as the session.

use wire::api::SealedProfile;
use wire::encoding::Blob;
use wire::ids::{ParticipantId, SessionId};
use wire::timestamp::Timestamp;

use super::codec::{id, small};
use super::engine::{all, maybe, run};
use super::{On, StoreError};

const SAVE: &str = "INSERT INTO profiles (session_id, participant_id, epoch, at, sealed) \
     VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (session_id, participant_id, epoch) DO UPDATE SET at = excluded.at, sealed = excluded.sealed";
const FIND: &str = "SELECT sealed FROM profiles WHERE session_id = $1 AND participant_id = $2 AND epoch = $3";
const FROM_EPOCH: &str = "SELECT participant_id, epoch, sealed FROM profiles \
     WHERE session_id = $1 AND epoch >= $2 ORDER BY epoch, participant_id";
/// Of ids that authored nothing and are not in, from epochs that ended long ago.
const DROP: &str = "DELETE FROM profiles WHERE session_id = $1 AND epoch < $2 AND at < $3 \
     AND participant_id NOT IN (SELECT author FROM message_ids WHERE session_id = $1) \
     AND participant_id IN (SELECT participant_id FROM participants \
         WHERE session_id = $1 AND (left_at IS NOT NULL OR removed_epoch IS NOT NULL))";

/// Keeps the newest profile of a participant in an epoch.
pub(crate) async fn save(
    on: &mut On<'_>,
    session: SessionId,
    participant: ParticipantId,
    epoch: u32,
    at: Timestamp,
    sealed: &[u8],
) -> Result<(), StoreError> {
    run!(
        on,
        SAVE,
        &session.as_bytes()[..],
        &participant.as_bytes()[..],
        i64::from(epoch),
        at.millis(),
        sealed,
    )?;
    Ok(())
}

/// The newest profile of a participant in an epoch.
pub(crate) async fn find(
    on: &mut On<'_>,
    session: SessionId,
    participant: ParticipantId,
    epoch: u32,
) -> Result<Option<Vec<u8>>, StoreError> {
    let found = maybe!(
        (Vec<u8>,),
        on,
        FIND,
        &session.as_bytes()[..],
        &participant.as_bytes()[..],
        i64::from(epoch)
    )?;
    Ok(found.map(|(sealed,)| sealed))
}

/// The newest profile of everybody in each epoch from one on.
pub(crate) async fn from_epoch(
    on: &mut On<'_>,
    session: SessionId,
    epoch: u32,
) -> Result<Vec<SealedProfile>, StoreError> {
    all!(
        (Vec<u8>, i64, Vec<u8>),
        on,
        FROM_EPOCH,
        &session.as_bytes()[..],
        i64::from(epoch)
    )?
    .into_iter()
    .map(|(participant, epoch, sealed)| {
        Ok(SealedProfile {
            participant_id: id(&participant, ParticipantId::from_bytes)?,
            epoch: small(epoch)?,
            sealed: Blob(sealed),
        })
    })
    .collect()
}

/// Drops profiles of past epochs, stored before a time, of those who authored nothing and are not in.
pub(crate) async fn drop_old(
    on: &mut On<'_>,
    session: SessionId,
    before_epoch: u32,
    before: Timestamp,
) -> Result<u64, StoreError> {
    Ok(run!(
        on,
        DROP,
        &session.as_bytes()[..],
        i64::from(before_epoch),
        before.millis()
    )?)
}
