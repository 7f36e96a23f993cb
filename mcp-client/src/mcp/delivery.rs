//! What is due after an answer has left: a reader's cursor moves only once the answer was written out.
//!
//! **Guarantee.** The bytes of the answer are in the operating system's pipe before its cursor move is written. If
//! this process dies in between, or the host is gone, or the call was cancelled, the cursor stays and the next read
//! returns the same messages again. The other way round is excluded as well: a new call starts only after the
//! moves of answers that were already written, so a host never gets the same messages twice without a failure.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::RequestId;

use crate::verbs::{BoxFuture, Failure};

/// What to do after the answer has been written.
pub(crate) type Due = BoxFuture<'static, Result<(), Failure>>;

/// The calls in flight and what is due after each. Cheap to clone: clones share one state.
#[derive(Clone, Default)]
pub(crate) struct Deliveries {
    calls: Arc<Mutex<HashMap<RequestId, Option<Due>>>>,
    writing: Arc<tokio::sync::Mutex<()>>,
}

impl Deliveries {
    /// Notes that a call with this id is in flight. False if one with the same id already is: its answer could not be
    /// told from the other one's.
    pub(crate) fn begin(&self, id: &RequestId) -> bool {
        match self.calls().entry(id.clone()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(free) => {
                free.insert(None);
                true
            }
        }
    }

    /// Waits until every move of an answer already written is done.
    pub(crate) async fn settled(&self) {
        drop(self.writing.lock().await);
    }

    /// Says what is due after the answer to `id`. Nothing is kept for a call that is no longer in flight.
    pub(crate) fn attach(&self, id: &RequestId, due: Due) {
        if let Some(call) = self.calls().get_mut(id) {
            *call = Some(due);
        }
    }

    /// Ends a call whose answer will not be written.
    pub(crate) fn forget(&self, id: &RequestId) {
        self.calls().remove(id);
    }

    /// Writes the answer to `id` and then does what is due after it. What is due is dropped if writing fails.
    pub(crate) async fn deliver<E>(
        &self,
        id: &RequestId,
        write: impl Future<Output = Result<(), E>>,
    ) -> Result<(), E> {
        let Some(due) = self.calls().remove(id).flatten() else {
            return write.await;
        };
        let _order = self.writing.lock().await;
        write.await?;
        if let Err(failure) = due.await {
            tracing::warn!(
                code = failure.code(),
                "the cursor was not moved; the next read repeats"
            );
        }
        Ok(())
    }

    fn calls(&self) -> std::sync::MutexGuard<'_, HashMap<RequestId, Option<Due>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn id(number: i64) -> RequestId {
        RequestId::Number(number)
    }

    fn counted(counter: &Arc<AtomicU32>) -> Due {
        let counter = counter.clone();
        Box::pin(async move {
            counter.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
    }

    #[tokio::test]
    async fn the_move_follows_the_write() {
        let (deliveries, moved) = (Deliveries::default(), Arc::new(AtomicU32::new(0)));
        assert!(deliveries.begin(&id(1)));
        deliveries.attach(&id(1), counted(&moved));
        let seen_while_writing = moved.clone();
        let write = async move {
            assert_eq!(seen_while_writing.load(Ordering::SeqCst), 0);
            Ok::<(), std::io::Error>(())
        };
        deliveries.deliver(&id(1), write).await.unwrap();
        assert_eq!(moved.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_failed_write_moves_nothing() {
        let (deliveries, moved) = (Deliveries::default(), Arc::new(AtomicU32::new(0)));
        deliveries.begin(&id(1));
        deliveries.attach(&id(1), counted(&moved));
        let broken = async { Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe)) };
        deliveries.deliver(&id(1), broken).await.unwrap_err();
        assert_eq!(moved.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn a_cancelled_call_leaves_nothing_for_the_next_of_its_id() {
        let (deliveries, moved) = (Deliveries::default(), Arc::new(AtomicU32::new(0)));
        deliveries.begin(&id(1));
        deliveries.forget(&id(1));
        deliveries.attach(&id(1), counted(&moved));
        assert!(deliveries.begin(&id(1)));
        deliveries
            .deliver(&id(1), async { Ok::<(), std::io::Error>(()) })
            .await
            .unwrap();
        assert_eq!(moved.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn two_calls_of_one_id_are_told_apart() {
        let deliveries = Deliveries::default();
        assert!(deliveries.begin(&id(1)));
        assert!(!deliveries.begin(&id(1)));
        assert!(deliveries.begin(&RequestId::String("1".into())));
    }

    #[tokio::test]
    async fn a_new_call_waits_for_the_move_of_a_written_answer() {
        let deliveries = Deliveries::default();
        let moved = Arc::new(AtomicU32::new(0));
        deliveries.begin(&id(1));
        deliveries.attach(&id(1), counted(&moved));
        let (release, released) = tokio::sync::oneshot::channel::<()>();
        let writer = deliveries.clone();
        let writing = tokio::spawn(async move {
            let write = async move {
                released.await.unwrap();
                Ok::<(), std::io::Error>(())
            };
            writer.deliver(&id(1), write).await
        });
        tokio::task::yield_now().await;
        let mut next = std::pin::pin!(deliveries.settled());
        assert!(futures_util::poll!(next.as_mut()).is_pending());
        release.send(()).unwrap();
        next.await;
        assert_eq!(moved.load(Ordering::SeqCst), 1);
        writing.await.unwrap().unwrap();
    }
}
