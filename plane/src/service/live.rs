//! What this process knows of the sessions it works on, each as of one version of its row.
//!
//! Whatever ends a token, or changes a session in any other way, moves the version of its row with the same commit. An
//! append asks for the version it was decided on, and does not happen if the row has another. So from the version that a
//! token was looked up at, through any number of this process's own appends, that token counts, and what is here of the
//! session is the session: the database has just said so. Nothing here is trusted beyond that: a reader brings the version
//! that the database told it, an append carries it in its WHERE, and whatever does not fit is read anew.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use wire::ids::SessionId;
use wire::timestamp::Timestamp;

use super::callers::{Checked, SessionCaller};
use crate::store::records::RecordRow;
use crate::store::session::SessionRow;
use crate::store::tokens::TokenRow;

/// Sessions that are kept.
const SESSIONS: usize = 16_384;
/// Newest records of one session, and their bytes; the last one is kept in any case.
const RECORDS: usize = 64;
const RECORD_BYTES: u64 = 65_536;
/// Bytes of records of all sessions.
const ALL_BYTES: u64 = 16_777_216;
/// Tokens of one session, and of all of them.
const TOKENS: usize = 64;
const ALL_TOKENS: usize = 65_536;

/// The sessions that this process works on.
#[derive(Debug, Default)]
pub(crate) struct Live(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    sessions: HashMap<SessionId, Known>,
    /// In the order in which they came to be known; some of them are forgotten since.
    order: VecDeque<SessionId>,
    /// Of the records of all of them.
    bytes: u64,
    /// Tokens of all of them.
    tokens: usize,
}

/// One session.
#[derive(Debug)]
struct Known {
    row: SessionRow,
    /// From this version to the row's, all that happened were appends of this process.
    since: i64,
    /// Tokens that counted at a version from `since` on.
    tokens: HashMap<[u8; 32], TokenRow>,
    /// The newest records, without a gap, up to the row's head; none, or fewer than there are.
    records: VecDeque<RecordRow>,
    bytes: u64,
}

/// A session as it is, and its records after a seq, if they are at hand.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) row: SessionRow,
    pub(crate) records: Option<Vec<RecordRow>>,
}

impl Known {
    fn new(row: SessionRow) -> Self {
        Self {
            since: row.version,
            row,
            tokens: HashMap::new(),
            records: VecDeque::new(),
            bytes: 0,
        }
    }

    fn covers(&self, version: i64) -> bool {
        (self.since..=self.row.version).contains(&version)
    }

    /// All records after a seq.
    fn records_after(&self, seq: u64) -> Option<Vec<RecordRow>> {
        if seq >= self.row.head_seq {
            return Some(Vec::new());
        }
        let first = self.records.front()?.seq;
        if seq.saturating_add(1) < first {
            return None;
        }
        let skipped = self.records.partition_point(|record| record.seq <= seq);
        Some(self.records.range(skipped..).cloned().collect())
    }

    fn seen(&self, after: u64) -> Seen {
        Seen {
            row: self.row.clone(),
            records: self.records_after(after),
        }
    }

    fn forget_records(&mut self) {
        self.records = VecDeque::new();
        self.bytes = 0;
    }

    /// Records that follow those that are here, the last of them at the row's head.
    fn add(&mut self, records: &[RecordRow]) {
        let follows = self
            .records
            .back()
            .zip(records.first())
            .is_some_and(|(last, first)| last.seq.saturating_add(1) == first.seq);
        if !follows {
            self.forget_records();
        }
        for record in records {
            self.bytes = self.bytes.saturating_add(record.size());
            self.records.push_back(record.clone());
        }
        while self.records.len() > RECORDS || (self.bytes > RECORD_BYTES && self.records.len() > 1) {
            let Some(oldest) = self.records.pop_front() else {
                return;
            };
            self.bytes = self.bytes.saturating_sub(oldest.size());
        }
    }
}

impl Inner {
    /// Changes what is known of a session, with the bytes of all counted anew.
    fn change(&mut self, session: SessionId, change: impl FnOnce(&mut Known)) {
        let Some(known) = self.sessions.get_mut(&session) else {
            return;
        };
        let before = known.bytes;
        change(known);
        self.bytes = self.bytes.saturating_sub(before).saturating_add(known.bytes);
        if self.bytes > ALL_BYTES {
            self.make_room(session);
        }
    }

    /// Lets go of the records of others, those first that are known for longest, until there is room for many more: whoever
    /// makes room next has to look at as many again.
    fn make_room(&mut self, keep: SessionId) {
        for at in 0..self.order.len() {
            if self.bytes <= ALL_BYTES / 8 * 7 {
                // Who lost theirs are last in line from here on.
                self.order.rotate_left(at);
                return;
            }
            let session = self.order.get(at).filter(|session| **session != keep);
            if let Some(known) = session.and_then(|session| self.sessions.get_mut(session)) {
                self.bytes = self.bytes.saturating_sub(known.bytes);
                known.forget_records();
            }
        }
    }

