//! The way into the appender: bounded in bytes, so that a flood is refused and never lost.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;

use super::batch::Writer;
use super::message::{Message, Reply};
use super::plan::Job;
use crate::service::{ServiceError, Shared};

/// When to try again while the queue is full, in seconds.
const FULL_RETRY_S: u64 = 1;

/// No post takes less of the queue, in bytes: the shortest sealed form and what it takes beside.
const SMALLEST: usize = 1_024;

/// Takes posts to the one writer of this process.
#[derive(Debug, Clone)]
pub(crate) struct Appender {
    queue: Arc<Mutex<Option<mpsc::Sender<Job>>>>,
    room: Arc<Semaphore>,
    writer: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl Appender {
    /// Starts the writer.
    pub(crate) fn start(shared: &Arc<Shared>) -> Self {
        let bytes = usize::try_from(shared.limits().append_queue_bytes).unwrap_or(Semaphore::MAX_PERMITS);
        // The bytes are what bounds it: so many of the smallest posts there are.
        let (queue, jobs) = mpsc::channel(bytes / SMALLEST + 1);
        let writer = Writer::new(Arc::clone(shared), queue.downgrade());
        let writer = tokio::spawn(writer.run(jobs));
        Self {
            queue: Arc::new(Mutex::new(Some(queue))),
            room: Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))),
            writer: Arc::new(Mutex::new(Some(writer))),
        }
    }

    /// Appends a post; answers once it is durable, or refused.
    pub(crate) async fn append(&self, message: Message) -> Reply {
        let place = Arc::clone(&self.room)
            .try_acquire_many_owned(message.cost())
            .map_err(|_| ServiceError::RateLimited {
                limit: "append_queue_bytes",
                retry_after_s: FULL_RETRY_S,
            })?;
        let (reply, answer) = oneshot::channel();
        let job = Job {
            message,
            reply,
            place,
        };
        let sent = {
            let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.as_ref().is_some_and(|queue| queue.try_send(job).is_ok())
        };
        if !sent {
            return Err(ServiceError::Draining);
        }
        answer.await.unwrap_or(Err(ServiceError::Draining))
    }

    /// Takes no more posts and returns once those in the queue are answered. Idempotent.
    pub(crate) async fn finish(&self) {
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer
            && let Err(error) = writer.await
        {
            tracing::error!(%error, "the writer ended badly");
        }
    }
}
