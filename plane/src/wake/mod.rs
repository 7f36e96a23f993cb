//! Telling those who wait that a session changed: at once inside the process ([`hub`]), and between the
//! processes of one Postgres by notifications ([`relay`]), as far as they are heard ([`hearing`]).
//!
//! Between processes a wake-up carries nothing but the session's id. Whoever waits reads again, so one too many costs a
//! read, and one that is lost costs the time until the slow re-read, never a record.

mod hearing;
mod hub;
mod relay;

pub(crate) use hearing::Ear;
pub use hearing::{Hearing, WakeTimes};
pub(crate) use hub::{Change, Hub, Subscription};
pub(crate) use relay::{QUEUE, Relay};

use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use wire::ids::SessionId;

/// Where commits are told.
#[derive(Debug, Clone)]
pub(crate) struct Wakes {
    hub: Hub,
    others: Option<mpsc::Sender<SessionId>>,
    ear: Ear,
    times: WakeTimes,
}

impl Wakes {
    /// Wakes those of `hub`, and of other processes where `others` takes the ids to them; what these commit is heard as
    /// `ear` says.
    pub(crate) const fn new(
        hub: Hub,
        others: Option<mpsc::Sender<SessionId>>,
        ear: Ear,
        times: WakeTimes,
    ) -> Self {
        Self {
            hub,
            others,
            ear,
            times,
        }
    }

    /// How this process learns of what others commit.
    pub(crate) fn hearing(&self) -> Hearing {
        self.ear.get()
    }

    /// Returns when sessions that are waited for are to be read again, this much after the last time; sooner while
    /// changes by others are not heard.
    pub(crate) async fn read_again_is_due(&self) {
        let last = Instant::now();
        loop {
            let period = match self.hearing() {
                Hearing::Alone | Hearing::Listening => self.times.read_again,
                Hearing::Polling => self.times.poll,
            };
            if timeout_at(last + period, self.ear.changed()).await.is_err() {
                return;
            }
        }
    }

    /// A change of the session has been committed.
    pub(crate) fn wake(&self, session: SessionId) {
        self.hub.wake(session);
        self.tell_others(session);
    }

    /// This process's append has been committed; the session has this version since.
    pub(crate) fn wake_appended(&self, session: SessionId, version: i64) {
        self.hub.wake_appended(session, version);
        self.tell_others(session);
    }

    fn tell_others(&self, session: SessionId) {
        if let Some(others) = &self.others {
            // Where the relay can't keep up, or is going down, others re-read by themselves.
            let _lost = others.try_send(session);
        }
    }

    /// The hub of this process.
    pub(crate) const fn hub(&self) -> &Hub {
        &self.hub
    }
}

/// Wakes when it goes out of scope: after a commit, and also when the request that made it was given up
/// half-way, when nobody knows whether it was carried out.
#[derive(Debug)]
pub(crate) struct WakeOnDrop<'a> {
    wakes: &'a Wakes,
    session: SessionId,
}

impl<'a> WakeOnDrop<'a> {
    pub(crate) const fn new(wakes: &'a Wakes, session: SessionId) -> Self {
        Self { wakes, session }
    }
}

impl Drop for WakeOnDrop<'_> {
    fn drop(&mut self) {
        self.wakes.wake(self.session);
    }
}
