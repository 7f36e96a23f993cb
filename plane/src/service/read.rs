//! `GET /v1/sessions/{id}/records`: the transcript in order, from one snapshot.

use wire::api::{Checkpoint, Page, Record};
use wire::encoding::{Blob, Bytes32};
use wire::transcript::RecordClass;

use super::open::Shared;
use super::{Answer, Service, ServiceError, SessionCaller};
use crate::store::records::{self, RecordRow};
use crate::store::session::{self, SessionRow};
use crate::store::{StoreError, epochs};

/// Sealed bytes in one answer; one record always fits.
const PAGE_BYTES: u64 = 1_048_576;
/// Records in one answer.
pub(super) const PAGE_RECORDS: u32 = 1_000;

/// A session's row and records of it, from one snapshot.
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
        let mut tx = self.store.begin_read().await?;
        let row = session::load(&mut tx.on(), by.session_id)
            .await?
            .ok_or(ServiceError::Unauthorized)?;
        if row.epoch != by.epoch {
            return Err(ServiceError::TokenRekeyed { epoch: row.epoch });
        }
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
