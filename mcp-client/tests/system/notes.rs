//! The note does what it says: each command in it is run as a reader would run it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::json;
use tokio::process::Command;

use crate::scene::{Agent, CONTEXT, Scene};
use crate::stdio::{Machine, Server, binary};

/// A host's program that only writes down what it was told to start.
const HOST: &str = "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$HOME/told\"\n";

/// A `PATH` with the client, the hosts' programs and the system's.
fn path(hosts: &Path) -> String {
    let own = binary().parent().unwrap().display().to_string();
    let system = std::env::var("PATH").unwrap_or_default();
    format!("{}:{own}:{system}", hosts.display())
}

/// What a host starts after it ran `line`, which adds a server called `devpilot`.
async fn started_by(line: &str, machine: &Machine, hosts: &Path) -> Vec<String> {
    let ran = Command::new("sh")
        .args(["-c", line])
        .env_clear()
        .env("HOME", machine.home())
        .env("PATH", path(hosts))
        .stdin(Stdio::null())
        .status()
        .await
        .unwrap();
    assert!(ran.success(), "{line}");
    let told = std::fs::read_to_string(machine.home().join("told")).unwrap();
    let words: Vec<&str> = told.lines().collect();
    assert_eq!(words[..2], ["mcp", "add"], "{line}");
    // The server's command stands behind `--`, or without one behind the server's name.
    let place = |of: &str| words.iter().position(|word| *word == of);
    let before = place("--").or_else(|| place("devpilot")).unwrap();
    words[before + 1..]
        .iter()
        .map(|word| (*word).to_owned())
        .collect()
}

#[tokio::test]
async fn each_line_of_the_note_works_for_who_gets_it() {
    let mut scene = Scene::new().await;
    let shared = scene
        .ada
        .server
        .call("share", json!({ "session": crate::scene::TITLE }))
        .await;
    let note = std::fs::read_to_string(shared.structured()["handoff_file"].as_str().unwrap()).unwrap();
    let hosts = tempfile::tempdir().unwrap();
    for host in ["claude", "codex", "gemini"] {
        let program = hosts.path().join(host);
        std::fs::write(&program, HOST).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    let mut tried = 0;
    for line in note.lines().filter_map(|line| line.rsplit_once(": ")) {
        let (who, command) = (line.0.trim(), line.1.trim());
        let machine = Machine::new()
            .with("DEVPILOT_SESSION_LINK", scene.link())
            .with("PATH", &path(hosts.path()));
        let words: Vec<String> = match who {
            "Claude Code" | "Codex" | "Gemini CLI" => started_by(command, &machine, hosts.path()).await,
            _ if who.starts_with("Any other MCP host") => vec![command.to_owned()],
            _ if who.starts_with("Without MCP") => {
                let mut join = machine.command([]);
                let words: Vec<&str> = command.split(' ').collect();
                let ran = program(&mut join, words[0], &words[1..]).output().await.unwrap();
                let stdout = String::from_utf8(ran.stdout).unwrap();
                assert!(
                    ran.status.success() && stdout.contains(CONTEXT),
                    "{command}: {stdout}"
                );
                tried += 1;
                continue;
            }
            _ => continue,
        };
        tried += 1;
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let server = Server::start(&mut program(&mut machine.command([]), &words[0], &arguments));
        let mut agent = Agent { machine, server };
        agent.server.initialize("2025-06-18", json!({})).await;
        let joined = agent.server.call("join", json!({})).await;
        assert_eq!(joined.structured()["card"]["handoff"]["text"], CONTEXT, "{who}");
    }
    assert_eq!(tried, 5, "the note has other lines now: {note}");
}

/// The same environment and folder with another program, found by its name.
fn program(like: &mut Command, name: &str, arguments: &[&str]) -> Command {
    let like = like.as_std();
    let mut command = Command::new(name);
    command
        .env_clear()
        .args(arguments)
        .kill_on_drop(true)
        .stdin(Stdio::null());
    for (name, value) in like.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    if let Some(folder) = like.get_current_dir() {
        command.current_dir(folder);
    }
    command
}
