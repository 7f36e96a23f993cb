//! A wire to the plane that a test can hold and look at.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// A proxy between clients and a plane.
pub(crate) struct Proxy {
    port: u16,
    open: Arc<AtomicUsize>,
    held: watch::Sender<bool>,
    requests: Arc<Requests>,
    listening: JoinHandle<()>,
}

/// What clients asked.
struct Requests {
    /// Everything they sent.
    seen: Mutex<Vec<u8>>,
    /// Requests with this in them stay here.
    held: watch::Sender<Option<&'static str>>,
    /// How many have stayed so far.
    stayed: AtomicUsize,
}

impl Proxy {
    /// In front of the plane at `port`.
    pub(crate) async fn before(port: u16) -> Self {
        Self::at("127.0.0.1:0", port).await.unwrap()
    }

    /// As [`Proxy::before`], listening at `address`.
    pub(crate) async fn at(address: &str, port: u16) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let own_port = listener.local_addr().unwrap().port();
        let (held, holding) = watch::channel(false);
        let open: Arc<AtomicUsize> = Arc::default();
        let requests = Arc::new(Requests {
            seen: Mutex::default(),
            held: watch::channel(None).0,
            stayed: AtomicUsize::new(0),
        });
        let (counted, asked) = (open.clone(), requests.clone());
        let listening = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let (open, holding, requests) = (counted.clone(), holding.clone(), asked.clone());
                connections.spawn(async move {
                    open.fetch_add(1, Ordering::SeqCst);
                    let _ = carry(client, port, holding, &requests).await;
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Ok(Self {
            port: own_port,
            open,
            held,
            requests,
            listening,
        })
    }

    /// Cuts every connection and listens no more. Answers the address, where another may listen.
    pub(crate) async fn stop(self) -> String {
        self.listening.abort();
        let _ = self.listening.await;
        format!("127.0.0.1:{}", self.port)
    }

    /// From now on requests with `part` in them stay here.
    pub(crate) fn hold_requests(&self, part: &'static str) {
        self.requests.held.send_replace(Some(part));
    }

    /// Requests that were held go on.
    pub(crate) fn release_requests(&self) {
        self.requests.held.send_replace(None);
    }

    /// How many requests were held so far.
    pub(crate) fn stayed(&self) -> usize {
        self.requests.stayed.load(Ordering::SeqCst)
    }

    /// Waits until `count` requests were held.
    pub(crate) async fn until_held(&self, count: usize) {
        let started = Instant::now();
        while self.stayed() < count {
            assert!(started.elapsed() < Duration::from_secs(20), "nothing is held");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until a request with `part` in it came.
    pub(crate) async fn until_asked(&self, part: &str) {
        let started = Instant::now();
        while !self.seen().contains(part) {
            assert!(started.elapsed() < Duration::from_secs(20), "nobody asks {part}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Everything that clients sent.
    pub(crate) fn seen(&self) -> String {
        String::from_utf8_lossy(&self.requests.seen.lock().unwrap()).into_owned()
    }

    /// Its own port.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// From now on answers of the plane stay here.
    pub(crate) fn hold(&self) {
        self.held.send_replace(true);
    }

    /// What was held goes on.
    pub(crate) fn release(&self) {
        self.held.send_replace(false);
    }

    /// Connections that clients have open.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }

    /// Waits until `count` connections are open; how long that took.
    pub(crate) async fn until_open(&self, count: usize) -> Duration {
        let started = Instant::now();
        while self.open() != count {
            assert!(
                started.elapsed() < Duration::from_secs(10),
                "{} are open",
                self.open()
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        started.elapsed()
    }
}

async fn carry(
    client: TcpStream,
    port: u16,
    mut holding: watch::Receiver<bool>,
    requests: &Requests,
) -> std::io::Result<()> {
    let plane = TcpStream::connect(("127.0.0.1", port)).await?;
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_plane, mut to_plane) = plane.into_split();
    let there = async move {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let length = from_client.read(&mut buffer).await?;
            if length == 0 {
                return Ok(());
            }
            let sent = &buffer[..length];
            requests.seen.lock().unwrap().extend_from_slice(sent);
            let is_held =
                |part: &Option<&str>| part.is_some_and(|part| String::from_utf8_lossy(sent).contains(part));
            if is_held(&requests.held.borrow()) {
                requests.stayed.fetch_add(1, Ordering::SeqCst);
                let _ = requests.held.subscribe().wait_for(|part| !is_held(part)).await;
            }
            to_plane.write_all(sent).await?;
        }
    };
    let back = async move {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let length = from_plane.read(&mut buffer).await?;
            if length == 0 || holding.wait_for(|held| !held).await.is_err() {
                return Ok(());
            }
            to_client.write_all(&buffer[..length]).await?;
        }
    };
    // Either side's end is the end of both, so that a client that gives up is seen at once.
    tokio::select! {
        done = there => done,
        done = back => done,
    }
}
