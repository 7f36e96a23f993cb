//! The transcript: records in order, and the message ids that make a retry the same message.

use bytes::Bytes;
use wire::api::Signal;
use wire::ids::{MessageId, ParticipantId, SessionId};
use wire::timestamp::Timestamp;
use wire::transcript::{Link, RecordClass};

use super::codec::{count, hash, id, maybe_id, small, stored};
use super::engine::{all, maybe, run};
use super::{On, StoreError};

pub(super) const INSERT: &str = "INSERT INTO records (session_id, seq, at, epoch, class, sender, item_id, signal, size, body) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
pub(super) const INSERT_ID: &str = "INSERT INTO message_ids (session_id, message_id, author, seq, at, digest) VALUES ($1, $2, $3, $4, $5, $6)";
const FIND_ID: &str =
    "SELECT author, seq, at, digest FROM message_ids WHERE session_id = $1 AND message_id = $2";
/// A page of records that are small, as they mostly are: one above `$4` bytes comes without its body.
const PAGE_OF_SMALL: &str = "SELECT seq, at, epoch, class, sender, item_id, signal, CASE WHEN size <= $4 THEN body END AS body FROM records \
     WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
/// A page of records of any size: as many as fit into `$4` bytes, and the first in any case.
const PAGE: &str = "SELECT seq, at, epoch, class, sender, item_id, signal, body FROM ( \
         SELECT seq, at, epoch, class, sender, item_id, signal, size, body, \
             CAST(SUM(size) OVER (ORDER BY seq) AS BIGINT) AS so_far \
         FROM (SELECT seq, at, epoch, class, sender, item_id, signal, size, body FROM records \
             WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) AS page) AS sized \
     WHERE so_far <= $4 OR so_far = size ORDER BY seq";
const BY_OTHERS: &str = "SELECT seq FROM records WHERE session_id = $1 AND seq > $2 \
     AND (sender IS NULL OR sender <> $3) ORDER BY seq LIMIT 1";

/// One record as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct RecordRow {
    pub(crate) seq: u64,
    pub(crate) at: Timestamp,
    pub(crate) epoch: u32,
    pub(crate) class: RecordClass,
    pub(crate) sender: Option<ParticipantId>,
    pub(crate) item_id: Option<MessageId>,
    pub(crate) signal: Option<Signal>,
    /// What is hashed: sealed bytes, an epoch record, or the text of an event or a notice.
    pub(crate) body: Bytes,
}

impl RecordRow {
    /// What the transcript hash covers of it.
    pub(crate) fn link(&self) -> Link<'_> {
        Link {
            seq: self.seq,
            epoch: self.epoch,
            class: self.class.byte(),
            sender: self.sender,
            item_id: self.item_id,
            body: &self.body,
        }
    }

    /// Bytes that count against the session's limit.
    pub(crate) fn size(&self) -> u64 {
        u64::try_from(self.body.len()).unwrap_or(u64::MAX)
    }
}

/// A message that was appended, as long as the session lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredId {
    pub(crate) author: ParticipantId,
    pub(crate) seq: u64,
    pub(crate) at: Timestamp,
    /// SHA-256 of the sealed bytes.
    pub(crate) digest: [u8; 32],
}

/// The columns of a record in the order of both statements: found by their place, which for so many rows counts.
type Raw = (
    i64,
    i64,
    i64,
    i64,
    Option<Vec<u8>>,
    Option<Vec<u8>>,
    Option<String>,
    Option<Vec<u8>>,
);

/// The record of a row; none if its body was left out.
fn record(raw: Raw) -> Result<Option<RecordRow>, StoreError> {
    let (seq, at, epoch, class, sender, item_id, signal, Some(body)) = raw else {
        return Ok(None);
    };
    Ok(Some(RecordRow {
        seq: count(seq)?,
        at: Timestamp::from_millis(at),
        epoch: small(epoch)?,
        class: u8::try_from(class)
            .ok()
            .and_then(RecordClass::from_byte)
            .ok_or(StoreError::Corrupt("class"))?,
        sender: maybe_id(sender.as_deref(), ParticipantId::from_bytes)?,
        item_id: maybe_id(item_id.as_deref(), MessageId::from_bytes)?,
        signal: signal
            .map(|word| Signal::from_word(&word).ok_or(StoreError::Corrupt("signal")))
            .transpose()?,
        body: Bytes::from(body),
    }))
}

