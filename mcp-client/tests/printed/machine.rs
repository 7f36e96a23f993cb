//! This machine: the cockpit and its hooks, and what a server says to a person who started it.

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::scene::{refused, works};
use crate::stdio::binary;
use crate::stdio::plane::free_port;
use crate::stdio::shell::{line_in, obey, shell};
use crate::stdio::terminal::line_at_terminal;
use crate::stdio::{Machine, ran};

#[tokio::test]
async fn a_cockpit_is_started_by_the_line_of_history_and_its_own_lines_work() {
    let port = free_port();
    let machine = Machine::new();
    let repository = machine.home().join("pay");
    let made = std::process::Command::new("git")
        .args(["init", "--quiet"])
        .arg(&repository)
        .status();
    assert!(made.unwrap().success());
    let history = ran(
        machine.command(["history", "--json"]).current_dir(&repository),
        b"",
    )
    .await;
    let line = refused(&history, "no_cockpit");
    let mut child = shell(&machine, &format!("exec {line} --listen 127.0.0.1:{port} --json"))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
    let hooks = said["settings"]["hooks"].as_object().unwrap();
    assert!(hooks.len() >= 4, "{said}");
    for (event, hook) in hooks {
        let line = hook[0]["hooks"][0]["command"].as_str().unwrap();
        let input = serde_json::json!({ "hook_event_name": event, "session_id": "s", "cwd": machine.home() });
        let ran = obey(&machine, line, input.to_string().as_bytes()).await;
        assert_eq!(ran.stderr, "", "{event}: {ran}");
    }
    let asked = obey(
        &machine,
        &format!("cd pay && {}", said["ask"].as_str().unwrap()),
        b"",
    )
    .await;
    assert!(!asked.stdout.is_empty(), "{asked}");
    child.kill().await.unwrap();
}

#[tokio::test]
async fn who_starts_the_server_by_hand_is_shown_the_line_for_people() {
    let machine = Machine::new();
    works(&machine.run(["sessions"], b"").await);
    let started = line_at_terminal(&machine, &format!("'{}' ", binary().display()), "\u{4}").await;
    let shown = started.stdout.replace('\r', "");
    let line = shown.lines().find(|line| line.contains("For people: ")).unwrap();
    let help = obey(&machine, &line_in(&machine, line), b"").await;
    assert!(help.stdout.contains("Examples:"), "{help}");
}
