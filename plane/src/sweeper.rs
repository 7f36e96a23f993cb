//! What happens by itself: what came due, what grew too large, what was seen.
//!
//! Each is an ordinary write under the session's lock that looks again before it acts, so that several processes
//! may find the same thing due and it is done once.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use wire::ids::SessionId;

use crate::service::Shared;

/// How often is looked for what came due. Auto ends within a second of its time.
const LOOK: Duration = Duration::from_millis(500);
/// How often presence is written, and read for those who stream.
const WRITE_PRESENCE: Duration = Duration::from_secs(5);
/// How often tombstones and machines that wait to be connected are looked through.
const LOOK_AT_THE_REST: Duration = Duration::from_secs(60);
/// Sessions that wait to be evicted from; one that finds no place comes again with its next record.
pub(crate) const OVERSIZED: usize = 1_024;
/// After an error, so long until the next try.
const PAUSE: Duration = Duration::from_secs(1);

/// Does what comes due, until it is stopped.
pub(crate) async fn sweep(shared: Arc<Shared>, stop: CancellationToken) {
    let mut ticks = interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut rest = Instant::now();
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        if let Err(error) = shared.sweep_due().await {
            tracing::warn!(%error, "the sweeper tries again");
            stop.run_until_cancelled(tokio::time::sleep(PAUSE)).await;
        }
        if rest.elapsed() >= LOOK_AT_THE_REST {
            rest = Instant::now();
            if let Err(error) = shared.drop_tombstones().await {
                tracing::warn!(%error, "tombstones are looked through again");
            }
            if let Err(error) = shared.drop_connects().await {
                tracing::warn!(%error, "machines that asked to be connected are looked through again");
            }
        }
    }
}

/// Evicts from sessions that grew beyond their limits, until it is stopped.
pub(crate) async fn evict(
    shared: Arc<Shared>,
    mut oversized: mpsc::Receiver<SessionId>,
    stop: CancellationToken,
) {
    let mut arrived = Vec::new();
    loop {
        let some = stop
            .run_until_cancelled(oversized.recv_many(&mut arrived, OVERSIZED))
            .await;
        if some.is_none_or(|count| count == 0) {
            return;
        }
        for session in arrived.drain(..).collect::<BTreeSet<_>>() {
            // What is left here, after an error or a stop, is found again at the session's next record.
            let mut has_begun = false;
            while !stop.is_cancelled() {
                match shared.evict(session, has_begun).await {
                    Ok(true) => has_begun = true,
                    Ok(false) => break,
                    Err(error) => {
                        tracing::warn!(%error, "records beyond the limit stay for now");
                        break;
                    }
                }
            }
        }
    }
}

/// Wakes who waits for a session that changed without a wake-up having come here, until it is stopped: what a lost
/// one costs is time, and never a record.
pub(crate) async fn read_again(shared: Arc<Shared>, stop: CancellationToken) {
    let mut seen = HashMap::new();
    while stop
        .run_until_cancelled(shared.read_again_is_due())
        .await
        .is_some()
    {
        if let Err(error) = shared.wake_changed(&mut seen).await {
            tracing::warn!(%error, "sessions that are waited for are read again later");
        }
    }
}

/// Writes presence now and then, and tells those who stream who is here; writes once more when it is stopped.
pub(crate) async fn write_presence(shared: Arc<Shared>, stop: CancellationToken) {
    let mut ticks = interval(WRITE_PRESENCE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let stopped = stop.run_until_cancelled(ticks.tick()).await.is_none();
        if let Err(error) = shared.write_presence().await {
            tracing::warn!(%error, "presence was not written");
        }
        if stopped {
            return;
        }
        if let Err(error) = shared.tell_rosters().await {
            tracing::warn!(%error, "streams are told later who is here");
        }
    }
}
