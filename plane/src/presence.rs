//! Who was seen, who listens, who fetched what: gathered in memory, written in one batch every few seconds.
//! Approximate by design; nothing that counts depends on it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wire::ids::{ParticipantId, SessionId};
use wire::timestamp::Timestamp;

use crate::service::SessionCaller;
use crate::store::participants::Seen;

/// How long a listening lease holds without being renewed.
const LEASE_MS: i64 = 60_000;
/// A lease is renewed when less than this is left.
const RENEW_LEASE_MS: i64 = 30_000;
/// A token's expiry is moved at most once in so long.
const RENEW_TOKEN_MS: i64 = 86_400_000;

type Key = (SessionId, ParticipantId);

/// What this process saw and has not written yet, and who listens here.
#[derive(Debug)]
pub(crate) struct Presence {
    seats: Mutex<HashMap<Key, Seat>>,
    token_life_ms: i64,
}

#[derive(Debug, Clone, Copy)]
struct Seat {
    last_seen_at: Timestamp,
    fetched_seq: u64,
    /// Waits and streams of this participant in this process.
    listening: u64,
    lease_until: Option<Timestamp>,
    renew: Option<([u8; 32], Timestamp)>,
    changed: bool,
}

/// What a process knows of a participant beyond the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Local {
    pub(crate) last_seen_at: Timestamp,
    pub(crate) fetched_seq: u64,
    pub(crate) listening: bool,
    /// Its last wait or stream here is over, and the database does not say so yet.
    pub(crate) stopped: bool,
}

/// One line of a batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub(crate) session: SessionId,
    pub(crate) participant: ParticipantId,
    pub(crate) seen: Seen,
    /// A token, by its hash, whose expiry moves.
    pub(crate) renew: Option<([u8; 32], Timestamp)>,
}

/// A wait or a stream; dropping it frees its place.
#[derive(Debug)]
pub(crate) struct Listening {
    presence: Arc<Presence>,
    key: Key,
}

impl Presence {
    /// With tokens that live so long after their last use.
    pub(crate) fn new(token_life_s: u64) -> Self {
        Self {
            seats: Mutex::default(),
            token_life_ms: i64::try_from(token_life_s.saturating_mul(1_000)).unwrap_or(i64::MAX),
        }
    }

