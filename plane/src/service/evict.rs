//! Eviction: the oldest records of a session that grew beyond its limits go, a prefix at a time, and the row
//! carries the transcript hash over them (`crypto.md` section 9.4).

use std::collections::BTreeMap;

use wire::ids::SessionId;
use wire::transcript::{Hash, RecordClass, next_hashed, sha256};

use super::Answer;
use super::open::Shared;
use super::write::SessionWrite;
use crate::store::records::RecordRow;
use crate::store::session::SessionRow;
use crate::store::{StoreError, epochs, eviction, records};

/// Records in one prefix.
const PREFIX: u32 = 1_000;
/// Bytes in one prefix, so that it fits into memory.
const PREFIX_BYTES: u64 = 8_388_608;

impl Shared {
    /// Whether a session is so far over a limit that eviction is worth its while: 5 %.
    pub(super) fn is_oversized(&self, row: &SessionRow) -> bool {
        let over = |value: u64, limit: u64| value > limit.saturating_add(limit / 20);
        over(row.records(), self.limits.records_per_session) || over(row.bytes, self.limits.bytes_per_session)
    }

    /// Whether something is to go: at least the newest record stays.
    fn is_over(&self, row: &SessionRow) -> bool {
        row.min_seq < row.head_seq
            && (row.records() > self.limits.records_per_session || row.bytes > self.limits.bytes_per_session)
    }

    /// Evicts one prefix, under the session's lock. True: there is more to go. An eviction that has not begun looks again
    /// whether it is worth its while: since the session was named for it, another may have gone through.
    pub(crate) async fn evict(&self, session: SessionId, has_begun: bool) -> Answer<bool> {
        let Some(mut write) = SessionWrite::open(self, session).await? else {
            return Ok(false);
        };
        if !has_begun && !self.is_oversized(&write.row) {
            return Ok(false);
        }
        let first = write.row.min_seq;
        let prefix = records::page(
            &mut write.on(),
            session,
            first.saturating_sub(1),
            PREFIX,
            PREFIX_BYTES,
        )
        .await?;
        let mut in_force: BTreeMap<u32, Hash> = BTreeMap::new();
        let mut last = None;
        for record in &prefix {
            if !self.is_over(&write.row) {
                break;
            }
            let epoch_record = in_force_at(&mut write, &mut in_force, record).await?;
            write.row.carried_hash = next_hashed(&write.row.carried_hash, &epoch_record, &record.link());
            write.row.min_seq = record.seq + 1;
            write.row.bytes = write.row.bytes.saturating_sub(record.size());
            last = Some(record.seq);
        }
        let Some(last) = last else {
            return Ok(false);
        };
        let chunks = eviction::up_to(&mut write.on(), session, last).await?;
        write.row.bytes = write.row.bytes.saturating_sub(chunks);
        let row = write.commit_quietly().await?;
        Ok(self.is_over(&row))
    }
}

/// The SHA-256 of the epoch record in force at a record: of an epoch record, its own.
async fn in_force_at(
    write: &mut SessionWrite<'_>,
    known: &mut BTreeMap<u32, Hash>,
    record: &RecordRow,
) -> Answer<Hash> {
    if record.class == RecordClass::Epoch {
        known.insert(record.epoch, sha256(&record.body));
    }
    if let Some(hash) = known.get(&record.epoch) {
        return Ok(*hash);
    }
    let session = write.row.session_id;
    let (_, bytes) = epochs::find(&mut write.on(), session, record.epoch)
        .await?
        .ok_or(StoreError::Corrupt("epoch record"))?;
    let hash = sha256(&bytes);
    known.insert(record.epoch, hash);
    Ok(hash)
}
