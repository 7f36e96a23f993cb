//! Participants whose tokens this process ends: what is under way under such a token is not carried out after that.
//!
//! A request's token is looked up before the request is queued. Without this, a post could be appended behind its
//! author's `left`. Other processes look the token up anew at the next request.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wire::ids::{ParticipantId, SessionId};

/// Longer than a request can be under way.
const KEPT: Duration = Duration::from_secs(120);

type Who = (SessionId, ParticipantId);

/// Which tokens ended lately.
#[derive(Debug, Default)]
pub(crate) struct Departures(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    turn: u64,
    departed: HashMap<Who, Departed>,
}

#[derive(Debug, Clone, Copy)]
struct Departed {
    /// Look-ups that began at this turn or before do not count any more.
    last_turn: u64,
    at: Instant,
}

impl Departures {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be taken before a token is looked up, and kept with what is done under it.
    pub(crate) fn turn(&self) -> u64 {
        self.inner().turn
    }

    /// Whether the tokens of a participant have ended since that turn, or are being ended.
    pub(crate) fn ended_since(&self, session: SessionId, participant: ParticipantId, turn: u64) -> bool {
        self.inner()
            .departed
            .get(&(session, participant))
            .is_some_and(|departed| turn <= departed.last_turn)
    }

    /// To be held while a participant's tokens are ended, from before the commit until after it.
    pub(crate) fn ending(&self, session: SessionId, participant: ParticipantId) -> Ending<'_> {
        let ending = Ending {
            departures: self,
            who: (session, participant),
        };
        ending.put(u64::MAX);
        ending
    }
}

/// A participant's tokens are being ended. Dropped, they have ended, or whoever was ended comes back by itself.
#[derive(Debug)]
pub(crate) struct Ending<'a> {
    departures: &'a Departures,
    who: Who,
}

impl Ending<'_> {
    fn put(&self, last_turn: u64) {
        let mut inner = self.departures.inner();
        let at = Instant::now();
        inner.departed.retain(|_, departed| departed.at.elapsed() < KEPT);
        inner.departed.insert(self.who, Departed { last_turn, at });
    }
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let turn = {
            let mut inner = self.departures.inner();
            inner.turn += 1;
            inner.turn - 1
        };
        self.put(turn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: SessionId = SessionId::from_bytes([1; 16]);
    const ME: ParticipantId = ParticipantId::from_bytes([2; 16]);
    const OTHER: ParticipantId = ParticipantId::from_bytes([3; 16]);

    #[test]
    fn what_was_looked_up_before_the_end_does_not_count_after_it() {
        let departures = Departures::default();
        let before = departures.turn();
        assert!(!departures.ended_since(SESSION, ME, before));
        let ending = departures.ending(SESSION, ME);
        let meanwhile = departures.turn();
        assert!(departures.ended_since(SESSION, ME, before));
        assert!(departures.ended_since(SESSION, ME, meanwhile));
        drop(ending);
        assert!(departures.ended_since(SESSION, ME, before));
        assert!(departures.ended_since(SESSION, ME, meanwhile));
        assert!(!departures.ended_since(SESSION, OTHER, before));
    }

    #[test]
    fn who_comes_back_is_heard() {
        let departures = Departures::default();
        drop(departures.ending(SESSION, ME));
        let back = departures.turn();
        assert!(!departures.ended_since(SESSION, ME, back));
        drop(departures.ending(SESSION, ME));
        assert!(departures.ended_since(SESSION, ME, back));
        assert!(!departures.ended_since(SESSION, ME, departures.turn()));
    }
}
