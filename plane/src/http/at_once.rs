//! A connection that wakes itself while it is polled is polled again at once.
//!
//! hyper does so each time the body of a request is taken. The runtime would put the connection at the end of its queue and wake
//! a second thread to come for it, which for one post after the other found nothing to do. Nothing here knows of HTTP.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;

/// Polls in a row before others come first.
const POLLS: usize = 4;

/// Bit of a gate: the future is being polled.
const POLLED: u8 = 1;
/// Bit of a gate: it was woken since its last poll began.
const WOKEN: u8 = 2;

/// Runs a future to its end. It is kept on the heap: an `async` block would take its room twice.
pub(super) fn at_once<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let mut future = Box::pin(future);
    let gate = Arc::new(Gate::default());
    let waker = Waker::from(Arc::clone(&gate));
    poll_fn(move |cx| gate.poll(future.as_mut(), &waker, cx))
}

/// What stands between a future and the task it is part of.
#[derive(Debug, Default)]
struct Gate {
    state: AtomicU8,
    task: AtomicWaker,
}

impl Gate {
    fn poll<F: Future>(
        &self,
        mut future: Pin<&mut F>,
        waker: &Waker,
        cx: &mut Context<'_>,
    ) -> Poll<F::Output> {
        self.task.register(cx.waker());
        for _ in 0..POLLS {
            // Takes over what was written before each wake-up so far; one from here on is seen below.
            self.state.swap(POLLED, Ordering::AcqRel);
            let polled = future.as_mut().poll(&mut Context::from_waker(waker));
            if polled.is_ready() || self.is_left_asleep() {
                return polled;
            }
        }
        self.state.swap(0, Ordering::AcqRel);
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Ends a poll, unless the future was woken meanwhile.
    fn is_left_asleep(&self) -> bool {
        self.state
            .compare_exchange(POLLED, 0, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }
}

impl Wake for Gate {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Whoever polls sees the bit; where nobody does, and it was not set yet, the task has to be woken.
        if self.state.fetch_or(WOKEN, Ordering::AcqRel) == 0 {
            self.task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::pin::pin;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicUsize;

    use tokio::sync::mpsc;

    use super::*;

    /// Counts how often the task is woken.
    #[derive(Default)]
    struct Task(AtomicUsize);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Polls a future that runs `each` with its waker at every poll and never ends; gives how often it was polled and the task
    /// woken.
    fn polled_once(mut each: impl FnMut(&Waker, usize)) -> (usize, usize) {
        let (task, mut polls) = (Arc::new(Task::default()), 0);
        let waker = Waker::from(Arc::clone(&task));
        let future = at_once(poll_fn(|cx| {
            polls += 1;
            each(cx.waker(), polls);
            Poll::<()>::Pending
        }));
        assert!(pin!(future).poll(&mut Context::from_waker(&waker)).is_pending());
        (polls, task.0.load(Ordering::Relaxed))
    }

    #[test]
    fn who_wakes_itself_is_polled_again_and_its_task_is_not_woken() {
        assert_eq!(
            polled_once(|waker, polls| if polls == 1 {
                waker.wake_by_ref();
            }),
            (2, 0)
        );
    }

    #[test]
    fn who_sleeps_is_polled_once() {
        assert_eq!(polled_once(|_, _| ()), (1, 0));
    }

    #[test]
    fn who_wakes_itself_at_every_poll_gives_way_to_others() {
        assert_eq!(polled_once(|waker, _| waker.wake_by_ref()), (POLLS, 1));
    }

    #[test]
    fn who_is_woken_while_asleep_has_its_task_woken_once() {
        let task = Arc::new(Task::default());
        let waker = Waker::from(Arc::clone(&task));
        let mut cx = Context::from_waker(&waker);
        let kept = Mutex::new(None);
        let mut future = pin!(at_once(poll_fn(|cx| {
            match kept.lock().unwrap().replace(cx.waker().clone()) {
                None => Poll::Pending,
                Some(_) => Poll::Ready(()),
            }
        })));
        assert!(future.as_mut().poll(&mut cx).is_pending());
        assert_eq!(task.0.load(Ordering::Relaxed), 0);
        for _ in 0..2 {
            kept.lock().unwrap().as_ref().unwrap().wake_by_ref();
            assert_eq!(task.0.load(Ordering::Relaxed), 1);
        }
        assert!(future.poll(&mut cx).is_ready());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nobody_is_forgotten_who_is_woken_while_polled() {
        const TURNS: usize = 20_000;
        let (to, mut from) = mpsc::channel(1);
        let (back, mut answers) = mpsc::channel(1);
        let answering = tokio::spawn(at_once(async move {
            while let Some(turn) = from.recv().await {
                back.send(turn).await.unwrap();
            }
        }));
        for turn in 0..TURNS {
            to.send(turn).await.unwrap();
            assert_eq!(answers.recv().await, Some(turn));
        }
        drop(to);
        answering.await.unwrap();
    }
}
