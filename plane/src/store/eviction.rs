//! Dropping the oldest records of a locked session. Its row carries the transcript hash over them.

use wire::ids::SessionId;

use super::codec::{count, stored};
use super::engine::{one, run};
use super::{On, StoreError};

const DROP_RECORDS: &str = "DELETE FROM records WHERE session_id = $1 AND seq <= $2";
const CHUNK_BYTES: &str =
    "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM chunks WHERE session_id = $1 AND seq <= $2";
const DROP_CHUNKS: &str = "DELETE FROM chunks WHERE session_id = $1 AND seq <= $2";

/// Drops the records up to a seq, with the attachments they name; gives the attachments' bytes.
pub(crate) async fn up_to(on: &mut On<'_>, session: SessionId, seq: u64) -> Result<u64, StoreError> {
    let (bytes,) = one!((i64,), on, CHUNK_BYTES, &session.as_bytes()[..], stored(seq))?;
    run!(on, DROP_RECORDS, &session.as_bytes()[..], stored(seq))?;
    run!(on, DROP_CHUNKS, &session.as_bytes()[..], stored(seq))?;
    count(bytes)
}
