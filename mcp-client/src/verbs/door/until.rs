//! Until when a door stands open: a time, or how long from now.

use std::str::FromStr;

use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as ValueError, StrDeserializer};
use wire::timestamp::Timestamp;

/// The longest time from now.
const LONGEST_MS: i64 = 366 * 24 * 3_600_000;

/// A time, or some time from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// That moment.
    At(Timestamp),
    /// So many milliseconds from now.
    In(i64),
}

/// What is no such time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "give a time such as 2026-11-30T18:00:00Z, or how long from now, such as 30m, 2h or 1d12h (a year at most)"
)]
pub struct NoTime;

impl Until {
    /// As a moment. None if it is past.
    pub(super) fn from(self, now: Timestamp) -> Option<Timestamp> {
        let at = match self {
            Self::At(at) => at,
            Self::In(millis) => now.plus_millis(millis),
        };
        (at > now).then_some(at)
    }
}

impl FromStr for Until {
    type Err = NoTime;

    /// RFC 3339, or numbers with `d`, `h`, `m` and `s`, the largest first.
    fn from_str(text: &str) -> Result<Self, NoTime> {
        let text = text.trim();
        let time: StrDeserializer<'_, ValueError> = text.into_deserializer();
        if let Ok(at) = Timestamp::deserialize(time) {
            return Ok(Self::At(at));
        }
        duration(text).map(Self::In).ok_or(NoTime)
    }
}

/// `1d2h30m` in milliseconds.
fn duration(text: &str) -> Option<i64> {
    let mut units = [
        ('d', 86_400_000_i64),
        ('h', 3_600_000),
        ('m', 60_000),
        ('s', 1_000),
    ]
    .into_iter();
    let mut rest = text;
    let mut sum = 0_i64;
    while !rest.is_empty() {
        let digits = rest.find(|symbol: char| !symbol.is_ascii_digit())?;
        let (number, tail) = rest.split_at_checked(digits)?;
        let mut symbols = tail.chars();
        let unit = symbols.next()?;
        // Each unit once, and none after a smaller one.
        let (_, millis) = units.find(|(name, _)| *name == unit)?;
        sum = sum.checked_add(number.parse::<i64>().ok()?.checked_mul(millis)?)?;
        rest = symbols.as_str();
    }
    (1..=LONGEST_MS).contains(&sum).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_796_000_000_000);

    #[test]
    fn a_time_or_how_long() {
        for (text, until) in [
            ("2h", Until::In(7_200_000)),
            ("30m", Until::In(1_800_000)),
            ("1d12h", Until::In(129_600_000)),
            ("90s", Until::In(90_000)),
            (
                "2026-01-02T03:04:05Z",
                Until::At(Timestamp::from_millis(1_767_323_045_000)),
            ),
            (
                "2026-01-02T04:04:05+01:00",
                Until::At(Timestamp::from_millis(1_767_323_045_000)),
            ),
        ] {
            assert_eq!(text.parse(), Ok(until), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "0s",
            "2",
            "h",
            "2h2h",
            "30m2h",
            "-2h",
            "2 h",
            "tomorrow",
            "9999d",
            "99999999999999999999s",
            "2h30",
            "2026-01-02",
            "1w",
            "2\u{fc}",
        ] {
            assert_eq!(text.parse::<Until>(), Err(NoTime), "{text}");
        }
    }

    #[test]
    fn what_is_past_is_none() {
        assert_eq!(Until::At(NOW).from(NOW), None);
        assert_eq!(Until::In(1).from(NOW), Some(NOW.plus_millis(1)));
    }
}
