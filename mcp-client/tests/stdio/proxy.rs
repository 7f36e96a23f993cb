//! A wire to the plane that a test can hold and look at.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A proxy between clients and a plane.
pub(crate) struct Proxy {
    port: u16,
    open: Arc<AtomicUsize>,
    held: watch::Sender<bool>,
}

impl Proxy {
    /// In front of the plane at `port`.
    pub(crate) async fn before(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (held, holding) = watch::channel(false);
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            open: Arc::default(),
            held,
        };
        let open = proxy.open.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (open, holding) = (open.clone(), holding.clone());
                tokio::spawn(async move {
                    open.fetch_add(1, Ordering::SeqCst);
                    let _ = carry(client, port, holding).await;
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        proxy
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

async fn carry(client: TcpStream, port: u16, mut holding: watch::Receiver<bool>) -> std::io::Result<()> {
    let plane = TcpStream::connect(("127.0.0.1", port)).await?;
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_plane, mut to_plane) = plane.into_split();
    let there = async move {
        let copied = tokio::io::copy(&mut from_client, &mut to_plane).await;
        copied.map(|_| ())
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
