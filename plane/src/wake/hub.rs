//! The hub of one process: who waits for which session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use wire::ids::SessionId;

type Waiters = HashMap<SessionId, watch::Sender<()>>;

/// Knows the sessions that somebody waits for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hub {
    waiters: Arc<Mutex<Waiters>>,
}

/// One who waits for a session. Subscribe before reading: what changes after the read is then never missed.
#[derive(Debug)]
pub(crate) struct Subscription {
    hub: Hub,
    session: SessionId,
    changes: watch::Receiver<()>,
}

impl Hub {
    fn waiters(&self) -> MutexGuard<'_, Waiters> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, changes of the session are seen.
    pub(crate) fn subscribe(&self, session: SessionId) -> Subscription {
        let changes = self
            .waiters()
            .entry(session)
            .or_insert_with(|| watch::Sender::new(()))
            .subscribe();
        Subscription {
            hub: self.clone(),
            session,
            changes,
        }
    }

    /// Releases everybody in this process who waits for the session.
    pub(crate) fn wake(&self, session: SessionId) {
        if let Some(waiters) = self.waiters().get(&session) {
            waiters.send_replace(());
        }
    }

    /// Releases everybody: wake-ups may have been missed.
    pub(crate) fn wake_all(&self) {
        for waiters in self.waiters().values() {
            waiters.send_replace(());
        }
    }

    /// The sessions that somebody waits for.
    pub(crate) fn waited_for(&self) -> Vec<SessionId> {
        self.waiters().keys().copied().collect()
    }
}

impl Subscription {
    /// Returns once the session changed since the last call, or since the subscription.
    pub(crate) async fn changed(&mut self) {
        if self.changes.changed().await.is_err() {
            // The sender lives as long as a subscription does, so this can't be; waiting is what stays safe.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut waiters = self.hub.waiters();
        // The last one out; this receiver still counts.
        if waiters
            .get(&self.session)
            .is_some_and(|sender| sender.receiver_count() <= 1)
        {
            waiters.remove(&self.session);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: SessionId = SessionId::from_bytes([7; 16]);
    const OTHER: SessionId = SessionId::from_bytes([8; 16]);

    fn is_released(subscription: &mut Subscription) -> bool {
        use futures_util::FutureExt as _;
        subscription.changed().now_or_never().is_some()
    }

    #[test]
    fn all_who_wait_for_a_session_are_released_and_nobody_else() {
        let hub = Hub::default();
        let (mut one, mut two) = (hub.subscribe(SESSION), hub.subscribe(SESSION));
        let mut other = hub.subscribe(OTHER);
        assert!(!is_released(&mut one));
        hub.wake(SESSION);
        assert!(is_released(&mut one) && is_released(&mut two));
        assert!(!is_released(&mut other));
        hub.wake_all();
        assert!(is_released(&mut other));
    }

    #[test]
    fn a_change_between_subscribing_and_waiting_is_not_missed() {
        let hub = Hub::default();
        let mut waiting = hub.subscribe(SESSION);
        hub.wake(SESSION);
        assert!(is_released(&mut waiting));
        assert!(!is_released(&mut waiting), "one change releases once");
    }

    #[test]
    fn a_session_that_nobody_waits_for_is_forgotten() {
        let hub = Hub::default();
        let one = hub.subscribe(SESSION);
        let two = hub.subscribe(SESSION);
        drop(one);
        assert_eq!(hub.waited_for(), [SESSION]);
        drop(two);
        assert_eq!(hub.waited_for(), []);
    }
}
