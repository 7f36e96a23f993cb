//! What the writer of one session sent and how far each of its readers is: how long each record took from its own post, and
//! whether every reader has seen all that was acknowledged, once and in order.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use tokio::sync::watch;
use wire::ids::{MessageId, SessionId};

/// Posts that a reader may be behind: a minute of them. Who is further behind has stopped.
const UNSEEN_MAX: usize = 600;

/// A session of one writer and some readers.
#[derive(Debug)]
pub(super) struct Room {
    session: SessionId,
    state: watch::Sender<State>,
}

#[derive(Debug)]
struct State {
    /// Whether the writer is to go on.
    open: bool,
    /// Whether the writer has the answer to its last post.
    done: bool,
    /// The last record that was acknowledged.
    acknowledged: u64,
    /// Posts that some reader has not seen, in the order they were sent in.
    unseen: VecDeque<(MessageId, Instant)>,
    /// How many were sent before these.
    seen_by_all: usize,
    readers: Vec<Place>,
}

/// How far a reader is.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// The last record it saw.
    head: u64,
    /// How many of the writer's posts it saw.
    posts: usize,
}

impl Room {
    /// A session with so many readers, who saw nothing yet.
    pub(super) fn new(session: SessionId, readers: usize) -> Self {
        let state = State {
            open: true,
            done: false,
            acknowledged: 0,
            unseen: VecDeque::new(),
            seen_by_all: 0,
            readers: vec![Place::default(); readers],
        };
        Self {
            session,
            state: watch::Sender::new(state),
        }
    }

    /// The writer is about to send this. False where it is to send no more.
    ///
    /// # Errors
    /// A reader has stopped.
    pub(super) fn send(&self, id: MessageId, at: Instant) -> Result<bool> {
        self.change(|state| {
            state.done = !state.open;
            if state.open {
                ensure!(
                    state.unseen.len() < UNSEEN_MAX,
                    "{UNSEEN_MAX} posts did not come: {}",
                    state.late()
                );
                state.unseen.push_back((id, at));
            }
            Ok(state.open)
        })
    }

    /// The plane has stored a post as this record.
    ///
    /// # Errors
    /// It is none after those before.
    pub(super) fn acknowledge(&self, seq: u64) -> Result<()> {
        self.change(|state| {
            let before = state.acknowledged;
            ensure!(seq > before, "{seq} was acknowledged after {before}");
            state.acknowledged = seq;
            Ok(())
        })
    }

    /// A reader sees a record. How long it took from the post, if it is one of the writer's.
    ///
    /// # Errors
    /// It is not the one that comes next.
    pub(super) fn see(
        &self,
        reader: usize,
        seq: u64,
        id: Option<MessageId>,
        now: Instant,
    ) -> Result<Option<Duration>> {
        self.change(|state| {
            let place = state.readers.get_mut(reader).context("there is no such reader")?;
            ensure!(seq == place.head + 1, "{seq} follows {}", place.head);
            place.head = seq;
            let Some(id) = id else {
                return Ok(None);
            };
            let next = state.unseen.get(place.posts - state.seen_by_all);
            let (_, sent) = *next
                .filter(|(next, _)| *next == id)
                .with_context(|| format!("record {seq} is not the post that comes next"))?;
            place.posts += 1;
            let least = state.readers.iter().map(|place| place.posts).min();
            let seen = least.unwrap_or_default() - state.seen_by_all;
            state.unseen.drain(..seen);
            state.seen_by_all += seen;
            Ok(Some(now.saturating_duration_since(sent)))
        })
    }

    /// The writer is to send no more.
    pub(super) fn close(&self) {
        self.state.send_modify(|state| state.open = false);
    }

    /// Returns once the writer has stopped.
    pub(super) async fn done(&self) {
        // Fails only without a sender, which this is.
        let _ = self.state.subscribe().wait_for(|state| state.done).await;
    }

    /// Returns once every reader has the last record that was acknowledged.
    pub(super) async fn reached(&self) {
        let _ = self.state.subscribe().wait_for(State::is_reached).await;
    }

    /// The readers who have not, in words.
    pub(super) fn late(&self) -> Option<String> {
        let late = self.state.borrow().late();
        (!late.is_empty()).then(|| format!("session {}: {late}", self.session))
    }

