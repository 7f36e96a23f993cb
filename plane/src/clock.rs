//! The time as a value: real in production, set by hand in tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

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
            Self::Set(clock) => Timestamp::from_millis(clock.0.load(Ordering::SeqCst)),
        }
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug, Clone)]
pub struct SetClock(Arc<AtomicI64>);

impl SetClock {
    /// A clock that shows `start`.
    pub fn new(start: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(start.millis())))
    }

    /// Moves it forward, or back with a negative number.
    pub fn advance_millis(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}
