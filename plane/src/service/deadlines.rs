//! A second clock over auto: the monotonic time from when this process first saw it. A host's clock that is set
//! back gives no auto more time.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wire::ids::SessionId;
use wire::timestamp::Timestamp;

/// The autos that this process has seen, each by its session and its end, and when that is by the monotonic time. One that
/// is over stays until it is known to have ended, however many there are: a row that was read before an auto began says nothing of
/// it. The sweeper looks at each once its time has passed, so there are no more than began within the longest auto.
#[derive(Debug, Default)]
pub(crate) struct Deadlines(Mutex<HashMap<(SessionId, Timestamp), Instant>>);

impl Deadlines {
    /// The time to judge a session's mode by: `now`, or the end of its auto once that is over by either clock.
    /// `expires_at`: of the auto it is in.
    pub(crate) fn judge(
        &self,
        session: SessionId,
        expires_at: Option<Timestamp>,
        now: Timestamp,
        clock: Instant,
    ) -> Timestamp {
        let Some(expires_at) = expires_at else {
            return now;
        };
        let left = u64::try_from(expires_at.millis().saturating_sub(now.millis())).unwrap_or(0);
        let mut seen = self.lock();
        let by = *seen
            .entry((session, expires_at))
            .or_insert(clock + Duration::from_millis(left));
        if clock >= by { now.max(expires_at) } else { now }
    }

    /// Sessions with an auto that is over by the monotonic time, as far as it is not known to have ended.
    pub(crate) fn passed(&self, clock: Instant) -> BTreeSet<SessionId> {
        let seen = self.lock();
        let passed = seen.iter().filter(|(_, by)| clock >= **by);
        passed.map(|((session, _), _)| *session).collect()
    }

    /// The autos of a session that are over at `clock` have ended.
    pub(crate) fn forget(&self, session: SessionId, clock: Instant) {
        self.lock().retain(|(of, _), by| *of != session || clock < *by);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(SessionId, Timestamp), Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: SessionId = SessionId::from_bytes([1; 16]);
    const OTHER: SessionId = SessionId::from_bytes([2; 16]);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    fn after(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    #[test]
    fn a_clock_that_is_set_back_gives_no_auto_more_time() {
        let (seen, start) = (Deadlines::default(), Instant::now());
        let judged = |now, seconds| seen.judge(SESSION, Some(at(60)), at(now), after(start, seconds));
        assert_eq!(judged(0, 0), at(0));
        assert_eq!(judged(-1_000, 59), at(-1_000));
        assert_eq!(judged(-1_000, 60), at(60));
    }

    #[test]
    fn a_clock_that_is_set_forward_ends_it_by_itself() {
        let (seen, start) = (Deadlines::default(), Instant::now());
        assert_eq!(seen.judge(SESSION, Some(at(60)), at(0), start), at(0));
        assert_eq!(seen.judge(SESSION, Some(at(60)), at(61), after(start, 1)), at(61));
    }

    #[test]
    fn one_that_is_first_seen_late_has_what_is_left_and_no_more() {
        let (seen, start) = (Deadlines::default(), Instant::now());
        assert_eq!(seen.judge(SESSION, Some(at(60)), at(50), start), at(50));
        assert_eq!(seen.judge(SESSION, Some(at(60)), at(0), after(start, 10)), at(60));
        assert_eq!(seen.judge(OTHER, Some(at(60)), at(90), start), at(90));
    }

    #[test]
    fn the_next_auto_of_a_session_has_a_deadline_of_its_own() {
        let (seen, start) = (Deadlines::default(), Instant::now());
        assert_eq!(seen.judge(SESSION, Some(at(60)), at(0), start), at(0));
        let later = after(start, 90);
        assert_eq!(
            seen.judge(SESSION, Some(at(150)), at(90), later),
            at(90),
            "without a look in between"
        );
        assert_eq!(seen.judge(SESSION, None, at(100), after(start, 100)), at(100));
        let last = after(start, 200);
        assert_eq!(seen.judge(SESSION, Some(at(260)), at(200), last), at(200));
        assert_eq!(
            seen.judge(SESSION, Some(at(260)), at(0), after(start, 260)),
            at(260)
        );
    }

    #[test]
    fn a_row_that_was_read_before_the_auto_began_takes_nothing_from_its_deadline() {
        let (seen, start) = (Deadlines::default(), Instant::now());
        assert_eq!(seen.judge(SESSION, Some(at(60)), at(0), start), at(0));
        assert_eq!(seen.judge(SESSION, None, at(0), start), at(0));
        assert_eq!(
            seen.judge(SESSION, Some(at(-30)), at(0), start),
            at(0),
            "an auto before it"
        );
        let (set_back, later) = (at(-3_540), after(start, 60));
        assert_eq!(seen.judge(SESSION, Some(at(60)), set_back, later), at(60));
    }

    #[test]
    fn one_of_very_many_is_over_for_good() {
        let (seen, start) = (Deadlines::default(), Instant::now());
        seen.judge(SESSION, Some(at(60)), at(0), start);
        for number in 0..20_000_u128 {
            let another = SessionId::from_bytes((number << 8).to_be_bytes());
            seen.judge(another, Some(at(3_600)), at(0), start);
        }
        let (set_back, later) = (at(-1_000), after(start, 61));
        assert_eq!(seen.judge(SESSION, Some(at(60)), set_back, later), at(60));
    }

    #[test]
    fn what_has_passed_is_told_until_it_is_known_to_have_ended() {
        let (seen, start) = (Deadlines::default(), Instant::now());
        let passed = |seconds| Vec::from_iter(seen.passed(after(start, seconds)));
        seen.judge(SESSION, Some(at(60)), at(0), start);
        seen.judge(OTHER, Some(at(90)), at(0), start);
        assert_eq!(passed(59), []);
        assert_eq!(passed(60), [SESSION]);
        assert_eq!(passed(61), [SESSION], "nobody could end it yet");
        seen.judge(SESSION, Some(at(150)), at(61), after(start, 61));
        seen.forget(SESSION, after(start, 61));
        assert_eq!(passed(61), []);
        assert_eq!(
            passed(150),
            [SESSION, OTHER],
            "the next auto of it, and another's"
        );
    }
}
