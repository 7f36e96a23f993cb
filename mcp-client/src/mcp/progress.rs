//! Progress of one call: strictly rising, at least every [`QUIET_AT_MOST`], and only for a caller who sent a token.
//!
//! Hosts end a call that is silent for too long, so the beat comes from here and not from the verb. The value is the
//! time the call has taken, in seconds.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::time::Instant;

/// The longest silence of a running call.
const QUIET_AT_MOST: Duration = Duration::from_secs(10);

/// The least by which one value lies above the one before, in seconds.
const STEP: f64 = 0.001;

/// Reports one call's progress.
pub(crate) struct Progress {
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    started: Instant,
    told: Mutex<Told>,
}

/// What was last said.
#[derive(Debug, Default, Clone)]
struct Told {
    value: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl Progress {
    /// For a call that starts now; without a token nothing is ever sent.
    pub(crate) fn new(peer: Peer<RoleServer>, token: Option<ProgressToken>) -> Self {
        Self {
            to: token.map(|token| (peer, token)),
            started: Instant::now(),
            told: Mutex::default(),
        }
    }

    /// Says how far the verb is; `total_s` is how long it takes at most.
    pub(crate) async fn say(&self, total_s: u64, message: &str) {
        #[allow(clippy::cast_precision_loss, reason = "seconds of one call")]
        let total = (total_s > 0).then_some(total_s as f64);
        self.send(total, Some(message.to_owned())).await;
    }

    /// Runs `work` and says that it goes on whenever it has been silent for long. Each report has left before `work`
    /// is polled again, so none follows the answer.
    pub(crate) async fn beat_while<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        if self.to.is_none() {
            return work.await;
        }
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = tokio::time::sleep(QUIET_AT_MOST) => {
                    let last = self.told().clone();
                    self.send(last.total, last.message).await;
                }
            }
        }
    }

    async fn send(&self, total: Option<f64>, message: Option<String>) {
        let Some((peer, token)) = &self.to else { return };
        let told = self.next(self.started.elapsed(), total, message);
        let mut report = ProgressNotificationParam::new(token.clone(), told.value);
        report.total = told.total.filter(|total| *total >= told.value);
        report.message = told.message;
        // A host that is gone is noticed where its answer is written.
        let _ = peer.notify_progress(report).await;
    }

    fn next(&self, elapsed: Duration, total: Option<f64>, message: Option<String>) -> Told {
        let mut told = self.told();
        told.value = elapsed.as_secs_f64().max(told.value + STEP);
        told.total = total;
        told.message = message;
        told.clone()
    }

    fn told(&self) -> std::sync::MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
