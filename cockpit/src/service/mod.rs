//! What the cockpit does: takes events in, one after the other, and answers questions.
//!
//! - `intake`: the queue of events, and what each one changes
//! - `look`: git is asked, and what it says is kept
//! - `answer`: from the tables to an answer

mod answer;
mod intake;
mod look;

use std::path::Path;
use std::sync::Arc;

use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

use crate::contract::{Event, History, Question, Taken};
use crate::git::{GitError, Scratch};
use crate::limits;
use crate::store::{Store, StoreError};

/// Milliseconds since 1970, UTC.
pub(crate) type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServiceError {
    #[error("{0}")]
    Refused(String),
    #[error("several repositories go by that name: say more of it, such as its owner")]
    Ambiguous,
    #[error("too many events wait")]
    Busy,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Git(#[from] GitError),
}

/// The service. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Service {
    core: Arc<Core>,
    queue: mpsc::Sender<intake::Job>,
}

/// What both the intake and the answers use.
struct Core {
    store: Store,
    scratch: Scratch,
    clock: Clock,
    /// Held while merges are made again: two at once would make the same ones.
    merging: Mutex<()>,
}

impl Service {
    /// Starts it on an open store, with a scratch folder under `folder`. The handle ends once every clone is gone and what
    /// waited is done.
    pub(crate) async fn start(
        store: Store,
        folder: &Path,
        clock: Clock,
    ) -> Result<(Self, JoinHandle<()>), GitError> {
        let scratch = Scratch::make(folder).await?;
        let core = Arc::new(Core {
            store,
            scratch,
            clock,
            merging: Mutex::new(()),
        });
        let (queue, jobs) = mpsc::channel(limits::QUEUE);
        let worker = tokio::spawn(intake::work(core.clone(), jobs));
        Ok((Self { core, queue }, worker))
    }

    /// Takes an event in; answers once it is on the disk. Git is asked after that, and goes on when the caller has gone.
    pub(crate) async fn take(&self, event: Event) -> Result<Taken, ServiceError> {
        intake::check(&event)?;
        let at = (self.core.clock)();
        let (reply, answer) = tokio::sync::oneshot::channel();
        self.queue
            .try_send(intake::Job::Event { event, at, reply })
            .map_err(|_| ServiceError::Busy)?;
        answer.await.map_err(|_| ServiceError::Busy)?
    }

    /// Answers a question. What was reported before it is in the answer, unless that takes too long.
    pub(crate) async fn ask(&self, question: &Question) -> Result<History, ServiceError> {
        answer::check(question)?;
        let (reply, settled) = tokio::sync::oneshot::channel();
        if self.queue.try_send(intake::Job::Settle(reply)).is_ok() {
            // Later is better than not at all.
            let _ = tokio::time::timeout(limits::SETTLE_TIME, settled).await;
        }
        self.core.history(question).await
    }
}
