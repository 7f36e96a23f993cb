//! The background tasks of a service: started once, stopped by its drain, or when its last clone is gone.

use std::sync::{Mutex, PoisonError};

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Tasks that run until they are told to stop.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    running: Mutex<JoinSet<()>>,
    stop: CancellationToken,
}

impl Tasks {
    /// Starts a task; it ends by itself soon after the token it is handed is cancelled.
    pub(super) fn start<F>(&self, task: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.spawn(task(self.stop.clone()));
    }

    /// Tells all tasks to stop and waits for them.
    pub(super) async fn stop(&self) {
        self.stop.cancel();
        let mut running = {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *running)
        };
        while running.join_next().await.is_some() {}
    }
}
