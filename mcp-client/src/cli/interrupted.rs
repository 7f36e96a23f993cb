//! What ends a command that goes on for long: a signal, or that nobody reads what it would say.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::verbs::{Failure, code};

/// Between two looks at who holds the other end of standard output.
const LOOK: Duration = Duration::from_secs(3);

/// Runs it until it is done, the system asks this process to end, or nobody holds the other end of standard output any
/// more. Ctrl-C fires `cancelled` everywhere already.
pub(super) async fn or_unheard<T>(
    cancelled: &CancellationToken,
    running: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    tokio::select! {
        biased;
        done = or_told(cancelled, running) => done,
        () = unheard() => {
            cancelled.cancel();
            Err(Failure::new(code::CANCELLED, "Nobody reads its standard output any more."))
        }
    }
}

/// Runs what shows messages until it is done or the system asks this process to end. It looks at `cancelled` itself.
pub(super) async fn or_told<T>(
    cancelled: &CancellationToken,
    running: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    or_terminated(cancelled, running, "It was asked to end. Nothing counts as read.").await
}

/// Runs it until it is done or Ctrl-C fires `cancelled`. What it has begun is then dropped.
pub(super) async fn or_cancelled<T>(
    cancelled: &CancellationToken,
    running: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    tokio::select! {
        biased;
        done = running => done,
        () = cancelled.cancelled() => Err(Failure::new(code::CANCELLED, "It was asked to end.")),
    }
}

/// As [`or_cancelled`], also when the system asks this process to end.
pub(super) async fn or_ended<T>(
    cancelled: &CancellationToken,
    running: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    or_terminated(
        cancelled,
        or_cancelled(cancelled, running),
        "It was asked to end.",
    )
    .await
}

/// Runs it until it is done or the system asks this process to end, which is heard from before it begins. `said` is what
/// is answered then.
async fn or_terminated<T>(
    cancelled: &CancellationToken,
    running: impl Future<Output = Result<T, Failure>>,
    said: &str,
) -> Result<T, Failure> {
    let terminated = terminated();
    tokio::select! {
        biased;
        done = running => done,
        () = terminated => {
            cancelled.cancel();
            Err(Failure::new(code::CANCELLED, said))
        }
    }
}

/// Resolves when the system asks this process to end. It is heard from now on, not from the first poll on.
#[cfg(unix)]
pub(super) fn terminated() -> impl Future<Output = ()> + Send + 'static {
    use tokio::signal::unix::{SignalKind, signal};
    let asked = signal(SignalKind::terminate());
    async move {
        match asked {
            Ok(mut asked) => {
                asked.recv().await;
            }
            // The signal then ends this process by itself.
            Err(_) => std::future::pending().await,
        }
    }
}

/// Windows ends a process without asking it.
#[cfg(not(unix))]
pub(super) async fn terminated() {
    std::future::pending().await
}

async fn unheard() {
    let mut looks = tokio::time::interval(LOOK);
    loop {
        looks.tick().await;
        if is_unheard() {
            return;
        }
    }
}

/// Whether standard output is a pipe, a socket or a terminal whose other end is gone.
#[cfg(unix)]
fn is_unheard() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = std::io::stdout();
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let gone = PollFlags::ERR | PollFlags::HUP;
    poll(&mut watched, Some(&at_once)).is_ok() && watched.iter().any(|one| one.revents().intersects(gone))
}

/// Not looked at on Windows: the time has to do.
#[cfg(not(unix))]
fn is_unheard() -> bool {
    false
}
