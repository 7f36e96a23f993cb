//! The process: takes its folder and its port, serves until it is told to stop, goes down in order.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::address::{self, Address, Seat};
use crate::connections;
use crate::git::{GitError, Scratch};
use crate::http;
use crate::service::{Clock, Service};
use crate::store::{Store, StoreError};

/// How often, and how far apart, a folder is tried: who looks whether a cockpit runs holds the lock for a moment.
const TRIES: u32 = 10;
const BETWEEN: Duration = Duration::from_millis(20);
/// How long requests under way, and then events that wait, may take once it goes down.
const DRAIN: Duration = Duration::from_secs(3);

/// How a cockpit is started.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it listens: of this machine alone. Port 0 takes a free one.
    pub listen: SocketAddr,
    /// The folder in which programs of the same user look for it.
    pub folder: PathBuf,
    /// The folder of its history.
    pub data: PathBuf,
}

/// It can't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Others could reach it.
    #[error(
        "{0} can be reached from other machines. The cockpit listens on this machine alone: 127.0.0.1 or [::1]."
    )]
    NotLoopback(SocketAddr),
    /// Somebody has the port.
    #[error("{0} is taken. Stop what listens there, or name another port with --listen.")]
    Taken(SocketAddr),
    /// The port can't be had for another reason.
    #[error("{listen} can't be listened on: {source}")]
    Listen {
        /// Where.
        listen: SocketAddr,
        /// The system's word.
        source: io::Error,
    },
    /// One runs already.
    #[error("a cockpit runs already{}. There is one for each DEVPILOT_HOME.", .0.as_deref().map(|url| format!(" at {url}")).unwrap_or_default())]
    Running(Option<String>),
    /// Its folder can't be used.
    #[error("{} can't be used: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's word.
        source: io::Error,
    },
    /// Its history can't be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Git can't be used.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The operating system gave no randomness.
    #[error("the system gave no randomness for a token")]
    NoRandomness,
}

/// A cockpit that has its port and its folder.
pub struct Cockpit {
    listener: TcpListener,
    listens: SocketAddr,
    routes: Router,
    worker: JoinHandle<()>,
    store: Store,
    _seat: Seat,
}

impl fmt::Debug for Cockpit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cockpit({})", self.listens)
    }
}

impl Cockpit {
    /// Takes the folder and the port, and opens the history. From then on it can be found; requests wait for
    /// [`Cockpit::serve`].
    ///
    /// # Errors
    /// [`StartError`]; nothing is left behind.
    pub async fn start(settings: &Settings) -> Result<Self, StartError> {
        let listen = settings.listen;
        if !listen.ip().is_loopback() {
            return Err(StartError::NotLoopback(listen));
        }
        let bad_folder = |source| StartError::Folder {
            folder: settings.folder.clone(),
            source,
        };
        let seat = take(settings).await.map_err(bad_folder)?;
        let seat =
            seat.ok_or_else(|| StartError::Running(address::find(&settings.folder).map(|found| found.url)))?;
        let listener = TcpListener::bind(listen)
            .await
            .map_err(|source| match source.kind() {
                io::ErrorKind::AddrInUse => StartError::Taken(listen),
                _ => StartError::Listen { listen, source },
            })?;
        let listens = listener
            .local_addr()
            .map_err(|source| StartError::Listen { listen, source })?;
        let store = Store::open(&settings.data).await?;
        Scratch::sweep(&settings.data);
        let (service, worker) = Service::start(store.clone(), &settings.data, clock()).await?;
        let address = Address {
            url: format!("http://{listens}"),
            token: token()?,
        };
        seat.tell(&settings.folder, &address).map_err(bad_folder)?;
        Ok(Self {
            routes: http::routes(service, &address.token),
            listener,
            listens,
            worker,
            store,
            _seat: seat,
        })
    }

    /// Where it listens.
    pub fn listens(&self) -> SocketAddr {
        self.listens
    }

    /// Serves until `stop` resolves; then finishes what is under way.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        connections::serve(self.listener, self.routes, stop, DRAIN).await;
        // The queue ends with the last connection; one that would not end is cut with the process.
        if tokio::time::timeout(DRAIN, self.worker).await.is_err() {
            tracing::info!("what was not looked at in time is looked at after the next start");
        }
        self.store.close().await;
    }
}

async fn take(settings: &Settings) -> io::Result<Option<Seat>> {
    for _ in 1..TRIES {
        match Seat::take(&settings.folder)? {
            Some(seat) => return Ok(Some(seat)),
            None => tokio::time::sleep(BETWEEN).await,
        }
    }
    Seat::take(&settings.folder)
}

fn token() -> Result<String, StartError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|_| StartError::NoRandomness)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn clock() -> Clock {
    std::sync::Arc::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}
