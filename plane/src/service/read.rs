//! `GET /v1/sessions/{id}/records`: the transcript in order, as it was at one moment.

use wire::api::{Checkpoint, Page, Record};
use wire::encoding::{Blob, Bytes32};
use wire::transcript::RecordClass;

use super::live::Seen;
use super::open::Shared;
use super::{Answer, Service, ServiceError, SessionCaller};
use crate::store::records::{self, RecordRow};
use crate::store::session::{self, SessionRow};
use crate::store::{On, StoreError, epochs};

/// Sealed bytes in one answer; one record always fits.
const PAGE_BYTES: u64 = 1_048_576;
/// Records in one answer.
pub(super) const PAGE_RECORDS: u32 = 1_000;

/// A session's row and records of it, as they were at one moment.
pub(super) struct Snapshot {
    pub(super) row: SessionRow,
    pub(super) records: Vec<RecordRow>,
    /// When what was asked for begins before what is stored.
    pub(super) checkpoint: Option<Checkpoint>,
}

impl Service {
    /// `GET records` without `wait`: at most `limit` (and 1,000) records after a seq.
    ///
    /// # Errors
    /// `Unauthorized`: the session is gone; `TokenRekeyed`: it was re-keyed since the token was checked.
    pub async fn read(&self, by: &SessionCaller, after: u64, limit: u32) -> Answer<Page> {
        let limit = limit.min(PAGE_RECORDS);
        let found = self.shared.snapshot(by, after, limit, PAGE_BYTES).await?;
        self.page(by, after, &found.row, found.records, found.checkpoint)
    }

    /// As [`Service::read`], by the database as it is now: no older than what its caller has seen of it since its look-up.
    pub(super) async fn read_now(&self, by: &SessionCaller, after: u64, limit: u32) -> Answer<Page> {
        let limit = limit.min(PAGE_RECORDS);
        let seen = self.shared.seen_now(by, after).await?;
        let found = self
            .shared
            .snapshot_of(by, seen, (after, limit), PAGE_BYTES)
            .await?;
        self.page(by, after, &found.row, found.records, found.checkpoint)
    }

    /// The answer of records that were read with the session's row.
    pub(super) fn page(
        &self,
        by: &SessionCaller,
        after: u64,
        row: &SessionRow,
        rows: Vec<RecordRow>,
        checkpoint: Option<Checkpoint>,
    ) -> Answer<Page> {
        let last = rows.last().map_or(after, |record| record.seq);
        if !rows.is_empty() {
            self.shared.presence.fetched(by, self.shared.now(), last);
        }
        Ok(Page {
            records: rows.into_iter().map(shown).collect::<Result<_, _>>()?,
            more: last < row.head_seq,
            state: self.shared.state_for(row, by.into()),
            checkpoint,
        })
    }
}

impl Shared {
    /// At most `limit` records after a seq and at most so many bytes of them; one always fits.
    pub(super) async fn snapshot(
        &self,
        by: &SessionCaller,
        after: u64,
        limit: u32,
        bytes: u64,
    ) -> Answer<Snapshot> {
        let seen = self.seen(by, after).await?;
        self.snapshot_of(by, seen, (after, limit), bytes).await
    }

    /// As [`Shared::snapshot`], of a session that has just been seen.
    pub(super) async fn snapshot_of(
        &self,
        by: &SessionCaller,
        Seen { row, records }: Seen,
        (after, limit): (u64, u32),
        bytes: u64,
    ) -> Answer<Snapshot> {
        if let Some(mut records) = records {
            records.truncate(limit as usize);
            records.truncate(fitting(&records, bytes));
            return Ok(Snapshot {
                row,
                records,
                checkpoint: None,
            });
        }
        if after >= row.min_seq.saturating_sub(1) {
            let mut conn = self.store.reader().await?;
            let page = records::page(&mut conn.on(), by.session_id, after, limit, bytes).await?;
            if let Some(records) = as_of(row.head_seq, after, page) {
                self.live.saw_records(&row, &records);
                return Ok(Snapshot {
                    row,
                    records,
                    checkpoint: None,
                });
            }
        }
        self.snapshot_at_once(by, after, limit, bytes).await
    }

    /// The session of a caller whose token has just been looked up, with its records after a seq if they are at hand.
    pub(super) async fn seen(&self, by: &SessionCaller, after: u64) -> Answer<Seen> {
        if let Some(seen) = self.live.at(by.session_id, by.checked.version, after) {
            return Ok(seen);
        }
        self.seen_now(by, after).await
    }

    /// As [`Shared::seen`], by the database as it is now: for one who has subscribed since the look-up.
    pub(super) async fn seen_now(&self, by: &SessionCaller, after: u64) -> Answer<Seen> {
        let mut conn = self.store.reader().await?;
        let row = row_of(&mut conn.on(), by).await;
        drop(conn);
        if matches!(row, Err(ServiceError::Unauthorized)) {
            self.live.forget(by.session_id);
        }
        let row = row?;
        self.live.saw(&row);
        let known = self.live.at(by.session_id, row.version, after);
        Ok(known.unwrap_or(Seen { row, records: None }))
    }

