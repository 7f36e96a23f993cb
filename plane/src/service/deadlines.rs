//! A second clock over auto: the monotonic time from when this process first saw it. A host's clock that is set
//! back gives no auto more time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use wire::ids::SessionId;
use wire::timestamp::Timestamp;

use crate::store::session::SessionRow;

/// Above so many, those that have passed are forgotten.
const TIDY_ABOVE: usize = 10_000;

#[derive(Debug, Clone, Copy)]
struct Deadline {
    expires_at: Timestamp,
    by: Instant,
}

/// The autos that this process has seen.
#[derive(Debug, Default)]
pub(crate) struct Deadlines(Mutex<HashMap<SessionId, Deadline>>);

impl Deadlines {
    /// The time to judge a session's mode by: `now`, or the end of its auto once that is over by either clock.
    pub(crate) fn judge(&self, row: &SessionRow, now: Timestamp, clock: Instant) -> Timestamp {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(expires_at) = row.mode.auto_expires_at() else {
            seen.remove(&row.session_id);
            return now;
        };
        let left = u64::try_from(expires_at.millis().saturating_sub(now.millis())).unwrap_or(0);
        let first = Deadline {
            expires_at,
            by: clock + Duration::from_millis(left),
        };
        if seen.len() > TIDY_ABOVE {
            seen.retain(|_, deadline| clock < deadline.by);
        }
        let deadline = seen.entry(row.session_id).or_insert(first);
        if deadline.expires_at != expires_at {
            *deadline = first;
        }
        if clock >= deadline.by {
            now.max(expires_at)
        } else {
            now
        }
    }
}
