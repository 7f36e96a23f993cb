//! Whether this machine or this process was asleep while something went on.
//!
//! A process that was stopped finds its deadlines past, a machine that was suspended finds its connections dead with much of
//! its time left: that clock may stand still meanwhile. Either way nothing is known of the plane but by asking it again.

use std::time::{Duration, SystemTime};

use crate::plane::Deadline;

/// What a busy machine may come late by.
const LATE: Duration = Duration::from_secs(1);

/// When a step began, by the clock of deadlines and by the wall's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    begun: Deadline,
    wall: SystemTime,
}

impl Step {
    pub(super) fn begin() -> Self {
        Self {
            begun: Deadline::now(),
            wall: SystemTime::now(),
        }
    }

    /// How long it has gone on, by the clock of deadlines.
    pub(super) fn elapsed(self) -> Duration {
        self.begun.elapsed()
    }

    /// Whether a step that ends by itself at `bound` went on for so much longer that it was not running meanwhile. A wall
    /// clock that was set ahead says so as well: one look too many.
    pub(super) fn slept(self, bound: Deadline) -> bool {
        let bound = bound.saturating_duration_since(self.begun);
        // Set back, it tells nothing.
        let wall = self.wall.elapsed().unwrap_or_default();
        self.elapsed().max(wall) > bound + LATE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_step_that_ended_long_after_its_bound_was_asleep() {
        let now = Step::begin();
        let ago = |seconds| Step {
            wall: now.wall - Duration::from_secs(seconds),
            ..now
        };
        let bound = now.begun + Duration::from_secs(5);
        assert!(!ago(0).slept(bound) && !ago(5).slept(bound));
        assert!(ago(7).slept(bound), "the other clock stood still");
        let set_back = Step {
            wall: now.wall + Duration::from_secs(60),
            ..now
        };
        assert!(!set_back.slept(bound));
        let stopped = Step {
            begun: now.begun - Duration::from_secs(7),
            ..set_back
        };
        assert!(stopped.slept(stopped.begun + Duration::from_secs(5)));
    }
}
