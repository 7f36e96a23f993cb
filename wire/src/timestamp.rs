//! Times of the API: RFC 3339, UTC, milliseconds (`plane-api.md`, first paragraph).

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A point in time: milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// This time and some milliseconds, at the ends of the range the last one there is.
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// From an RFC 3339 time; none where it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let date = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        let millis = i64::try_from(date.unix_timestamp_nanos() / 1_000_000).ok()?;
        Some(Self(millis))
    }

    /// The text form where the year has four digits.
    fn text(self) -> Option<Text> {
        let date = OffsetDateTime::from_unix_timestamp(self.0.div_euclid(1_000)).ok()?;
        let year = u16::try_from(date.year()).ok().filter(|year| *year <= 9_999)?;
        let (hour, minute, second) = date.to_hms();
        let mut text = Text(*b"0000-00-00T00:00:00.000Z");
        let [
            y3,
            y2,
            y1,
            y0,
            _,
            m1,
            m0,
            _,
            d1,
            d0,
            _,
            h1,
            h0,
            _,
            n1,
            n0,
            _,
            s1,
            s0,
            _,
            f2,
            f1,
            f0,
            _,
        ] = &mut text.0;
        digits([y3, y2, y1, y0], year);
        digits([m1, m0], u8::from(date.month()).into());
        digits([d1, d0], date.day().into());
        digits([h1, h0], hour.into());
        digits([n1, n0], minute.into());
        digits([s1, s0], second.into());
        digits([f2, f1, f0], u16::try_from(self.0.rem_euclid(1_000)).ok()?);
        Some(text)
    }
}

/// A time's text form, on the stack: a page of the transcript has one for each record.
struct Text([u8; 24]);

impl Text {
    fn as_str(&self) -> &str {
        // It is all ASCII.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

fn digits<const N: usize>(places: [&mut u8; N], mut number: u16) {
    for place in places.into_iter().rev() {
        *place = b'0' + u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().ok_or(fmt::Error)?.as_str())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let text = self
            .text()
            .ok_or_else(|| ser::Error::custom("a time outside the years 0 to 9999"))?;
        s.serialize_str(text.as_str())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(d)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("not an RFC 3339 time"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_time_is_shown_as_rfc_3339_in_utc_with_milliseconds() {
        // Seconds as `date -u -d TEXT +%s` gives them.
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_825_599_007, "2000-02-29T11:59:59.007Z"),
            (1_796_041_496_780, "2026-11-30T12:24:56.780Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        ] {
            let time = Timestamp::from_millis(millis);
            assert_eq!(time.to_string(), text);
            assert_eq!(serde_json::to_string(&time).unwrap(), format!("\"{text}\""));
            assert_eq!(Timestamp::parse(text), Some(time));
        }
    }

    #[test]
    fn a_time_that_has_no_such_form_is_refused() {
        for millis in [253_402_300_800_000, -62_167_219_200_001, i64::MAX, i64::MIN] {
            assert!(serde_json::to_string(&Timestamp::from_millis(millis)).is_err());
        }
    }
}
