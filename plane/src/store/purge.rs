//! Deleting all that is stored of a session, but for its tombstone.

use wire::ids::SessionId;

use super::engine::run;
use super::{On, StoreError};

/// The session's row comes last, so that its lock holds to the end.
const DELETE: [&str; 10] = [
    "DELETE FROM tokens WHERE session_id = $1",
    "DELETE FROM knocks WHERE session_id = $1",
    "DELETE FROM chunks WHERE session_id = $1",
    "DELETE FROM profiles WHERE session_id = $1",
    "DELETE FROM participants WHERE session_id = $1",
    "DELETE FROM message_ids WHERE session_id = $1",
    "DELETE FROM records WHERE session_id = $1",
    "DELETE FROM epoch_records WHERE session_id = $1",
    "DELETE FROM titles WHERE session_id = $1",
    "DELETE FROM sessions WHERE session_id = $1",
];

/// Deletes a locked session.
pub(crate) async fn session(on: &mut On<'_>, session: SessionId) -> Result<(), StoreError> {
    for delete in DELETE {
        run!(on, delete, &session.as_bytes()[..])?;
    }
    Ok(())
}
