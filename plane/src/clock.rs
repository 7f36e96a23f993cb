//! The time as a value: real in production, set by hand in tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use wire::timestamp::Timestamp;

/// Where the time comes from.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The host's clock.
    #[default]
    System,
    /// A time that moves when told; for tests.
    Set(SetClock),
}

impl Clock {
    /// The time now.
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
            }
            Self::Set(clock) => Timestamp::from_millis(clock.0.now.load(Ordering::SeqCst)),
        }
    }

    /// The monotonic time, which nobody can set back.
    pub fn monotonic(&self) -> Instant {
        match self {
            Self::System => Instant::now(),
            Self::Set(clock) => clock.0.start + Duration::from_millis(clock.0.passed.load(Ordering::SeqCst)),
        }
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug, Clone)]
pub struct SetClock(Arc<Hands>);

#[derive(Debug)]
struct Hands {
    now: AtomicI64,
    start: Instant,
    /// Milliseconds since `start`.
    passed: AtomicU64,
}

impl SetClock {
    /// A clock that shows `start`.
    pub fn new(start: Timestamp) -> Self {
        Self(Arc::new(Hands {
            now: AtomicI64::new(start.millis()),
            start: Instant::now(),
            passed: AtomicU64::new(0),
        }))
    }

    /// Lets so much time pass. With a negative number it is set back, as a host's clock may be: no time passes.
    pub fn advance_millis(&self, millis: i64) {
        self.0.now.fetch_add(millis, Ordering::SeqCst);
        self.0
            .passed
            .fetch_add(u64::try_from(millis).unwrap_or(0), Ordering::SeqCst);
    }
}
