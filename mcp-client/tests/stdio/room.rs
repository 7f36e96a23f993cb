//! A person and an agent in one session: Ada shares and writes by commands, Ben's agent has a server, and a shell.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::process::{Child, Command};

use super::pair::agent;
use super::plane::Plane;
use super::terminal::at_terminal;
use super::{Machine, PATIENCE, Ran, Server};

/// The session's title.
pub(crate) const TITLE: &str = "Stale \"cache\"\u{202e} <b>";
/// What Ada hands over.
pub(crate) const HANDOFF: &str = "needle-handoff: the cache is stale.";

/// Both, and the plane's session.
pub(crate) struct Room {
    pub(crate) ada: Machine,
    pub(crate) ben: Machine,
    pub(crate) server: Server,
    pub(crate) session: String,
}

impl Room {
    /// In observe.
    pub(crate) async fn new(plane: &Plane) -> Self {
        let ada = plane.owner().with("DEVPILOT_NAME", "Ada");
        let shared = ada
            .run(
                ["share", "--title", TITLE, "--as", "human", "--json"],
                HANDOFF.as_bytes(),
            )
            .await;
        assert_eq!(shared.code(), 0, "{shared}");
        let ben = Machine::new()
            .with("DEVPILOT_NAME", "Ben")
            .with("DEVPILOT_SESSION_LINK", &ada.link());
        let mut server = agent(&ben).await;
        let joined = server.call("join", json!({})).await;
        assert!(!joined.failed(), "{}", joined.text());
        Self {
            session: shared.json()["session"].as_str().unwrap().to_owned(),
            ada,
            ben,
            server,
        }
    }

    /// In relay.
    pub(crate) async fn in_relay(plane: &Plane) -> Self {
        let mut room = Self::new(plane).await;
        room.mode("relay").await;
        // The notice is read, so that nothing is left.
        room.server.call("read", json!({})).await.structured();
        room
    }

    /// Ada sets a mode.
    pub(crate) async fn mode(&self, mode: &str) {
        let set = at_terminal(
            &self.ada,
            &format!("mode {mode} --as human"),
            &format!("{mode}\n"),
        )
        .await;
        assert_eq!(set.code(), 0, "{set}");
    }

    /// Ada writes.
    pub(crate) async fn post(&self, text: &str) {
        let posted = self.ada.run(["post", "--as", "human"], text.as_bytes()).await;
        assert_eq!(posted.code(), 0, "{posted}");
    }

    /// Ben's shell listens in the background.
    pub(crate) async fn listen(&self, more: &[&str]) -> Listener {
        let mut command = self.ben.command(["listen"]);
        command.args(more);
        let listener = Listener::start(&mut command);
        self.until_listening().await;
        listener
    }

    /// Waits until the plane says that Ben's agent listens.
    pub(crate) async fn until_listening(&self) {
        let started = Instant::now();
        loop {
            let who = self.ada.run(["who", "--as", "human", "--json"], b"").await.json();
            let mut all = who["participants"].as_array().unwrap().iter();
            if all.any(|one| one["me"] == false && one["listening"] == true) {
                return;
            }
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "nobody listens: {who}"
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// A listen in the background.
pub(crate) struct Listener {
    child: Child,
}

impl Listener {
    pub(crate) fn start(command: &mut Command) -> Self {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self { child }
    }

    /// Its end.
    pub(crate) async fn end(self) -> Ran {
        let output = tokio::time::timeout(PATIENCE, self.child.wait_with_output())
            .await
            .expect("it ends")
            .unwrap();
        Ran {
            status: output.status,
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Its end by a message, within `within`; what it said.
    pub(crate) async fn woken(self, within: Duration) -> Value {
        let started = Instant::now();
        let ran = self.end().await;
        assert!(started.elapsed() < within, "it took {:?}", started.elapsed());
        assert_eq!(ran.code(), 0, "{ran}");
        said(&ran)
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().unwrap().to_string();
        let sent = std::process::Command::new("kill")
            .args(["-s", name, &id])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Whoever reads what it says is gone. Its end.
    pub(crate) async fn deserted(mut self) -> std::process::ExitStatus {
        drop(self.child.stdout.take());
        tokio::time::timeout(Duration::from_secs(10), self.child.wait())
            .await
            .expect("it ends by itself")
            .unwrap()
    }
}

/// The one line of JSON that it said.
pub(crate) fn said(ran: &Ran) -> Value {
    assert_eq!(ran.stdout.lines().count(), 1, "{ran}");
    assert!(
        !ran.stdout.contains("needle") && !ran.stderr.contains("needle"),
        "{ran}"
    );
    ran.json()
}