    fn insert(&mut self, row: SessionRow) {
        let session = row.session_id;
        if self.sessions.contains_key(&session) {
            self.remove(session);
        } else {
            self.order.push_back(session);
        }
        self.sessions.insert(session, Known::new(row));
        while self.sessions.len() > SESSIONS || self.order.len() > 2 * SESSIONS {
            let Some(oldest) = self.order.pop_front() else {
                return;
            };
            self.remove(oldest);
        }
    }

    fn remove(&mut self, session: SessionId) {
        if let Some(known) = self.sessions.remove(&session) {
            self.bytes = self.bytes.saturating_sub(known.bytes);
            self.tokens = self.tokens.saturating_sub(known.tokens.len());
        }
    }
}

impl Live {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session's row as the database had it, or as this process committed it. An older one than is known says nothing.
    pub(crate) fn saw(&self, row: &SessionRow) {
        let mut inner = self.inner();
        let is_older = inner
            .sessions
            .get(&row.session_id)
            .is_some_and(|known| known.row.version >= row.version);
        if !is_older {
            inner.insert(row.clone());
        }
    }

    /// The newest records of a session as of a row that was seen, in order, up to its head.
    pub(crate) fn saw_records(&self, row: &SessionRow, records: &[RecordRow]) {
        if records.last().is_none_or(|last| last.seq != row.head_seq) {
            return;
        }
        self.inner().change(row.session_id, |known| {
            if known.row.version == row.version && known.records.is_empty() {
                known.add(records);
            }
        });
    }

    /// This process appended to a session: its row went from that version to this one. Where a newer one is known already,
    /// that stays.
    pub(crate) fn appended(&self, before: i64, row: &SessionRow, records: &[RecordRow]) {
        let mut inner = self.inner();
        match inner.sessions.get(&row.session_id).map(|known| known.row.version) {
            Some(version) if version >= row.version => return,
            Some(version) if version == before => {}
            _ => inner.insert(row.clone()),
        }
        inner.change(row.session_id, |known| {
            known.row = row.clone();
            known.add(records);
        });
    }

    /// What is known of a session no longer holds, or may not.
    pub(crate) fn forget(&self, session: SessionId) {
        self.inner().remove(session);
    }

    /// Nothing that is known may hold: the database may not be the one that it was.
    pub(crate) fn forget_all(&self) {
        *self.inner() = Inner::default();
    }

    /// A session's row as it was seen last: to decide on, and to be held against the database by whoever acts on it.
    pub(crate) fn row(&self, session: SessionId) -> Option<SessionRow> {
        self.inner().sessions.get(&session).map(|known| known.row.clone())
    }

    /// A token that was looked up, with the version its session had.
    pub(crate) fn looked_up(&self, session: SessionId, token_hash: [u8; 32], token: &TokenRow) {
        let mut inner = self.inner();
        let is_room = inner.tokens < ALL_TOKENS;
        let Some(known) = inner
            .sessions
            .get_mut(&session)
            .filter(|known| known.covers(token.version))
        else {
            return;
        };
        let is_new = !known.tokens.contains_key(&token_hash);
        if !is_new || (is_room && known.tokens.len() < TOKENS) {
            known.tokens.insert(token_hash, *token);
            inner.tokens += usize::from(is_new);
        }
    }

    /// A token that counted when it was looked up, as of the version it counts at by what is known here.
    pub(crate) fn token(&self, session: SessionId, token_hash: &[u8; 32]) -> Option<TokenRow> {
        let inner = self.inner();
        let known = inner.sessions.get(&session)?;
        let mut token = *known.tokens.get(token_hash)?;
        token.version = known.row.version;
        Some(token)
    }

    /// Whether a token that counted at one version counts at another one, if that is the session's.
    pub(crate) fn counts_at(&self, session: SessionId, counted_at: i64, version: i64) -> bool {
        self.inner()
            .sessions
            .get(&session)
            .is_some_and(|known| known.row.version == version && known.covers(counted_at))
    }

    /// The session at the version that the database has just told, with its records after a seq.
    pub(crate) fn at(&self, session: SessionId, version: i64, after: u64) -> Option<Seen> {
        let inner = self.inner();
        let known = inner.sessions.get(&session)?;
        (known.row.version == version).then(|| known.seen(after))
    }

    /// The session after an append of this process that led to `version`, or a later one, for one whose token counts
    /// there, with the records after a seq.
    pub(crate) fn after_append(
        &self,
        by: &SessionCaller,
        version: i64,
        after: u64,
        now: Timestamp,
    ) -> Option<Seen> {
        let Checked {
            version: looked_up,
            expires_at,
        } = by.checked;
        let inner = self.inner();
        let known = inner.sessions.get(&by.session_id)?;
        let counts = known.row.version >= version && known.covers(looked_up) && now < expires_at;
        counts.then(|| known.seen(after))
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests;
