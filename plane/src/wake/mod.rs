//! Telling those who wait that a session changed: at once inside the process ([`hub`]), and between the
//! processes of one Postgres by notifications ([`relay`]).
//!
//! A wake-up carries nothing but the session's id. Whoever waits reads again, so one too many costs a read, and
//! one that is lost costs the time until the slow re-read, never a record.

mod hub;
mod relay;

pub(crate) use hub::{Hub, Subscription};
pub(crate) use relay::{QUEUE, Relay};

use tokio::sync::mpsc;
use wire::ids::SessionId;

/// Where commits are told.
#[derive(Debug, Clone)]
pub(crate) struct Wakes {
    hub: Hub,
    others: Option<mpsc::Sender<SessionId>>,
}

impl Wakes {
    /// Wakes those of `hub`, and of other processes where `others` takes the ids to them.
    pub(crate) const fn new(hub: Hub, others: Option<mpsc::Sender<SessionId>>) -> Self {
        Self { hub, others }
    }

    /// A change of the session has been committed.
    pub(crate) fn wake(&self, session: SessionId) {
        self.hub.wake(session);
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
