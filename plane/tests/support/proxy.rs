//! What stands between a plane and Postgres when a network fails: passes bytes on, and when told to, stops doing so without closing
//! anything: for the connections that listen, or for all that are there.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How far it passes things on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passing {
    All,
    /// Connections that listen are silent, however long they live, and those that ask to listen become so.
    Silent,
}

/// Stops when dropped.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
    task: tokio::task::JoinHandle<()>,
}

struct State {
    passing: watch::Sender<Passing>,
    /// How often all connections were cut.
    cuts: watch::Sender<u32>,
    /// Connections that asked to listen so far.
    listeners: AtomicUsize,
}

impl Proxy {
    /// Before a Postgres on this machine.
    pub(crate) async fn before(server: SocketAddr) -> Self {
        let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = door.local_addr().unwrap();
        let state = Arc::new(State {
            passing: watch::Sender::new(Passing::All),
            cuts: watch::Sender::new(0),
            listeners: AtomicUsize::new(0),
        });
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            loop {
                let (client, _) = door.accept().await.unwrap();
                let server = TcpStream::connect(server).await.unwrap();
                tokio::spawn(pass(client, server, Arc::clone(&shared)));
            }
        });
        Self { address, state, task }
    }

    /// As a URL's server.
    pub(crate) fn server(&self) -> String {
        format!("postgres://postgres@{}/postgres", self.address)
    }

    /// Those who listen hear nothing more and are not told why, and so do those who ask to from now on.
    pub(crate) fn silence(&self) {
        self.state.passing.send_replace(Passing::Silent);
    }

    /// All connections that are there are silent for good; those that are made from now on work.
    pub(crate) fn cut(&self) {
        self.state.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Who asks from now on hears; those that were silenced stay so.
    pub(crate) fn heal(&self) {
        self.state.passing.send_replace(Passing::All);
    }

    /// How many connections have asked to listen.
    pub(crate) fn listeners(&self) -> usize {
        self.state.listeners.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(mut client: TcpStream, mut server: TcpStream, state: Arc<State>) {
    let mut passing = state.passing.subscribe();
    let mut cuts = state.cuts.subscribe();
    let (mut asked, mut answered) = ([0; 16_384], [0; 16_384]);
    let mut listens = false;
    let mut silenced = false;
    loop {
        tokio::select! {
            biased;
            changed = passing.changed() => {
                if changed.is_err() { return }
                silenced |= listens && *passing.borrow_and_update() != Passing::All;
            }
            changed = cuts.changed() => {
                if changed.is_err() { return }
                silenced = true;
            }
            count = client.read(&mut asked) => {
                let Some(bytes) = some(count, &asked) else { return };
                if !listens && contains(bytes, b"LISTEN \"") {
                    listens = true;
                    silenced = *passing.borrow() == Passing::Silent;
                    state.listeners.fetch_add(1, Ordering::SeqCst);
                }
                if !silenced && server.write_all(bytes).await.is_err() { return }
            }
            count = server.read(&mut answered) => {
                let Some(bytes) = some(count, &answered) else { return };
                if !silenced && client.write_all(bytes).await.is_err() { return }
            }
        }
    }
}

fn some(count: std::io::Result<usize>, buffer: &[u8]) -> Option<&[u8]> {
    count
        .ok()
        .filter(|count| *count > 0)
        .map(|count| &buffer[..count])
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
