//! The note does what it says: each command in it is run as a reader would run it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
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

/// What a host starts after a shell ran `line`, which adds a server called `devpilot`.
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
    if let ["--add-mcp", server] = words[..] {
        let server: Value = serde_json::from_str(server).unwrap();
        assert_eq!(server["name"], "devpilot", "{line}");
        return command_in(&server);
    }
    assert_eq!(words[..2], ["mcp", "add"], "{line}");
    // The server's command stands behind `--`, or without one behind the server's name.
    let place = |of: &str| words.iter().position(|word| *word == of);
    let before = place("--").or_else(|| place("devpilot")).unwrap();
    words[before + 1..]
        .iter()
        .map(|word| (*word).to_owned())
        .collect()
}

/// The command of a server as the editors' files name it.
fn command_in(server: &Value) -> Vec<String> {
    let arguments = server["args"].as_array().unwrap().iter();
    std::iter::once(&server["command"])
        .chain(arguments)
        .map(|word| word.as_str().unwrap().to_owned())
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
    for host in ["claude", "codex", "gemini", "opencode", "code"] {
        let program = hosts.path().join(host);
        std::fs::write(&program, HOST).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    let mut tried = 0;
    for (who, command) in note.lines().filter_map(|line| line.trim().split_once(": ")) {
        // What stands before the command may itself be explained.
        let command = command
            .rsplit_once("the command: ")
            .map_or(command, |(_, command)| command);
        let machine = Machine::new()
            .with("DEVPILOT_SESSION_LINK", scene.link())
            .with("PATH", &path(hosts.path()));
        let words: Vec<String> = match who {
            "Claude Code" | "Codex" | "Gemini CLI" | "opencode" | "VS Code" => {
                started_by(command, &machine, hosts.path()).await
            }
            "Cursor, in ~/.cursor/mcp.json" => {
                let file: Value = serde_json::from_str(command).unwrap();
                command_in(&file["mcpServers"]["devpilot"])
            }
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
    assert_eq!(tried, 8, "the note has other lines now: {note}");
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