/// Inserts records of a locked session.
pub(crate) async fn insert(
    on: &mut On<'_>,
    session: SessionId,
    records: &[RecordRow],
) -> Result<(), StoreError> {
    for record in records {
        run!(
            on,
            INSERT,
            &session.as_bytes()[..],
            stored(record.seq),
            record.at.millis(),
            i64::from(record.epoch),
            i64::from(record.class.byte()),
            record.sender.as_ref().map(|sender| &sender.as_bytes()[..]),
            record.item_id.as_ref().map(|item| &item.as_bytes()[..]),
            record.signal.map(Signal::word),
            stored(record.size()),
            &record.body[..],
        )?;
    }
    Ok(())
}

/// Keeps the id of a message that is appended in the same transaction.
pub(crate) async fn insert_id(
    on: &mut On<'_>,
    session: SessionId,
    message: MessageId,
    id: &StoredId,
) -> Result<(), StoreError> {
    run!(
        on,
        INSERT_ID,
        &session.as_bytes()[..],
        &message.as_bytes()[..],
        &id.author.as_bytes()[..],
        stored(id.seq),
        id.at.millis(),
        &id.digest[..],
    )?;
    Ok(())
}

/// The message of that id, if it was ever appended.
pub(crate) async fn find_id(
    on: &mut On<'_>,
    session: SessionId,
    message: MessageId,
) -> Result<Option<StoredId>, StoreError> {
    let found = maybe!(
        (Vec<u8>, i64, i64, Vec<u8>),
        on,
        FIND_ID,
        &session.as_bytes()[..],
        &message.as_bytes()[..],
    )?;
    found
        .map(|(author, seq, at, digest)| {
            Ok(StoredId {
                author: id(&author, ParticipantId::from_bytes)?,
                seq: count(seq)?,
                at: Timestamp::from_millis(at),
                digest: hash(&digest)?,
            })
        })
        .transpose()
}

/// Records after a seq, in order: at most `limit` and at most `bytes` of bodies, the first in any case.
///
/// To find where they no longer fit is more work for the database than to read them. So it is asked for all first,
/// without those that are too large for twice as many bytes to be enough in any case, and what does not fit is cut off
/// here; only if one of these is among what fits, the database measures.
pub(crate) async fn page(
    on: &mut On<'_>,
    session: SessionId,
    after: u64,
    limit: u32,
    bytes: u64,
) -> Result<Vec<RecordRow>, StoreError> {
    let share = bytes.saturating_mul(2) / u64::from(limit.max(1));
    let small = rows(on, PAGE_OF_SMALL, session, after, limit, share).await?;
    if let Some(page) = cut(small, bytes)? {
        return Ok(page);
    }
    let sized = rows(on, PAGE, session, after, limit, bytes).await?;
    sized
        .into_iter()
        .map(|raw| record(raw)?.ok_or(StoreError::Corrupt("body")))
        .collect()
}

async fn rows(
    on: &mut On<'_>,
    statement: &'static str,
    session: SessionId,
    after: u64,
    limit: u32,
    bytes: u64,
) -> Result<Vec<Raw>, sqlx::Error> {
    all!(
        Raw,
        on,
        statement,
        &session.as_bytes()[..],
        stored(after),
        i64::from(limit),
        stored(bytes),
    )
}

/// As many as fit, and the first in any case; none if one is among them that came without its body.
fn cut(rows: Vec<Raw>, bytes: u64) -> Result<Option<Vec<RecordRow>>, StoreError> {
    let mut page = Vec::with_capacity(rows.len());
    let mut so_far = 0_u64;
    for raw in rows {
        let Some(record) = record(raw)? else {
            return Ok(None);
        };
        so_far = so_far.saturating_add(record.size());
        if so_far > bytes && !page.is_empty() {
            break;
        }
        page.push(record);
    }
    Ok(Some(page))
}

/// Whether there is a record after a seq that is not by this participant.
pub(crate) async fn any_by_others(
    on: &mut On<'_>,
    session: SessionId,
    after: u64,
    me: ParticipantId,
) -> Result<bool, StoreError> {
    let found = maybe!(
        (i64,),
        on,
        BY_OTHERS,
        &session.as_bytes()[..],
        stored(after),
        &me.as_bytes()[..],
    )?;
    Ok(found.is_some())
}
