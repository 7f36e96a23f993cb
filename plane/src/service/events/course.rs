//! What a stream sends after what. Pure: what was found and the time come in as values.
//!
//! Records go out in order and without a gap. A state goes out when it is not the one sent last and all records it
//! speaks of went before it. Who is here goes out at most every five seconds, and a comment every fifteen, so that
//! proxies keep the connection and a reader sees that it lives.

use std::time::Duration;

use tokio::time::Instant;
use wire::api::{Checkpoint, Record, State, StreamEvent};
use wire::transcript::sha256;

use super::super::roster::{self, Roster};

/// How often a comment goes out.
const COMMENT_EVERY: Duration = Duration::from_secs(15);
/// How often it is told who is here, at most.
const PRESENCE_EVERY: Duration = Duration::from_secs(5);

/// What a reader is sent when it comes.
pub(super) struct Opening {
    pub(super) checkpoint: Option<Checkpoint>,
    pub(super) state: State,
    /// Of the session's row that says this state.
    pub(super) version: i64,
    pub(super) roster: Roster,
}

/// The records that should come next are not stored any more: the reader was too slow.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Evicted;

/// Where a reader stands.
#[derive(Debug)]
pub(super) struct Course {
    /// The newest seq sent, or what the reader said it has.
    seq: u64,
    /// The newest seq known to be there.
    head: u64,
    /// Of the newest row that was followed. A look that is shared may have an older one.
    version: i64,
    /// The state sent last, by the SHA-256 of its JSON: the whole would be most of an idle stream.
    state: [u8; 32],
    roster: Roster,
    presence_at: Instant,
    comment_at: Instant,
}

impl Course {
    /// The beginning of a stream after a seq, and its first events.
    pub(super) fn begin(after: u64, opening: Opening, now: Instant) -> (Self, Vec<StreamEvent>) {
        let Opening {
            checkpoint,
            state,
            version,
            roster,
        } = opening;
        let course = Self {
            seq: checkpoint.as_ref().map_or(after, |checkpoint| checkpoint.seq),
            head: state.head_seq,
            version,
            state: digest(&state),
            roster,
            presence_at: now + PRESENCE_EVERY,
            comment_at: now + COMMENT_EVERY,
        };
        let mut events = Vec::with_capacity(3);
        events.extend(checkpoint.map(StreamEvent::Checkpoint));
        events.push(StreamEvent::State(Box::new(state)));
        events.push(StreamEvent::Presence(course.roster.to_vec()));
        (course, events)
    }

    /// The newest seq sent.
    pub(super) const fn seq(&self) -> u64 {
        self.seq
    }

    /// Whether there are records that were not sent yet.
    pub(super) const fn is_behind(&self) -> bool {
        self.seq < self.head
    }

    /// The next records, and the state once they are all. Of a row older than one that was followed nothing is said: all of it
    /// was, and a state that went back would be taken for a plane that forgets.
    pub(super) fn follow(
        &mut self,
        records: Vec<Record>,
        state: State,
        version: i64,
    ) -> Result<Vec<StreamEvent>, Evicted> {
        if version < self.version {
            return Ok(Vec::new());
        }
        self.version = version;
        let mut events = Vec::with_capacity(records.len() + 1);
        for record in records {
            if record.seq != self.seq.saturating_add(1) {
                return Err(Evicted);
            }
            self.seq = record.seq;
            events.push(StreamEvent::Record(record));
        }
        self.head = state.head_seq;
        let digest = digest(&state);
        if !self.is_behind() && digest != self.state {
            self.state = digest;
            events.push(StreamEvent::State(Box::new(state)));
        }
        Ok(events)
    }

    /// Whether it is time to tell who is here.
    pub(super) fn wants(&self, roster: &Roster, now: Instant) -> bool {
        self.presence_at <= now && roster::differ(&self.roster, roster)
    }

    /// Who is here, which the reader is told now.
    pub(super) fn presence(&mut self, roster: Roster, now: Instant) -> StreamEvent {
        self.presence_at = now + PRESENCE_EVERY;
        self.roster = roster;
        StreamEvent::Presence(self.roster.to_vec())
    }

    /// Whether a comment is due, which is then taken to be sent.
    pub(super) fn comment(&mut self, now: Instant) -> bool {
        let due = self.comment_at <= now;
        if due {
            self.comment_at = now + COMMENT_EVERY;
        }
        due
    }

    /// When there is something to send though nothing happens.
    pub(super) fn next_at(&self, roster: &Roster) -> Instant {
        if roster::differ(&self.roster, roster) {
            self.comment_at.min(self.presence_at)
        } else {
            self.comment_at
        }
    }
}

/// No two states have the same one; a state that can't be written counts as changed when the next can.
fn digest(state: &State) -> [u8; 32] {
    serde_json::to_vec(state).map_or([0; 32], |json| sha256(&json))
}

#[cfg(test)]
mod tests;