    fn seats(&self) -> MutexGuard<'_, HashMap<Key, Seat>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch(&self, key: Key, now: Timestamp, change: impl FnOnce(&mut Seat)) {
        let mut seats = self.seats();
        let seat = seats.entry(key).or_insert(Seat {
            last_seen_at: now,
            fetched_seq: 0,
            listening: 0,
            lease_until: None,
            renew: None,
            changed: true,
        });
        seat.last_seen_at = seat.last_seen_at.max(now);
        seat.changed = true;
        change(seat);
    }

    /// A participant showed its token, which expires at `expires_at` unless it is moved.
    pub(crate) fn seen(&self, by: &SessionCaller, now: Timestamp, expires_at: Timestamp) {
        let key = (by.session_id, by.participant_id);
        self.counted(key, now, (by.token_hash, expires_at));
    }

    /// As [`Presence::seen`], of a token by its hash and with its expiry.
    pub(crate) fn counted(&self, key: Key, now: Timestamp, (token_hash, expires_at): ([u8; 32], Timestamp)) {
        let renewed = now.plus_millis(self.token_life_ms);
        let renew = (expires_at.plus_millis(RENEW_TOKEN_MS) < renewed).then_some((token_hash, renewed));
        self.touch(key, now, |seat| seat.renew = renew.or(seat.renew));
    }

    /// A participant was given records up to a seq.
    pub(crate) fn fetched(&self, by: &SessionCaller, now: Timestamp, seq: u64) {
        self.touch((by.session_id, by.participant_id), now, |seat| {
            seat.fetched_seq = seat.fetched_seq.max(seq);
        });
    }

    /// A participant begins to wait or stream; none if it does so `most` times already.
    pub(crate) fn listen(
        self: &Arc<Self>,
        by: &SessionCaller,
        now: Timestamp,
        most: u64,
    ) -> Option<Listening> {
        let key = (by.session_id, by.participant_id);
        let mut admitted = false;
        self.touch(key, now, |seat| {
            admitted = seat.listening < most;
            if admitted {
                seat.listening += 1;
                seat.lease_until = Some(now.plus_millis(LEASE_MS));
            }
        });
        admitted.then(|| Listening {
            presence: Arc::clone(self),
            key,
        })
    }

    /// What this process knows of a participant.
    pub(crate) fn local(&self, session: SessionId, participant: ParticipantId) -> Option<Local> {
        self.seats().get(&(session, participant)).map(|seat| Local {
            last_seen_at: seat.last_seen_at,
            fetched_seq: seat.fetched_seq,
            listening: seat.listening > 0,
            stopped: seat.listening == 0 && seat.lease_until.is_some(),
        })
    }

    /// Takes what is to be written, in the order of keys, so that two processes can't block each other.
    pub(crate) fn take(&self, now: Timestamp) -> Vec<Line> {
        let mut lines = Vec::new();
        self.seats().retain(|&(session, participant), seat| {
            let held = seat.listening > 0;
            if held
                && seat
                    .lease_until
                    .is_none_or(|until| until < now.plus_millis(RENEW_LEASE_MS))
            {
                seat.lease_until = Some(now.plus_millis(LEASE_MS));
                seat.changed = true;
            }
            if seat.changed {
                seat.changed = false;
                lines.push(Line {
                    session,
                    participant,
                    seen: Seen {
                        last_seen_at: seat.last_seen_at,
                        fetched_seq: seat.fetched_seq,
                        listening_until: seat.lease_until,
                    },
                    renew: seat.renew.take(),
                });
            }
            held
        });
        lines.sort_unstable_by_key(|line| (line.session, line.participant));
        lines
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(seat) = self.presence.seats().get_mut(&self.key) {
            seat.listening = seat.listening.saturating_sub(1);
            seat.changed = true;
            if seat.listening == 0 {
                // Another process may hold a lease of its own: it renews it.
                seat.lease_until = Some(seat.last_seen_at);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use wire::event::{Capability, Kind};

    use super::*;
    use crate::service::Checked;

    const DAY: u64 = 86_400;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn caller() -> SessionCaller {
        SessionCaller {
            session_id: SessionId::from_bytes([1; 16]),
            participant_id: ParticipantId::from_bytes([2; 16]),
            kind: Kind::Agent,
            capability: Capability::Full,
            epoch: 1,
            token_hash: [3; 32],
            turn: 0,
            checked: Checked {
                version: 1,
                expires_at: at(0),
            },
        }
    }

    #[test]
    fn the_ninth_wait_has_no_place_until_one_of_eight_is_gone() {
        let presence = Arc::new(Presence::new(DAY));
        let by = caller();
        let mut held: Vec<_> = (0..8).map(|_| presence.listen(&by, at(0), 8).unwrap()).collect();
        assert!(presence.listen(&by, at(0), 8).is_none());
        held.pop();
        assert!(presence.listen(&by, at(0), 8).is_some());
    }

    #[test]
    fn a_lease_is_sixty_seconds_renewed_while_it_is_held_and_over_when_it_is_not() {
        let presence = Arc::new(Presence::new(DAY));
        let by = caller();
        let held = presence.listen(&by, at(0), 8).unwrap();
        let until = |now| {
            presence
                .take(at(now))
                .first()
                .map(|line| line.seen.listening_until.unwrap())
        };
        assert_eq!(until(5_000), Some(at(60_000)));
        assert_eq!(until(10_000), None, "nothing changed, nothing is written");
        assert_eq!(until(31_000), Some(at(91_000)));
        assert!(
            presence
                .local(by.session_id, by.participant_id)
                .unwrap()
                .listening
        );
        drop(held);
        let local = presence.local(by.session_id, by.participant_id).unwrap();
        assert!(
            local.stopped && !local.listening,
            "the lease in the database counts no more"
        );
        assert!(until(32_000).unwrap() <= at(32_000));
        assert_eq!(presence.local(by.session_id, by.participant_id), None);
    }

    #[test]
    fn a_token_is_renewed_when_a_day_of_its_life_is_gone_and_not_before() {
        let presence = Presence::new(30 * DAY);
        let by = caller();
        let life = 30 * 86_400_000;
        let day = 86_400_000;
        presence.seen(&by, at(day - 1), at(life));
        assert_eq!(presence.take(at(day)).first().unwrap().renew, None);
        presence.seen(&by, at(day + 1), at(life));
        let line = presence.take(at(day + 1)).first().copied().unwrap();
        assert_eq!(line.renew, Some(([3; 32], at(life + day + 1))));
    }

    #[test]
    fn what_was_fetched_never_goes_back() {
        let presence = Presence::new(DAY);
        let by = caller();
        presence.fetched(&by, at(0), 9);
        presence.fetched(&by, at(1), 4);
        assert_eq!(presence.take(at(2)).first().unwrap().seen.fetched_seq, 9);
    }
}
