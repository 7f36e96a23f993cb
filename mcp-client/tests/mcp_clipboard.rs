//! The note on a real clipboard, under an X server of its own.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
#![allow(clippy::print_stderr, reason = "what is skipped is said")]

mod stdio;

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use stdio::plane::{Plane, Store};
use stdio::{Machine, link_in};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// An X server; it ends with the test.
struct Screen {
    _server: Child,
    display: String,
}

impl Screen {
    /// None where it or the tool that reads its clipboard is not installed.
    async fn start() -> Option<Self> {
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "640x480x24",
                "-nolisten",
                "tcp",
                // Else it starts anew when its last client goes, and cuts off the next one that is just coming.
                "-noreset",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        let tool = Command::new("xclip")
            .arg("-version")
            .stderr(Stdio::null())
            .status()
            .await;
        let (Ok(server), Ok(_)) = (&mut server, tool) else {
            eprintln!("SKIPPED: the clipboard, since Xvfb or xclip is not installed");
            return None;
        };
        let mut number = String::new();
        let stdout = server.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut number).await.unwrap();
        let display = format!(":{}", number.trim());
        Some(Self {
            _server: std::mem::replace(server, Command::new("true").spawn().unwrap()),
            display,
        })
    }

    fn at(&self, machine: Machine) -> Machine {
        machine
            .without("DEVPILOT_CLIPBOARD")
            .with("DISPLAY", &self.display)
    }

    /// What another program reads from the clipboard.
    async fn clipboard(&self) -> String {
        let read = Command::new("timeout")
            .args(["5", "xclip", "-selection", "clipboard", "-out"])
            .env("DISPLAY", &self.display)
            .output()
            .await
            .unwrap();
        String::from_utf8(read.stdout).unwrap()
    }
}

#[tokio::test]
async fn the_note_is_on_the_clipboard_and_another_agent_joins_from_it() {
    let Some(screen) = Screen::start().await else {
        return;
    };
    let plane = Plane::start(Store::Sqlite).await;
    let ada_machine = screen.at(plane.owner());
    let mut ada = ada_machine.server();
    ada.initialize("2025-06-18", json!({})).await;
    let shared = ada
        .call(
            "share",
            json!({ "title": "By clipboard", "context": "All there is" }),
        )
        .await;
    assert_eq!(shared.structured()["clipboard"], "confirmed");
    assert_eq!(shared.structured()["link_withheld"], true);

    tokio::time::sleep(Duration::from_secs(5)).await;
    let note = screen.clipboard().await;
    assert_eq!(
        link_in(&note),
        ada_machine.link(),
        "the note is still there for other programs"
    );

    let ben_machine = screen.at(Machine::new());
    let mut ben = ben_machine.server();
    ben.initialize("2025-06-18", json!({})).await;
    let joined = ben.call("join", json!({})).await;
    assert_eq!(joined.structured()["source"], "clipboard");
    assert_eq!(joined.structured()["card"]["handoff"]["text"], "All there is");

    let lines = ada.close().await.lines.concat() + &ben.close().await.lines.concat();
    let key = ada_machine.link().split_once('#').unwrap().1.to_owned();
    assert!(!lines.contains(&key), "the link got into the conversation");
}

#[tokio::test]
async fn a_command_leaves_the_note_on_the_clipboard() {
    let Some(screen) = Screen::start().await else {
        return;
    };
    let plane = Plane::start(Store::Sqlite).await;
    let ada = screen.at(plane.owner());
    let shared = ada
        .run(
            ["share", "--title", "By command", "--json", "--as", "human"],
            b"All there is",
        )
        .await;
    assert_eq!(shared.code(), 0, "{shared}");
    assert_eq!(shared.json()["clipboard"], "confirmed", "{shared}");
    let note = screen.clipboard().await;
    assert_eq!(
        link_in(&note),
        ada.link(),
        "the command has ended, the note is there"
    );

    let ben = screen.at(Machine::new());
    let joined = ben.run(["join", "--json"], b"").await;
    assert_eq!(joined.json()["source"], "clipboard", "{joined}");
    let key = ada.link().split_once('#').unwrap().1.to_owned();
    assert!(!(joined.stdout + &shared.stdout).contains(&key));
}

#[tokio::test]
async fn different_links_on_clipboard_and_in_the_environment_are_not_guessed_between() {
    let Some(screen) = Screen::start().await else {
        return;
    };
    let plane = Plane::start(Store::Sqlite).await;
    let (first, second) = (plane.owner(), screen.at(plane.owner()));
    first.run(["share", "--title", "First"], b"One").await;
    second.run(["share", "--title", "Second"], b"Two").await;
    let machine = screen
        .at(Machine::new())
        .with("DEVPILOT_SESSION_LINK", &first.link());
    let mut server = machine.server();
    server.initialize("2025-06-18", json!({})).await;
    let refused = server.call("join", json!({})).await;
    assert_eq!(refused.code(), "link_conflict");
    for word in ["clipboard", "environment", "source"] {
        assert!(refused.text().contains(word), "{word}: {}", refused.text());
    }
    let joined = server.call("join", json!({ "source": "environment" })).await;
    assert_eq!(joined.structured()["title"], "First");
}
