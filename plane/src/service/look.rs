//! One look at a session for all who wait for it.
//!
//! When a record arrives, everybody who waits must look its token up again and read what is new. They share one
//! look, which begins after the change that woke them was told, so that it has that change for all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::time::Instant;
use wire::ids::SessionId;
use wire::timestamp::Timestamp;

use super::live::Seen;
use super::open::Shared;
use super::read::as_of;
use super::{Answer, Checked, ServiceError, SessionCaller};
use crate::store::records::{self, RecordRow};
use crate::store::session::{self, SessionRow};
use crate::store::tokens;
use crate::wake::Change;

/// Records that a look takes along, and their bytes; who needs others reads for itself.
const RECORDS: u32 = 200;
const BYTES: u64 = 262_144;
/// Sessions whose versions are read in one go.
const VERSIONS_AT_A_TIME: usize = 500;
/// Above so many slots, those that nobody holds are forgotten.
const TIDY_ABOVE: usize = 1_024;

/// A session as it was at one moment, with its tokens and newest records.
#[derive(Debug)]
pub(super) struct Look {
    began: Instant,
    pub(super) row: SessionRow,
    /// The tokens of the session's epoch, with their expiry.
    tokens: HashMap<[u8; 32], Timestamp>,
    /// The records after this seq …
    after: u64,
    /// … in order, as far as they fit.
    records: Vec<RecordRow>,
}

impl Look {
    /// When a token ends, if it is one of the session's epoch.
    pub(super) fn token(&self, by: &SessionCaller, now: Timestamp) -> Option<Timestamp> {
        let expires_at = *self.tokens.get(&by.token_hash)?;
        (self.row.epoch == by.epoch && now < expires_at).then_some(expires_at)
    }

    /// All records after a seq, if this look has them.
    pub(super) fn records_after(&self, seq: u64) -> Option<&[RecordRow]> {
        let reached = self.records.last().map_or(self.after, |record| record.seq);
        let whole = reached >= self.row.head_seq;
        if !whole || seq < self.after || seq.saturating_add(1) < self.row.min_seq {
            return None;
        }
        let first = self.records.partition_point(|record| record.seq <= seq);
        self.records.get(first..)
    }
}

/// Where those who wait for one session find the last look.
pub(super) type Slot = Arc<LastLook>;
type LastLook = tokio::sync::Mutex<Option<Arc<Look>>>;

/// The slots of all sessions that somebody waits for.
#[derive(Debug, Default)]
pub(crate) struct Looks(Mutex<HashMap<SessionId, Weak<LastLook>>>);

impl Looks {
    /// The slot of a session, as long as somebody holds it.
    pub(super) fn slot(&self, session: SessionId) -> Slot {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.get(&session).and_then(Weak::upgrade) {
            return slot;
        }
        if slots.len() > TIDY_ABOVE {
            slots.retain(|_, slot| slot.strong_count() > 0);
        }
        let slot = Slot::default();
        slots.insert(session, Arc::downgrade(&slot));
        slot
    }
}

/// Lets go of the last look. Who waits for long calls this now and then: a look is worth its memory only while others
/// ask for the same one.
pub(super) fn forget(slot: &Slot) {
    if let Ok(mut last) = slot.try_lock() {
        *last = None;
    }
}

impl Shared {
    /// A look at a session that began at `since` or later, shared with whoever else asks for one.
    pub(super) async fn look(
        &self,
        slot: &Slot,
        session: SessionId,
        after: u64,
        since: Instant,
    ) -> Answer<Arc<Look>> {
        let mut last = slot.lock().await;
        if let Some(look) = last.as_ref()
            && look.began >= since
        {
            return Ok(Arc::clone(look));
        }
        // Boxed, so that those who wait for it have no room for one of their own.
        let look = Arc::new(Box::pin(self.take_look(session, after)).await?);
        *last = Some(Arc::clone(&look));
        Ok(look)
    }

    /// What a change brought for one who follows a session, if it was appends of this process alone since `handled`: the
    /// commit has said that the token counts, and what was appended is at hand.
    pub(super) fn after_append(
        &self,
        by: &SessionCaller,
        told: Change,
        handled: Change,
        after: u64,
    ) -> Option<Seen> {
        let version = told.appended_since(handled)?;
        let now = self.now();
        // Else all share one look.
        let seen = self
            .live
            .after_append(by, version, after, now)
            .filter(|seen| seen.records.is_some())?;
        self.presence.seen(by, now, by.checked.expires_at);
        Some(seen)
    }

    /// What a look has for one who follows a session, if its token still counts; else why it does not.
    pub(super) async fn seen_by(&self, by: &mut SessionCaller, look: &Look, after: u64) -> Answer<Seen> {
        self.still_counts(by, look).await?;
        Ok(Seen {
            row: look.row.clone(),
            records: look.records_after(after).map(<[RecordRow]>::to_vec),
        })
    }

    async fn still_counts(&self, by: &mut SessionCaller, look: &Look) -> Answer<()> {
        let now = self.now();
        match look.token(by, now) {
            Some(expires_at) => {
                self.presence.seen(by, now, expires_at);
                by.checked = Checked {
                    version: look.row.version,
                    expires_at,
                };
            }
            None => by.checked = self.look_up(by.session_id, by.token_hash).await?.checked,
        }
        Ok(())
    }

    async fn take_look(&self, session: SessionId, after: u64) -> Answer<Look> {
        let began = Instant::now();
        let mut conn = self.store.reader().await?;
        let Some(row) = session::load(&mut conn.on(), session).await? else {
            self.live.forget(session);
            return Err(ServiceError::Unauthorized);
        };
        // Read after the row: a token that ended since is not among them, and is looked up by whoever has it.
        let tokens = tokens::of_epoch(&mut conn.on(), session, row.epoch).await?;
        let after = after.max(row.min_seq.saturating_sub(1));
        let records = if row.head_seq > after {
            let page = records::page(&mut conn.on(), session, after, RECORDS, BYTES).await?;
            // Without them nobody is told that there are none: each reads for itself.
            as_of(row.head_seq, after, page).unwrap_or_default()
        } else {
            Vec::new()
        };
        self.live.saw(&row);
        self.live.saw_records(&row, &records);
        Ok(Look {
            began,
            row,
            tokens,
            after,
            records,
        })
    }

    /// Wakes who waits for a session whose version is not the one seen before. A session that is new here counts as
    /// changed. One whose row is gone does so each time.
    pub(crate) async fn wake_changed(&self, seen: &mut HashMap<SessionId, i64>) -> Answer<()> {
        let hub = self.wakes.hub();
        let waited_for = hub.waited_for();
        let mut now = HashMap::with_capacity(waited_for.len());
        for part in waited_for.chunks(VERSIONS_AT_A_TIME) {
            let mut conn = self.store.reader().await?;
            now.extend(session::versions(&mut conn.on(), part).await?);
        }
        for session in waited_for {
            let version = now.get(&session);
            if version.is_none() || version != seen.get(&session) {
                hub.wake(session);
            }
        }
        *seen = now;
        Ok(())
    }
}
