//! How often: token buckets over a time that is handed in. Pure but for the map that holds them.
//!
//! A bucket holds `burst` units and gains `rate` units each `per`; a unit that was taken for something that did
//! not happen is given back, so that retries and refusals cost nothing. Buckets are a process's own: several
//! processes over one database allow as many times more, which protects each of them as well.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

use wire::ids::{ParticipantId, SessionId};
use wire::timestamp::Timestamp;

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 3_600_000;
/// Above so many buckets, full ones are looked for and forgotten: a full bucket and none are the same.
const TIDY_ABOVE: usize = 1_000;

/// What a bucket counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Counted {
    /// Records that a participant appends.
    Appends(SessionId, ParticipantId),
    /// Sealed bytes that a participant appends.
    AppendBytes(SessionId, ParticipantId),
    /// Records that the view participants of a session cause.
    ViewRecords(SessionId),
    /// Join requests from an address that name a session, known or not.
    JoinsFrom(IpAddr, SessionId),
    /// Requests with a rejoin secret from an address that name a session, known or not.
    RejoinsFrom(IpAddr, SessionId),
    /// Joins and returns of a session, by right proofs.
    Joins(SessionId),
    /// Machines that ask from an address to be connected.
    ConnectsFrom(IpAddr),
    /// Requests from an address for the token of such a machine, whether there is one or not.
    ConnectPollsFrom(IpAddr),
}

impl Counted {
    /// Joins by address.
    pub(crate) fn joins_from(address: IpAddr, session: SessionId, returning: bool) -> Self {
        let address = counted_as(address);
        if returning {
            Self::RejoinsFrom(address, session)
        } else {
            Self::JoinsFrom(address, session)
        }
    }

    /// Machines that ask to be connected, by address.
    pub(crate) fn connects_from(address: IpAddr) -> Self {
        Self::ConnectsFrom(counted_as(address))
    }

    /// Requests for a connected machine's token, by address.
    pub(crate) fn connect_polls_from(address: IpAddr) -> Self {
        Self::ConnectPollsFrom(counted_as(address))
    }
}

/// IPv6 hosts own a /64, so that counts as one.
fn counted_as(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// How much a bucket allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allowance {
    burst: u64,
    rate: u64,
    per_ms: u64,
}

impl Allowance {
    /// `rate` a minute, all at once if need be.
    pub(crate) const fn a_minute(rate: u64) -> Self {
        Self::bursting(rate, rate)
    }

    /// `rate` a minute, `burst` at once.
    pub(crate) const fn bursting(rate: u64, burst: u64) -> Self {
        Self {
            burst,
            rate,
            per_ms: MINUTE_MS,
        }
    }

    /// `rate` an hour, all at once if need be.
    pub(crate) const fn an_hour(rate: u64) -> Self {
        Self {
            burst: rate,
            rate,
            per_ms: HOUR_MS,
        }
    }

    /// A full bucket, in parts of a unit: one unit is `per_ms` parts, and each millisecond brings `rate` parts.
    const fn full(self) -> i128 {
        self.burst as i128 * self.per_ms as i128
    }
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    parts: i128,
    at: i64,
    allowance: Allowance,
}

impl Bucket {
    const fn new(allowance: Allowance, now: Timestamp) -> Self {
        Self {
            parts: allowance.full(),
            at: now.millis(),
            allowance,
        }
    }

    fn fill(&mut self, now: Timestamp) {
        // A clock that goes back brings nothing and takes nothing.
        let gone = now.millis().saturating_sub(self.at).max(0);
        self.parts = self
            .allowance
            .full()
            .min(self.parts + i128::from(gone) * i128::from(self.allowance.rate));
        self.at = now.millis();
    }

    fn take(&mut self, units: u64) -> Result<(), u64> {
        let per_ms = i128::from(self.allowance.per_ms);
        let wanted = i128::from(units) * per_ms;
        // More than a full bucket at once passes when the bucket is full, and leaves a debt.
        if self.parts >= wanted.min(self.allowance.full()) {
            self.parts -= wanted;
            return Ok(());
        }
        let missing = wanted.min(self.allowance.full()) - self.parts;
        let a_second = i128::from(self.allowance.rate.max(1)) * 1_000;
        let seconds = (missing + a_second - 1) / a_second;
        Err(u64::try_from(seconds).unwrap_or(u64::MAX).max(1))
    }

    fn give(&mut self, units: u64) {
        let parts = i128::from(units) * i128::from(self.allowance.per_ms);
        self.parts = self.allowance.full().min(self.parts + parts);
    }
}

/// All buckets of this process.
#[derive(Debug, Default)]
pub(crate) struct Rates(Mutex<Buckets>);

#[derive(Debug, Default)]
struct Buckets {
    by_what: HashMap<Counted, Bucket>,
    /// How many there may be until full ones are looked for: twice what was left the last time, so that looking costs little and
    /// what is kept follows what is in use.
    tidy_above: usize,
}

impl Buckets {
    /// Forgets the full ones.
    fn tidy(&mut self, now: Timestamp) {
        self.by_what.retain(|_, bucket| {
            bucket.fill(now);
            bucket.parts < bucket.allowance.full()
        });
        self.tidy_above = TIDY_ABOVE.max(self.by_what.len().saturating_mul(2));
    }
}

