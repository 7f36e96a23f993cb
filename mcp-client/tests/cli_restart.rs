//! A plane on this machine that is down for a moment: commands wait for it, as for any other.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::process::Stdio;
use std::time::Duration;

use stdio::Machine;
use stdio::plane::{Plane, Store};
use stdio::proxy::Proxy;
use stdio::terminal::at_terminal;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(60);

/// Ada shared, and Ben came in through the proxy.
async fn pair(plane: &Plane, proxy: &Proxy) -> (Machine, Machine) {
    let ada = plane.owner().with("DEVPILOT_NAME", "Ada");
    let shared = ada
        .run(["share", "--title", "Restart", "--as", "human"], b"start")
        .await;
    assert_eq!(shared.code(), 0, "{shared}");
    let link = ada
        .link()
        .replace(&plane.port().to_string(), &proxy.port().to_string());
    let ben = Machine::new()
        .with("DEVPILOT_NAME", "Ben")
        .with("RUST_LOG", "debug");
    let joined = ben.run(["join", "-"], link.as_bytes()).await;
    assert_eq!(joined.code(), 0, "{joined}");
    (ada, ben)
}

/// A command whose log is followed while it runs.
struct Followed {
    child: Child,
    log: BufReader<ChildStderr>,
}

impl Followed {
    async fn start<const N: usize>(machine: &Machine, arguments: [&str; N], input: &[u8]) -> Self {
        let mut child = machine
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).await.unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        Self { child, log }
    }

    /// Reads on until it says that it tries again.
    async fn tries_again(&mut self) {
        let mut seen = String::new();
        let found = async {
            while self.log.read_line(&mut seen).await.unwrap() > 0 {
                if seen.ends_with("the plane is tried again\n") || seen.contains("the plane is tried again ")
                {
                    return true;
                }
            }
            false
        };
        let found = tokio::time::timeout(LONG, found).await.expect("it tries again");
        assert!(found, "it ended: {seen}");
    }

    /// Its exit code and what it said.
    async fn end(mut self) -> (Option<i32>, String) {
        let (mut said, mut rest) = (String::new(), String::new());
        let mut stdout = self.child.stdout.take().unwrap();
        let ended = async {
            let (_, _) = tokio::join!(
                stdout.read_to_string(&mut said),
                self.log.read_to_string(&mut rest)
            );
            self.child.wait().await.unwrap().code()
        };
        let code = tokio::time::timeout(LONG, ended).await.expect("it ends");
        (code, said + &rest)
    }
}

#[tokio::test]
async fn a_post_waits_for_a_plane_that_starts_again() {
    let plane = Plane::start(Store::Sqlite).await;
    let proxy = Proxy::before(plane.port()).await;
    let (ada, ben) = pair(&plane, &proxy).await;
    let address = proxy.stop().await;
    let mut posting = Followed::start(&ben, ["post"], b"while it was away").await;
    posting.tries_again().await;
    let _again = Proxy::at(&address, plane.port()).await.unwrap();
    let (code, said) = posting.end().await;
    assert_eq!(code, Some(0), "{said}");
    let read = ada.run(["read", "--json", "--as", "human"], b"").await.json();
    assert_eq!(read["messages"][0]["text"], "while it was away", "{read}");
    assert_eq!(read["messages"].as_array().unwrap().len(), 1, "{read}");
}

#[tokio::test]
async fn a_wait_goes_on_over_a_plane_that_starts_again() {
    let plane = Plane::start(Store::Sqlite).await;
    let proxy = Proxy::before(plane.port()).await;
    let (ada, ben) = pair(&plane, &proxy).await;
    let set = at_terminal(&ada, "mode relay --as human", "relay\n").await;
    assert_eq!(set.code(), 0, "{set}");
    ben.run(["read"], b"").await;
    let mut waiting = Followed::start(&ben, ["wait", "--timeout", "60", "--json"], b"").await;
    proxy.until_asked("&wait=").await;
    let address = proxy.stop().await;
    // Once for the connection that broke, once for the one that nobody took.
    waiting.tries_again().await;
    waiting.tries_again().await;
    let _again = Proxy::at(&address, plane.port()).await.unwrap();
    let posted = ada.run(["post", "--as", "human"], b"there again").await;
    assert_eq!(posted.code(), 0, "{posted}");
    let (code, said) = waiting.end().await;
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("there again"), "{said}");
}

/// Nothing listens there and nothing will: it is said soon, and what was tried left nothing behind.
#[tokio::test]
async fn a_plane_that_does_not_run_is_said() {
    let plane = Plane::start(Store::Sqlite).await;
    let proxy = Proxy::before(plane.port()).await;
    let (ada, _ben) = pair(&plane, &proxy).await;
    let link = ada
        .link()
        .replace(&plane.port().to_string(), &proxy.port().to_string());
    proxy.stop().await;
    let sam = Machine::new().with("DEVPILOT_NAME", "Sam");
    let joined = sam.run(["join", "-", "--json"], link.as_bytes()).await;
    assert_eq!(
        (joined.code(), joined.json()["error"].as_str()),
        (1, Some("loopback_link")),
        "{joined}"
    );
    let known = sam.run(["sessions", "--json"], b"").await.json();
    assert_eq!(known["seats"].as_array().unwrap().len(), 0, "{known}");
}