    fn change<T>(&self, how: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let mut result = None;
        self.state.send_modify(|state| result = Some(how(state)));
        result
            .context("nothing was changed")?
            .with_context(|| format!("session {}", self.session))
    }
}

impl State {
    fn is_reached(&self) -> bool {
        self.readers.iter().all(|place| place.head >= self.acknowledged)
    }

    fn late(&self) -> String {
        let acknowledged = self.acknowledged;
        let late: Vec<String> = self
            .readers
            .iter()
            .enumerate()
            .filter(|(_, place)| place.head < acknowledged)
            .map(|(reader, place)| format!("reader {reader} has {} of {acknowledged}", place.head))
            .collect();
        late.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READERS: usize = 2;

    fn room() -> Room {
        Room::new(SessionId::from_bytes([7; 16]), READERS)
    }

    fn id(number: u8) -> MessageId {
        MessageId::from_bytes([number; 16])
    }

    fn after(start: Instant, millis: u64) -> Instant {
        start + Duration::from_millis(millis)
    }

    #[test]
    fn each_record_is_timed_from_its_own_post_however_many_come_at_once() {
        let (room, start) = (room(), Instant::now());
        for (number, sent) in [(1, 0), (2, 100), (3, 200)] {
            assert!(room.send(id(number), after(start, sent)).unwrap());
        }
        for reader in 0..READERS {
            // Somebody's joining, which nobody posted.
            assert_eq!(room.see(reader, 1, None, start).unwrap(), None);
            let now = after(start, 4_000);
            for (number, took) in [(1, 4_000), (2, 3_900), (3, 3_800)] {
                let seen = room.see(reader, 1 + u64::from(number), Some(id(number)), now);
                assert_eq!(seen.unwrap(), Some(Duration::from_millis(took)));
            }
        }
        assert!(room.send(id(4), after(start, 4_100)).unwrap());
        let seen = room.see(0, 5, Some(id(4)), after(start, 4_103));
        assert_eq!(seen.unwrap(), Some(Duration::from_millis(3)));
    }

    #[test]
    fn a_record_that_is_lost_or_comes_twice_or_is_another_is_an_error() {
        let start = Instant::now();
        for (seq, seen) in [(1, id(1)), (3, id(2)), (2, id(1)), (2, id(3))] {
            let room = room();
            for number in 1..=3 {
                assert!(room.send(id(number), start).unwrap());
            }
            assert!(room.see(0, 1, Some(id(1)), start).is_ok());
            assert!(room.see(0, seq, Some(seen), start).is_err(), "{seen} as {seq}");
        }
        let room = room();
        assert!(room.see(0, 1, Some(id(1)), start).is_err(), "nobody sent it");
        room.acknowledge(1).unwrap();
        assert!(room.acknowledge(1).is_err());
    }

    #[test]
    fn a_reader_that_stops_is_named_before_a_run_is_over() {
        let (room, start) = (room(), Instant::now());
        for seq in 1..=600 {
            assert!(room.send(id(1), start).unwrap());
            room.acknowledge(seq).unwrap();
            room.see(0, seq, Some(id(1)), start).unwrap();
        }
        let error = format!("{:#}", room.send(id(1), start).unwrap_err());
        assert!(error.starts_with("session 07070707-"), "{error}");
        assert!(error.ends_with(": reader 1 has 0 of 600"), "{error}");
    }

    #[test]
    fn a_closed_room_takes_no_post_and_is_reached_with_the_last_one() {
        let (room, start) = (room(), Instant::now());
        assert!(room.send(id(1), start).unwrap());
        room.close();
        assert!(!room.state.borrow().done, "its answer is still to come");
        room.acknowledge(1).unwrap();
        assert!(!room.send(id(2), start).unwrap());
        assert!(room.state.borrow().done);
        room.see(1, 1, Some(id(1)), start).unwrap();
        let late = room.late().unwrap();
        assert!(late.ends_with(": reader 0 has 0 of 1"), "{late}");
        room.see(0, 1, Some(id(1)), start).unwrap();
        assert!(room.state.borrow().is_reached() && room.late().is_none());
    }
}