impl Rates {
    /// Takes units, or says in how many seconds to try again.
    pub(crate) fn take(
        &self,
        what: Counted,
        units: u64,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<(), u64> {
        self.with(what, allowance, now, |bucket| bucket.take(units))
    }

    /// Takes units of what can't be refused, into debt if need be.
    pub(crate) fn charge(&self, what: Counted, units: u64, allowance: Allowance, now: Timestamp) {
        self.with(what, allowance, now, |bucket| {
            bucket.parts -= i128::from(units) * i128::from(allowance.per_ms);
        });
    }

    /// Gives units back that were taken for nothing.
    pub(crate) fn give(&self, what: Counted, units: u64) {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = buckets.by_what.get_mut(&what) {
            bucket.give(units);
        }
    }

    fn with<T>(
        &self,
        what: Counted,
        allowance: Allowance,
        now: Timestamp,
        change: impl FnOnce(&mut Bucket) -> T,
    ) -> T {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let most = buckets.tidy_above.max(TIDY_ABOVE);
        if buckets.by_what.len() > most && !buckets.by_what.contains_key(&what) {
            buckets.tidy(now);
        }
        let bucket = buckets
            .by_what
            .entry(what)
            .or_insert_with(|| Bucket::new(allowance, now));
        bucket.allowance = allowance;
        bucket.fill(now);
        change(bucket)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const WHAT: Counted = Counted::Joins(SessionId::from_bytes([1; 16]));

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn a_burst_then_one_a_second_at_sixty_a_minute() {
        let rates = Rates::default();
        let allowance = Allowance::bursting(60, 20);
        for _ in 0..20 {
            rates.take(WHAT, 1, allowance, at(0)).unwrap();
        }
        assert_eq!(rates.take(WHAT, 1, allowance, at(0)), Err(1));
        assert_eq!(rates.take(WHAT, 1, allowance, at(999)), Err(1));
        rates.take(WHAT, 1, allowance, at(1_000)).unwrap();
        assert_eq!(rates.take(WHAT, 1, allowance, at(1_000)), Err(1));
    }

    #[test]
    fn what_is_given_back_can_be_taken_again_and_never_more_than_the_burst() {
        let rates = Rates::default();
        let allowance = Allowance::a_minute(2);
        rates.take(WHAT, 2, allowance, at(0)).unwrap();
        rates.give(WHAT, 5);
        rates.take(WHAT, 2, allowance, at(0)).unwrap();
        assert_eq!(rates.take(WHAT, 1, allowance, at(0)), Err(30));
    }

    #[test]
    fn a_clock_that_goes_back_neither_fills_nor_locks() {
        let rates = Rates::default();
        let allowance = Allowance::a_minute(60);
        rates.take(WHAT, 60, allowance, at(1_000_000)).unwrap();
        assert!(rates.take(WHAT, 1, allowance, at(0)).is_err());
        rates.take(WHAT, 1, allowance, at(1_000)).unwrap();
    }

    #[test]
    fn a_debt_is_paid_before_anything_else_passes() {
        let rates = Rates::default();
        let allowance = Allowance::a_minute(1);
        rates.charge(WHAT, 3, allowance, at(0));
        assert_eq!(rates.take(WHAT, 1, allowance, at(60_000)), Err(120));
    }

    #[test]
    fn addresses_of_one_ipv6_host_count_as_one_and_mapped_ipv4_as_ipv4() {
        let session = SessionId::from_bytes([0; 16]);
        let counted = |text: &str| Counted::joins_from(text.parse().unwrap(), session, false);
        assert_eq!(counted("2001:db8::1"), counted("2001:db8::ffff:2"));
        assert_ne!(counted("2001:db8::1"), counted("2001:db8:0:1::1"));
        assert_eq!(counted("::ffff:192.0.2.1"), counted("192.0.2.1"));
        assert_ne!(counted("192.0.2.1"), counted("192.0.2.2"));
    }

    #[test]
    fn buckets_that_are_full_again_are_forgotten() {
        let rates = Rates::default();
        let allowance = Allowance::a_minute(60);
        for n in 0..=TIDY_ABOVE {
            let bytes = u128::try_from(n).unwrap().to_be_bytes();
            rates
                .take(Counted::Joins(SessionId::from_bytes(bytes)), 1, allowance, at(0))
                .unwrap();
        }
        rates.take(WHAT, 1, allowance, at(60_000)).unwrap();
        assert_eq!(rates.0.lock().unwrap().by_what.len(), 1);
    }

    #[test]
    fn as_many_buckets_are_kept_as_are_in_use_however_many_came() {
        let rates = Rates::default();
        // A unit is back after a second, so a thousand of them are in use at any time.
        let allowance = Allowance::a_minute(60);
        for n in 0..100_000 {
            let bytes = u128::try_from(n).unwrap().to_be_bytes();
            let what = Counted::Joins(SessionId::from_bytes(bytes));
            rates.take(what, 1, allowance, at(n)).unwrap();
            assert!(rates.0.lock().unwrap().by_what.len() <= 2_100);
        }
    }
}
