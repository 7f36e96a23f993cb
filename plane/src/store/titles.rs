//! Sealed titles. They stand apart from the session's row, which moves with every message.

use wire::api::SealedTitle;
use wire::encoding::Blob;
use wire::ids::{ParticipantId, SessionId};

use super::codec::{id, small};
use super::engine::{maybe, run};
use super::{On, StoreError};

const SAVE: &str = "INSERT INTO titles (session_id, participant_id, epoch, sealed) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (session_id) DO UPDATE SET participant_id = excluded.participant_id, epoch = excluded.epoch, \
     sealed = excluded.sealed";
const FIND: &str = "SELECT participant_id, epoch, sealed FROM titles WHERE session_id = $1";

/// Sets a session's title.
pub(crate) async fn save(on: &mut On<'_>, session: SessionId, title: &SealedTitle) -> Result<(), StoreError> {
    run!(
        on,
        SAVE,
        &session.as_bytes()[..],
        &title.participant_id.as_bytes()[..],
        i64::from(title.epoch),
        title.sealed.as_slice(),
    )?;
    Ok(())
}

/// A session's title; each has one from its creation on.
pub(crate) async fn find(on: &mut On<'_>, session: SessionId) -> Result<SealedTitle, StoreError> {
    let (participant, epoch, sealed) = maybe!((Vec<u8>, i64, Vec<u8>), on, FIND, &session.as_bytes()[..])?
        .ok_or(StoreError::Corrupt("title"))?;
    Ok(SealedTitle {
        participant_id: id(&participant, ParticipantId::from_bytes)?,
        epoch: small(epoch)?,
        sealed: Blob(sealed),
    })
}
