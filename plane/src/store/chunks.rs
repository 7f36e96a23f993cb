//! Sealed chunks of attachments, as far as posts name them.

use wire::ids::{AttachmentId, ParticipantId, SessionId};

use super::codec::{count, id, stored};
use super::engine::{maybe, run};
use super::{On, StoreError};

const FIND: &str = "SELECT uploader, seq FROM chunks WHERE session_id = $1 AND attachment_id = $2 \
     ORDER BY chunk_index LIMIT 1";
const TIE: &str = "UPDATE chunks SET seq = $3 WHERE session_id = $1 AND attachment_id = $2";

/// Who uploaded an attachment, and the record that names it, if one does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attachment {
    pub(crate) uploader: ParticipantId,
    pub(crate) seq: Option<u64>,
}

/// The attachment of an id, if any chunk of it is stored.
pub(crate) async fn find(
    on: &mut On<'_>,
    session: SessionId,
    attachment: AttachmentId,
) -> Result<Option<Attachment>, StoreError> {
    maybe!(
        (Vec<u8>, Option<i64>),
        on,
        FIND,
        &session.as_bytes()[..],
        &attachment.as_bytes()[..]
    )?
    .map(|(uploader, seq)| {
        Ok(Attachment {
            uploader: id(&uploader, ParticipantId::from_bytes)?,
            seq: seq.map(count).transpose()?,
        })
    })
    .transpose()
}

/// Closes an attachment and ties it to the record that names it.
pub(crate) async fn tie(
    on: &mut On<'_>,
    session: SessionId,
    attachment: AttachmentId,
    seq: u64,
) -> Result<(), StoreError> {
    run!(
        on,
        TIE,
        &session.as_bytes()[..],
        &attachment.as_bytes()[..],
        stored(seq)
    )?;
    Ok(())
}
