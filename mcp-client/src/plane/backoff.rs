//! When to try again: a pure decision, with the randomness handed in.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(5);

/// How long to wait before try `attempt` + 1 (`attempt` from 1), or none if that would pass `left`.
///
/// Exponential with full jitter above half, so that clients cut off together don't come back together. What the plane
/// asks for is kept, and never shortened.
pub(super) fn pause(attempt: u32, asked_s: Option<u64>, left: Duration, random: u32) -> Option<Duration> {
    let ceiling = FIRST
        .saturating_mul(1_u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX))
        .min(LONGEST);
    let jitter = f64::from(random) / f64::from(u32::MAX);
    let own = ceiling.mul_f64(0.5 + 0.5 * jitter);
    let pause = asked_s.map_or(own, |asked| Duration::from_secs(asked).max(own));
    (pause < left).then_some(pause)
}

#[cfg(test)]
mod tests {
    use super::pause;
    use std::time::Duration;

    const LEFT: Duration = Duration::from_secs(30);

    #[test]
    fn pauses_double_up_to_five_seconds() {
        assert_eq!(pause(1, None, LEFT, u32::MAX), Some(Duration::from_millis(200)));
        assert_eq!(pause(2, None, LEFT, u32::MAX), Some(Duration::from_millis(400)));
        assert_eq!(pause(2, None, LEFT, 0), Some(Duration::from_millis(200)));
        assert_eq!(pause(9, None, LEFT, u32::MAX), Some(Duration::from_secs(5)));
        assert_eq!(pause(4_000, None, LEFT, u32::MAX), Some(Duration::from_secs(5)));
    }

    #[test]
    fn what_the_plane_asks_is_kept() {
        assert_eq!(pause(1, Some(7), LEFT, 0), Some(Duration::from_secs(7)));
        assert_eq!(
            pause(1, Some(0), LEFT, u32::MAX),
            Some(Duration::from_millis(200))
        );
    }

    #[test]
    fn no_pause_outlives_the_call() {
        assert_eq!(pause(1, Some(30), LEFT, 0), None);
        assert_eq!(pause(1, Some(u64::MAX), LEFT, 0), None);
        assert_eq!(pause(1, None, Duration::ZERO, 0), None);
    }
}
