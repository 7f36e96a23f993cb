//! The hub of one process: who waits for which session. What is told is that it changed, or what it changed to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::time::Instant;
use wire::ids::SessionId;

type Waiters<T> = HashMap<SessionId, Waited<T>>;

/// A session that somebody waits for.
#[derive(Debug)]
struct Waited<T> {
    sender: watch::Sender<T>,
    /// Subscriptions, counted under the lock: two that leave at once would each still see the other one's receiver.
    subscribed: usize,
}

/// That a session changed: what is read from this time on has the change.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Change {
    at: Option<Instant>,
    /// The last one that was not an append of this process.
    unknown_at: Option<Instant>,
    /// The version that the last append of this process led to.
    appended: Option<i64>,
}

impl Change {
    /// When it was told; none was: now.
    pub(crate) fn at(self) -> Instant {
        self.at.unwrap_or_else(Instant::now)
    }

    /// The version that this process's last append led to, if nothing else has happened since an earlier change.
    pub(crate) fn appended_since(self, earlier: Self) -> Option<i64> {
        self.appended.filter(|_| self.unknown_at == earlier.unknown_at)
    }
}

/// Knows the sessions that somebody waits for, and what was told of each last.
#[derive(Debug)]
pub(crate) struct Hub<T = Change> {
    waiters: Arc<Mutex<Waiters<T>>>,
}

/// One who waits for a session. Subscribe before reading: what changes after the read is then never missed.
#[derive(Debug)]
pub(crate) struct Subscription<T = Change> {
    hub: Hub<T>,
    session: SessionId,
    changes: watch::Receiver<T>,
}

impl<T> Default for Hub<T> {
    fn default() -> Self {
        Self {
            waiters: Arc::default(),
        }
    }
}

impl<T> Clone for Hub<T> {
    fn clone(&self) -> Self {
        Self {
            waiters: Arc::clone(&self.waiters),
        }
    }
}

impl<T> Hub<T> {
    fn waiters(&self) -> MutexGuard<'_, Waiters<T>> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sessions that somebody waits for.
    pub(crate) fn waited_for(&self) -> Vec<SessionId> {
        self.waiters().keys().copied().collect()
    }
}

impl<T: Default> Hub<T> {
    /// From now on, changes of the session are seen.
    pub(crate) fn subscribe(&self, session: SessionId) -> Subscription<T> {
        let mut waiters = self.waiters();
        let waited = waiters.entry(session).or_insert_with(|| Waited {
            sender: watch::Sender::new(T::default()),
            subscribed: 0,
        });
        waited.subscribed += 1;
        let changes = waited.sender.subscribe();
        drop(waiters);
        Subscription {
            hub: self.clone(),
            session,
            changes,
        }
    }

    /// Tells those who wait for the session what it changed to, if it did.
    pub(crate) fn tell(&self, session: SessionId, value: T, changed: impl FnOnce(&T, &T) -> bool) {
        if let Some(waited) = self.waiters().get(&session) {
            waited.sender.send_if_modified(|before| {
                let changed = changed(before, &value);
                if changed {
                    *before = value;
                }
                changed
            });
        }
    }
}

impl Hub {
    /// Releases everybody in this process who waits for the session.
    pub(crate) fn wake(&self, session: SessionId) {
        if let Some(waited) = self.waiters().get(&session) {
            changed(waited);
        }
    }

    /// As [`Hub::wake`], after an append of this process that led to a version of the session.
    pub(crate) fn wake_appended(&self, session: SessionId, version: i64) {
        if let Some(waited) = self.waiters().get(&session) {
            waited.sender.send_modify(|change| {
                change.at = Some(Instant::now());
                change.appended = Some(version);
            });
        }
    }

    /// Releases everybody: wake-ups may have been missed.
    pub(crate) fn wake_all(&self) {
        self.waiters().values().for_each(changed);
    }
}

/// Something changed, and what is for the database to say.
fn changed(waited: &Waited<Change>) {
    waited.sender.send_modify(|change| {
        let now = Some(Instant::now());
        change.at = now;
        change.unknown_at = now;
    });
}