    /// As [`Shared::snapshot`], from one snapshot of the database: what is evicted meanwhile is seen by none of its reads.
    async fn snapshot_at_once(
        &self,
        by: &SessionCaller,
        after: u64,
        limit: u32,
        bytes: u64,
    ) -> Answer<Snapshot> {
        let mut tx = self.store.begin_read().await?;
        let row = row_of(&mut tx.on(), by).await?;
        let gone = row.min_seq.saturating_sub(1);
        let records = records::page(&mut tx.on(), by.session_id, after.max(gone), limit, bytes).await?;
        let checkpoint = if after < gone {
            let epoch_record = epochs::in_force(&mut tx.on(), by.session_id, gone).await?;
            Some(Checkpoint {
                seq: gone,
                hash: Bytes32(row.carried_hash),
                epoch_record: Blob(epoch_record),
            })
        } else {
            None
        };
        Ok(Snapshot {
            row,
            records,
            checkpoint,
        })
    }
}

/// How many of the records, from the first, have at most so many bytes; one always fits.
pub(super) fn fitting(records: &[RecordRow], bytes: u64) -> usize {
    let mut so_far = 0_u64;
    let fit = records
        .iter()
        .take_while(|record| {
            so_far = so_far.saturating_add(record.size());
            so_far <= bytes
        })
        .count();
    fit.max(1)
}

/// The row of a caller's session, whose epoch is the token's.
async fn row_of(on: &mut On<'_>, by: &SessionCaller) -> Answer<SessionRow> {
    let row = session::load(on, by.session_id)
        .await?
        .ok_or(ServiceError::Unauthorized)?;
    if row.epoch != by.epoch {
        return Err(ServiceError::TokenRekeyed { epoch: row.epoch });
    }
    Ok(row)
}

/// Records after a seq as they were when the row was read, from a page that was read after the row: two statements, and no
/// transaction around them. None if that can't be told.
///
/// A record never changes, and none is taken away but from the front. So what came since stands behind the row's `head`, and
/// if the first that should be there is, all are.
pub(super) fn as_of(head: u64, after: u64, mut page: Vec<RecordRow>) -> Option<Vec<RecordRow>> {
    page.retain(|record| record.seq <= head);
    let whole = match page.first() {
        Some(first) => first.seq == after.saturating_add(1),
        None => head <= after,
    };
    whole.then_some(page)
}

/// A record as readers get it: which fields it has follows from its class.
pub(super) fn shown(row: RecordRow) -> Result<Record, StoreError> {
    let mut record = Record {
        seq: row.seq,
        at: row.at,
        epoch: row.epoch,
        class: row.class,
        sender: row.sender,
        item_id: row.item_id,
        sealed: None,
        signal: row.signal,
        body: None,
        epoch_record: None,
    };
    let body = Vec::from(row.body);
    match row.class {
        RecordClass::Message => record.sealed = Some(Blob(body)),
        RecordClass::Epoch => record.epoch_record = Some(Blob(body)),
        RecordClass::Notice | RecordClass::Member => {
            let text = String::from_utf8(body).map_err(|_| StoreError::Corrupt("event"))?;
            record.body = Some(text);
        }
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use wire::timestamp::Timestamp;

    use super::*;

    fn page(seqs: impl Iterator<Item = u64>) -> Vec<RecordRow> {
        seqs.map(|seq| RecordRow {
            seq,
            at: Timestamp::from_millis(0),
            epoch: 1,
            class: RecordClass::Message,
            sender: None,
            item_id: None,
            signal: None,
            body: Bytes::new(),
        })
        .collect()
    }

    fn seqs(head: u64, after: u64, page: Vec<RecordRow>) -> Option<Vec<u64>> {
        as_of(head, after, page).map(|records| records.iter().map(|record| record.seq).collect())
    }

    #[test]
    fn what_was_appended_after_the_row_was_read_is_not_shown_with_it() {
        assert_eq!(seqs(5, 3, page(4..=7)), Some(vec![4, 5]));
        assert_eq!(seqs(3, 3, page(4..=7)), Some(vec![]));
        assert_eq!(seqs(3, 3, page(std::iter::empty())), Some(vec![]));
    }

    #[test]
    fn what_was_evicted_after_the_row_was_read_is_no_hole() {
        assert_eq!(seqs(9, 3, page(6..=9)), None);
        assert_eq!(
            seqs(9, 3, page(std::iter::empty())),
            None,
            "all of it, or the session as a whole"
        );
        assert_eq!(seqs(5, 3, page(6..=9)), None, "and what is there came later");
    }
}
