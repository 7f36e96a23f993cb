//! The plugin for Claude Code: what it installs is there, starts, and keeps quiet where it has nothing to say.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::stdio::{Machine, Server, binary};
use crate::{json_file, repository};

const PLUGIN: &str = "mcp-client/plugin";

/// Hosts cut or refuse tools with longer names.
const LONGEST_NAME: usize = 64;

#[test]
fn the_marketplace_leads_to_the_plugin_of_this_version() {
    let marketplace = json_file(".claude-plugin/marketplace.json");
    let entry = &marketplace["plugins"][0];
    let folder = repository(entry["source"].as_str().unwrap());
    assert_eq!(
        folder.canonicalize().unwrap(),
        repository(PLUGIN).canonicalize().unwrap()
    );
    let plugin = json_file("mcp-client/plugin/.claude-plugin/plugin.json");
    assert_eq!(plugin["name"], "devpilot");
    assert_eq!(entry["name"], plugin["name"]);
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
}

#[tokio::test]
async fn the_plugins_server_starts_and_its_tools_names_are_short_enough() {
    let servers = json_file("mcp-client/plugin/.mcp.json");
    let servers = servers["mcpServers"].as_object().unwrap();
    let (name, server) = servers.iter().next().unwrap();
    assert_eq!((servers.len(), name.as_str()), (1, "session"));
    assert_eq!(server["args"], json!([]));
    // From PATH, as Claude Code finds it.
    let machine = Machine::new().with("PATH", binary().parent().unwrap().to_str().unwrap());
    let mut command =
        tokio::process::Command::new(binary().with_file_name(server["command"].as_str().unwrap()));
    machine.surround(&mut command);
    let mut server = Server::start(&mut command);
    server.initialize("2025-11-25", json!({})).await;
    for tool in tools(&mut server).await {
        let full = format!("mcp__plugin_devpilot_{name}__{tool}");
        assert!(full.len() < LONGEST_NAME, "{full} has {} characters", full.len());
    }
}

async fn tools(server: &mut Server) -> Vec<String> {
    let listed = server.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

/// What Claude Code runs for `event` in this home, and writes to it.
fn hook(event: &str, home: &Path, variables: &[(&str, &Path)]) -> Output {
    let hooks = json_file("mcp-client/plugin/hooks/hooks.json");
    let command = &hooks["hooks"][event][0]["hooks"][0];
    assert_eq!(command["type"], "command");
    let mut process = Command::new("sh")
        .args(["-c", command["command"].as_str().unwrap()])
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin")
        .env("CLAUDE_PLUGIN_ROOT", repository(PLUGIN))
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let input = json!({
        "session_id": "0f6b", "transcript_path": "/dev/null", "cwd": home, "hook_event_name": event,
        "source": "startup", "prompt": "Go on.", "stop_hook_active": false
    });
    // One without a program reads nothing.
    let _ = write!(process.stdin.take().unwrap(), "{input}");
    process.wait_with_output().unwrap()
}

/// The events, and the verb that each is passed on as.
const EVENTS: [(&str, &str); 5] = [
    ("SessionStart", "session-start"),
    ("UserPromptSubmit", "user-prompt-submit"),
    ("Stop", "stop"),
    ("StopFailure", "stop-failure"),
    ("SessionEnd", "session-end"),
];

#[test]
fn hooks_are_quiet_where_the_program_is_not_there() {
    let home = tempfile::tempdir().unwrap();
    for (event, _) in EVENTS {
        let ran = hook(event, home.path(), &[]);
        assert_eq!(
            (ran.status.code(), ran.stdout.as_slice(), ran.stderr.as_slice()),
            (Some(0), &b""[..], &b""[..]),
            "{event}"
        );
    }
}

/// The program of this build knows the verbs, and says nothing on a machine that is in no session.
#[test]
fn hooks_are_quiet_where_nothing_is_unread() {
    let home = tempfile::tempdir().unwrap();
    let bin = home.path().join(".devpilot/bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(binary(), bin.join("devpilot-session")).unwrap();
    for (event, _) in EVENTS {
        let ran = hook(event, home.path(), &[]);
        let said = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(
            (ran.status.code(), ran.stdout.as_slice(), said.as_str()),
            (Some(0), &b""[..], ""),
            "{event}"
        );
    }
}

/// A program as the client's, which says what it was called with and fails.
fn failing_program(home: &Path) {
    let bin = home.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let program = bin.join("devpilot-session");
    std::fs::write(&program, "#!/bin/sh\necho \"$@\"\nexit 2\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Exit code 2 would block the user's prompt, or keep the agent from stopping.
#[test]
fn hooks_pass_the_answer_on_and_never_a_failure() {
    let home = tempfile::tempdir().unwrap();
    failing_program(&home.path().join(".devpilot"));
    let elsewhere = tempfile::tempdir().unwrap();
    failing_program(elsewhere.path());
    for (event, verb) in EVENTS {
        for variables in [&[][..], &[("DEVPILOT_HOME", elsewhere.path())][..]] {
            let ran = hook(event, home.path(), variables);
            let said = String::from_utf8(ran.stdout).unwrap();
            assert_eq!((ran.status.code(), said), (Some(0), format!("hook {verb}\n")));
        }
    }
}

#[test]
fn there_are_hooks_for_these_events_alone_and_each_is_short() {
    let hooks = json_file("mcp-client/plugin/hooks/hooks.json");
    let mut events: Vec<&str> = hooks["hooks"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    events.sort_unstable();
    let mut known = EVENTS.map(|(event, _)| event);
    known.sort_unstable();
    assert_eq!(events, known);
    for event in events {
        let timeout = hooks["hooks"][event][0]["hooks"][0]["timeout"].as_u64();
        assert!(timeout.is_some_and(|seconds| seconds <= 5), "{event}");
    }
}

/// The skill without its head, and the members of the head.
fn skill() -> (Value, String) {
    let text = std::fs::read_to_string(repository("mcp-client/plugin/skills/session/SKILL.md")).unwrap();
    let (head, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let members = head.lines().map(|line| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_owned(), Value::from(value))
    });
    (members.collect::<serde_json::Map<_, _>>().into(), body.to_owned())
}

#[tokio::test]
async fn the_skill_names_tools_that_are_there_and_says_when_to_use_it() {
    let (head, body) = skill();
    assert_eq!(head["name"], "session", "the folder's name");
    let description = head["description"].as_str().unwrap();
    assert!(description.len() <= 1024 && description.contains("Use it when"));

    let mut server = Machine::new().server();
    server.initialize("2025-11-25", json!({})).await;
    let there = tools(&mut server).await;
    let named: Vec<&str> = body
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|code| code.starts_with("devpilot_"))
        .collect();
    for verb in ["share", "join", "read", "post", "wait", "mode"] {
        let tool = format!("devpilot_session_{verb}");
        assert!(named.contains(&tool.as_str()), "the skill does not teach {tool}");
    }
    for tool in named {
        assert!(there.iter().any(|name| name == tool), "there is no {tool}");
    }
}