impl<T> Subscription<T> {
    /// Returns once the session changed since the last call, or since the subscription.
    pub(crate) async fn changed(&mut self) {
        if self.changes.changed().await.is_err() {
            // The sender lives as long as a subscription does, so this can't be; waiting is what stays safe.
            std::future::pending::<()>().await;
        }
    }
}

impl<T: Clone> Subscription<T> {
    /// What was told last.
    pub(crate) fn told(&self) -> T {
        self.changes.borrow().clone()
    }
}

impl<T> Drop for Subscription<T> {
    fn drop(&mut self) {
        let mut waiters = self.hub.waiters();
        if let Some(waited) = waiters.get_mut(&self.session) {
            waited.subscribed -= 1;
            if waited.subscribed == 0 {
                waiters.remove(&self.session);
            }
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

    #[tokio::test(start_paused = true)]
    async fn all_who_wait_are_told_the_same_time_however_late_they_hear() {
        let hub = Hub::default();
        let (mut one, mut two) = (hub.subscribe(SESSION), hub.subscribe(SESSION));
        let woken = Instant::now();
        hub.wake(SESSION);
        one.changed().await;
        assert_eq!(one.told().at(), woken);
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        two.changed().await;
        assert_eq!(two.told().at(), woken);
        hub.wake_all();
        assert_eq!(
            two.told().at(),
            Instant::now(),
            "a later change is not seen by an earlier look"
        );
    }

    #[test]
    fn an_append_of_this_process_is_told_as_such_while_nothing_else_happened() {
        let hub = Hub::<Change>::default();
        let waiting = hub.subscribe(SESSION);
        let begun = waiting.told();
        assert_eq!(begun.appended_since(begun), None);
        hub.wake_appended(SESSION, 8);
        assert_eq!(waiting.told().appended_since(begun), Some(8));
        hub.wake(SESSION);
        let after = waiting.told();
        assert_eq!(
            after.appended_since(begun),
            None,
            "a change that only the database knows"
        );
        hub.wake_appended(SESSION, 9);
        assert_eq!(
            waiting.told().appended_since(begun),
            None,
            "and it is not forgotten by what follows"
        );
        assert_eq!(waiting.told().appended_since(after), Some(9));
        hub.wake_all();
        assert_eq!(waiting.told().appended_since(after), None);
    }

    #[test]
    fn what_is_told_is_kept_and_what_did_not_change_releases_nobody() {
        let hub = Hub::<u8>::default();
        let mut waiting = hub.subscribe(SESSION);
        let differs = |before: &u8, now: &u8| before != now;
        let is_told = |waiting: &mut Subscription<u8>| {
            use futures_util::FutureExt as _;
            waiting.changed().now_or_never().map(|()| waiting.told())
        };
        hub.tell(SESSION, 4, differs);
        assert_eq!(is_told(&mut waiting), Some(4));
        hub.tell(SESSION, 4, differs);
        assert_eq!(is_told(&mut waiting), None);
        assert_eq!(hub.subscribe(SESSION).told(), 4, "newcomers are told as well");
    }

    #[test]
    fn a_session_that_nobody_waits_for_is_forgotten() {
        let hub = Hub::<Change>::default();
        let one = hub.subscribe(SESSION);
        let two = hub.subscribe(SESSION);
        drop(one);
        assert_eq!(hub.waited_for(), [SESSION]);
        drop(two);
        assert_eq!(hub.waited_for(), []);
    }

    #[test]
    fn nobody_waits_for_a_session_that_the_last_two_left_at_once() {
        const ROUNDS: u128 = 50_000;
        let hub = Hub::<Change>::default();
        let start = std::sync::Barrier::new(2);
        let (give, take) = std::sync::mpsc::sync_channel(1);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for subscription in take {
                    start.wait();
                    drop::<Subscription>(subscription);
                }
            });
            for round in 0..ROUNDS {
                let session = SessionId::from_bytes(round.to_be_bytes());
                let one = hub.subscribe(session);
                give.send(hub.subscribe(session)).unwrap();
                start.wait();
                drop(one);
            }
            drop(give);
        });
        assert_eq!(hub.waited_for(), []);
    }
}
