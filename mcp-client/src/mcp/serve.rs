//! The life of the server's process: it starts without touching network or disk, serves one connection, and is gone
//! within two seconds of the end of its input or of a signal, whatever is still running.

use std::time::Duration;

use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use tokio_util::sync::CancellationToken;

use super::delivery::Deliveries;
use super::groups::{self, GroupError, Groups};
use super::server::SessionServer;
use super::transport;
use crate::home::Environment;
use crate::verbs;

/// How long running calls may go on by themselves once the input has ended.
const FINISH_WITHIN: Duration = Duration::from_millis(1_000);

/// How long calls that were told to end have to answer after a signal.
const ANSWER_WITHIN: Duration = Duration::from_millis(200);

/// How long the process lives on in all once the connection is ending.
const GONE_WITHIN: Duration = Duration::from_millis(1_700);

/// The server could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system gave no runtime or no signal handler.
    #[error("The system did not give what a server needs: {0}.")]
    System(#[from] std::io::Error),
    /// The setting of what a host is shown can't be kept to.
    #[error(transparent)]
    Groups(#[from] GroupError),
    /// What came first was not an MCP handshake.
    #[error(
        "What came on standard input is not MCP. This command without arguments is for an MCP host; for a person: {}",
        verbs::command::line("--help")
    )]
    NotMcp,
    /// The connection broke.
    #[error("The connection to the MCP host broke.")]
    Broken,
}

/// Serves MCP on standard input and output until the input ends or a signal comes.
///
/// # Errors
/// See [`ServeError`]. The end of input is not one, whenever it comes.
pub fn serve() -> Result<(), ServeError> {
    let setting = Environment::process().get(groups::VARIABLE);
    let groups = Groups::chosen(setting.as_deref())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(connection(&groups));
    // A thread that still reads from a terminal can't be stopped; the end of the process does that.
    runtime.shutdown_background();
    served
}

async fn connection(groups: &Groups) -> Result<(), ServeError> {
    let mut signals = Signals::new()?;
    let deliveries = Deliveries::default();
    let (ending, closing, stop) = (
        CancellationToken::new(),
        CancellationToken::new(),
        CancellationToken::new(),
    );
    let wire = transport::stdio(deliveries.clone(), ending.clone());
    let server = SessionServer::new(groups.shown(), deliveries, closing.clone(), ending.clone());
    let mut serving = std::pin::pin!(async {
        match serve_server_with_ct(server, wire, stop.clone()).await {
            Ok(running) => match running.waiting().await {
                Ok(QuitReason::Closed | QuitReason::Cancelled) => Ok(()),
                _ => Err(ServeError::Broken),
            },
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
            Err(ServerInitializeError::TransportError { .. }) => Err(ServeError::Broken),
            Err(_) => Err(ServeError::NotMcp),
        }
    });
    tokio::select! {
        served = &mut serving => return served,
        () = ending.cancelled() => {}
        () = signals.next() => closing.cancel(),
    }
    let gone = tokio::time::Instant::now() + GONE_WITHIN;
    let wind_up = async {
        if ending.is_cancelled() {
            tokio::time::sleep(FINISH_WITHIN).await;
            closing.cancel();
        } else {
            tokio::time::sleep(ANSWER_WITHIN).await;
            stop.cancel();
        }
        tokio::time::sleep_until(gone).await;
    };
    tokio::select! {
        served = &mut serving => served,
        () = wind_up => Ok(()),
    }
}

/// The signals that end the server.
#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> Result<Self, std::io::Error> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// The signal that ends the server where there are no others.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Result<Self, std::io::Error> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
