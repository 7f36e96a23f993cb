//! Reading on while the host runs, in every mode, so that the cache is current for whoever looks at it offline.
//! Shows nothing to the model and marks nothing read.

use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::subscriptions::Subscriptions;
use crate::verbs::App;

/// How often, while tools are in use.
const LATELY: Duration = Duration::from_secs(15);
/// How often otherwise: every so many turns, once a minute.
const TURNS_WHEN_IDLE: u32 = 4;
/// How long after a call the tools count as in use.
const IN_USE: Duration = Duration::from_secs(300);

/// Fetches for the sessions that this process holds or somebody follows, from its first call on.
pub(super) struct Background {
    started: Once,
    last_call: Arc<Mutex<Option<Instant>>>,
    subscriptions: Subscriptions,
}

impl Background {
    /// Nothing is fetched before the first call.
    pub(super) fn new(subscriptions: Subscriptions) -> Self {
        Self {
            started: Once::new(),
            last_call: Arc::default(),
            subscriptions,
        }
    }

    /// Notes a call; the first one starts the fetching, which ends with `closing`.
    pub(super) fn called(&self, app: &Arc<App>, closing: &CancellationToken) {
        *self.last_call.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.started.call_once(|| {
            let (app, closing) = (Arc::clone(app), closing.clone());
            let last_call = Arc::clone(&self.last_call);
            let subscriptions = self.subscriptions.clone();
            tokio::spawn(async move {
                let fetching = fetch(app, last_call, subscriptions);
                let _ended = closing.run_until_cancelled(fetching).await;
            });
        });
    }
}

async fn fetch(app: Arc<App>, last_call: Arc<Mutex<Option<Instant>>>, subscriptions: Subscriptions) {
    let mut turns = tokio::time::interval_at(Instant::now() + LATELY, LATELY);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut idle_turns = 0;
    loop {
        turns.tick().await;
        let called = *last_call.lock().unwrap_or_else(PoisonError::into_inner);
        if is_due(called.map(|at| at.elapsed()), &mut idle_turns) {
            let followed = subscriptions.sessions();
            app.fetch(&followed).await;
            for session in &followed {
                if let Ok(newest) = app.newest_by_others(session, None).await {
                    subscriptions.tell(session, newest).await;
                }
            }
        }
    }
}

/// Whether this turn fetches: each one while tools are in use, else every fourth.
fn is_due(since_call: Option<Duration>, idle_turns: &mut u32) -> bool {
    if since_call.is_some_and(|since| since < IN_USE) {
        *idle_turns = 0;
        return true;
    }
    *idle_turns = (*idle_turns + 1) % TURNS_WHEN_IDLE;
    *idle_turns == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_turn_while_in_use_and_once_a_minute_otherwise() {
        let mut idle = 0;
        let soon = Some(Duration::from_secs(299));
        assert!((0..3).all(|_| is_due(soon, &mut idle)));
        let late = Some(Duration::from_secs(300));
        let turns: Vec<bool> = (0..8).map(|_| is_due(late, &mut idle)).collect();
        assert_eq!(turns, [false, false, false, true, false, false, false, true]);
        assert!(is_due(soon, &mut idle));
    }
}
