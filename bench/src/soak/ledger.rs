//! What the parts of the load note, and what was seen at one look.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use hdrhistogram::Histogram;

use crate::figures::Unit;
use crate::load::append::micros;

/// Ten minutes, in microseconds. What takes longer counts as that.
const LONGEST: u64 = 600_000_000;

/// Everything since the last look.
#[derive(Debug, Clone)]
pub(super) struct Noted {
    since: Instant,
    /// How long it took to note.
    pub(super) span: Duration,
    /// From sending a post to its answer, in microseconds.
    pub(super) posts: Histogram<u64>,
    /// From sending a post until a reader has it who waits, of each reader.
    pub(super) wakes: Histogram<u64>,
    /// Joins, into sessions that were made for it and ended after it.
    pub(super) joins: u64,
    /// Re-keys, each with the return of both who are kept.
    pub(super) rekeys: u64,
    /// Posts that were to come again later.
    pub(super) later: u64,
}

impl Noted {
    fn new() -> Result<Self> {
        Ok(Self {
            since: Instant::now(),
            span: Duration::ZERO,
            posts: Histogram::new_with_max(LONGEST, 3)?,
            wakes: Histogram::new_with_max(LONGEST, 3)?,
            joins: 0,
            rekeys: 0,
            later: 0,
        })
    }

    fn clear(&mut self) {
        self.since = Instant::now();
        self.posts.reset();
        self.wakes.reset();
        (self.joins, self.rekeys, self.later) = (0, 0, 0);
    }
}

/// Where it is noted.
#[derive(Debug)]
pub(super) struct Ledger(Mutex<Noted>);

impl Ledger {
    /// Nothing is noted yet.
    ///
    /// # Errors
    /// There is no room.
    pub(super) fn new() -> Result<Self> {
        Ok(Self(Mutex::new(Noted::new()?)))
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A post was answered.
    pub(super) fn post(&self, took: Duration) {
        self.noted().posts.saturating_record(micros_of(took));
    }

    /// A reader who waits has a record.
    pub(super) fn wake(&self, took: Duration) {
        self.noted().wakes.saturating_record(micros_of(took));
    }

    /// Somebody joined.
    pub(super) fn join(&self) {
        self.noted().joins += 1;
    }

    /// A session was re-keyed.
    pub(super) fn rekey(&self) {
        self.noted().rekeys += 1;
    }

    /// A post is to come again later.
    pub(super) fn later(&self) {
        self.noted().later += 1;
    }

    /// Everything since the last time.
    pub(super) fn take(&self) -> Noted {
        let mut now = self.noted();
        now.span = now.since.elapsed();
        let noted = now.clone();
        now.clear();
        noted
    }
}

fn micros_of(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}

/// One look.
#[derive(Debug)]
pub(super) struct Sample {
    /// Since the beginning.
    pub(super) at: Duration,
    /// The plane's resident memory, in bytes.
    pub(super) memory: f64,
    /// The plane's file handles: connections of clients and to the database.
    pub(super) handles: u32,
    /// The plane's connections to the database.
    pub(super) connections: u32,
    /// What was noted since the look before.
    pub(super) noted: Noted,
}

impl Sample {
    /// A quantile of the posts, in microseconds.
    pub(super) fn post(&self, quantile: f64) -> f64 {
        micros(&self.noted.posts, quantile)
    }

    /// A quantile of the waiting requests, in microseconds.
    pub(super) fn wake(&self, quantile: f64) -> f64 {
        micros(&self.noted.wakes, quantile)
    }

    /// Posts a second.
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub(super) fn rate(&self) -> f64 {
        self.noted.posts.len() as f64 / self.noted.span.as_secs_f64()
    }

    /// Its line in the table.
    pub(super) fn row(&self) -> [String; 11] {
        [
            format!("{} s", self.at.as_secs()),
            Unit::Bytes.show(self.memory),
            self.handles.to_string(),
            self.connections.to_string(),
            Unit::PerSecond.show(self.rate()),
            Unit::Micros.show(self.post(0.5)),
            Unit::Micros.show(self.post(0.99)),
            Unit::Micros.show(self.wake(0.5)),
            Unit::Micros.show(self.wake(0.99)),
            self.noted.joins.to_string(),
            format!("{}, {}", self.noted.rekeys, self.noted.later),
        ]
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.row().join(" · "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_taken_once() {
        let ledger = Ledger::new().unwrap();
        for took in [1, 2, 30] {
            ledger.post(Duration::from_millis(took));
        }
        ledger.wake(Duration::from_secs(3_600));
        ledger.join();
        let noted = ledger.take();
        assert!((micros(&noted.posts, 0.5) - 2_000.0).abs() < 2.0);
        assert!((micros(&noted.posts, 1.0) - 30_000.0).abs() < 30.0);
        assert!(micros(&noted.wakes, 1.0) >= 599_000_000.0);
        assert_eq!((noted.posts.len(), noted.joins, noted.rekeys), (3, 1, 0));
        let after = ledger.take();
        assert_eq!((after.posts.len(), after.wakes.len(), after.joins), (0, 0, 0));
        assert!(
            micros(&after.wakes, 0.5).is_nan(),
            "what nobody saw did not take 0 µs"
        );
    }
}
