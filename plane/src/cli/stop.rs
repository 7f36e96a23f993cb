//! When to go down: SIGTERM, or Ctrl-C in a terminal.

use std::io;

/// Resolves when the process is told to stop.
///
/// # Errors
/// The system does not tell of signals.
#[cfg(unix)]
pub(super) fn told() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// See above.
///
/// # Errors
/// None here.
#[cfg(not(unix))]
pub(super) fn told() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without signals the process runs until it is killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
