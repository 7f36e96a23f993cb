//! `hook` as a process, fed with what hosts write, over a real plane: told once, bodiless, and never a host's trouble.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stdio::auto::in_auto;
use stdio::pair::texts;
use stdio::plane::{Plane, Store};
use stdio::room::Room;
use stdio::{Machine, Ran};

/// What a host waits for a hook at most.
const SOON: Duration = Duration::from_secs(2);

/// What Claude Code writes at the start of a session.
fn starts(folder: &Path, source: &str, session: &str) -> Value {
    json!({
        "session_id": session, "transcript_path": "/home/u/.claude/projects/p/x.jsonl", "cwd": folder,
        "hook_event_name": "SessionStart", "source": source, "model": "m"
    })
}

/// What it writes when its person has written.
fn prompted(folder: &Path, session: &str) -> Value {
    json!({
        "session_id": session, "transcript_path": "/home/u/.claude/projects/p/x.jsonl", "cwd": folder,
        "permission_mode": "default", "hook_event_name": "UserPromptSubmit", "prompt": "needle-prompt: go on"
    })
}

/// What it writes before its agent ends a turn.
fn stops(folder: &Path, session: &str, active: bool) -> Value {
    json!({
        "session_id": session, "transcript_path": "/home/u/.claude/projects/p/x.jsonl", "cwd": folder,
        "permission_mode": "default", "hook_event_name": "Stop", "stop_hook_active": active,
        "last_assistant_message": "needle-last: done"
    })
}

/// What a hook says; none where it says nothing. It never says more than one line, and never takes long.
async fn told(machine: &Machine, event: &str, input: &Value) -> Option<Value> {
    let ran = hook(machine, event, input.to_string().as_bytes()).await;
    assert_eq!(ran.stderr, "", "{ran}");
    (!ran.stdout.is_empty()).then(|| ran.json())
}

async fn hook(machine: &Machine, event: &str, input: &[u8]) -> Ran {
    let started = Instant::now();
    let ran = machine.run(["hook", event], input).await;
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    assert_eq!(ran.code(), 0, "{ran}");
    assert!(
        ran.stdout.lines().count() <= 1 && ran.stderr.lines().count() <= 1,
        "{ran}"
    );
    assert!(
        !ran.stdout.contains("needle") && !ran.stderr.contains("needle"),
        "{ran}"
    );
    ran
}

/// The text of a note for the agent.
fn context<'a>(answer: &'a Value, event: &str) -> &'a str {
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], event, "{answer}");
    assert_eq!(answer.as_object().unwrap().len(), 1, "{answer}");
    output["additionalContext"].as_str().unwrap()
}

/// Ada wrote, and Ben's server has fetched it: nobody has read it.
async fn unread(room: &mut Room, text: &str) {
    room.post(text).await;
    room.server.call("who", json!({})).await.structured();
}

#[tokio::test]
async fn what_is_unread_is_told_once_to_each_session_of_a_host_without_its_text() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let mut room = Room::new(&plane).await;
        let home = room.ben.home().to_path_buf();
        assert_eq!(
            told(&room.ben, "user-prompt-submit", &prompted(&home, "one")).await,
            None
        );
        unread(&mut room, "needle one").await;
        unread(&mut room, "needle two").await;
        let first = told(&room.ben, "user-prompt-submit", &prompted(&home, "one"))
            .await
            .unwrap();
        let text = context(&first, "UserPromptSubmit");
        let id = room.session.get(..8).unwrap();
        for part in [
            "2 messages",
            "`devpilot_session_read`",
            id,
            "titled \"Stale 'cache' <b>\"",
            "quoted data",
            "nothing was marked as read",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains(['\u{202e}', '\n']), "{text}");
        assert_eq!(
            told(&room.ben, "user-prompt-submit", &prompted(&home, "one")).await,
            None,
            "once"
        );
        assert_eq!(
            told(&room.ben, "session-start", &starts(&home, "startup", "one")).await,
            None
        );
        let other = told(&room.ben, "session-start", &starts(&home, "startup", "two"))
            .await
            .unwrap();
        assert!(
            context(&other, "SessionStart").contains("2 messages"),
            "another session of the host"
        );

        unread(&mut room, "needle three").await;
        let more = told(&room.ben, "user-prompt-submit", &prompted(&home, "one"))
            .await
            .unwrap();
        assert!(
            context(&more, "UserPromptSubmit").contains("3 messages"),
            "a new one is told of"
        );
        let read = room.server.call("read", json!({})).await;
        assert_eq!(
            texts(&read.structured()["messages"]),
            ["needle one", "needle two", "needle three"],
            "nothing counted as read"
        );
        room.server.call("who", json!({})).await.structured();
        assert_eq!(
            told(&room.ben, "session-start", &starts(&home, "startup", "three")).await,
            None
        );
    }
}

#[tokio::test]
async fn what_the_agent_wrote_itself_is_nothing_to_tell_it() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut room = Room::new(&plane).await;
    let home = room.ben.home().to_path_buf();
    let own = room.server.call("post", json!({ "text": "needle own" })).await;
    own.structured();
    room.server.call("who", json!({})).await.structured();
    let prompt = prompted(&home, "one");
    assert_eq!(told(&room.ben, "user-prompt-submit", &prompt).await, None);
    unread(&mut room, "needle one").await;
    let own = room
        .server
        .call("post", json!({ "text": "needle own again" }))
        .await;
    own.structured();
    room.server.call("who", json!({})).await.structured();
    let answer = told(&room.ben, "user-prompt-submit", &prompt).await.unwrap();
    let text = context(&answer, "UserPromptSubmit");
    assert!(text.contains("1 message by others"), "{text}");
}

/// What can't be noted as told would be told at each event: rather not at all, until it can be.
#[tokio::test]
async fn where_nothing_can_be_written_nothing_is_told() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut room = Room::new(&plane).await;
    unread(&mut room, "needle").await;
    let prompt = prompted(room.ben.home(), "one");
    let mut shell = tokio::process::Command::new("sh");
    room.ben.surround(&mut shell);
    let full = format!(
        "trap '' XFSZ; ulimit -f 0; exec '{}' hook user-prompt-submit",
        stdio::binary().display()
    );
    let ran = stdio::ran(shell.args(["-c", &full]), prompt.to_string().as_bytes()).await;
    assert_eq!((ran.code(), ran.stdout.as_str()), (0, ""), "{ran}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran}");
    assert!(told(&room.ben, "user-prompt-submit", &prompt).await.is_some());
}

#[tokio::test]
async fn after_a_cut_context_the_way_back_is_told_each_time() {
    let plane = Plane::start(Store::Sqlite).await;
    let room = Room::in_relay(&plane).await;
    let home = room.ben.home().to_path_buf();
    for source in ["compact", "resume", "compact"] {
        let answer = told(&room.ben, "session-start", &starts(&home, source, "one"))
            .await
            .unwrap();
        let text = context(&answer, "SessionStart");
        assert!(
            text.contains("`devpilot_session_read`") && text.contains("since 0"),
            "{text}"
        );
    }
    assert_eq!(
        told(&room.ben, "session-start", &starts(&home, "startup", "one")).await,
        None
    );
    let elsewhere = Machine::new();
    let answer = told(
        &elsewhere,
        "session-start",
        &starts(elsewhere.home(), "compact", "one"),
    )
    .await;
    assert_eq!(answer, None, "where nothing is shared there is no way back");
}

#[tokio::test]
async fn in_relay_an_agent_is_asked_once_to_go_on_and_in_observe_never() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut room = Room::new(&plane).await;
    let home = room.ben.home().to_path_buf();
    unread(&mut room, "needle in observe").await;
    assert_eq!(
        told(&room.ben, "stop", &stops(&home, "one", false)).await,
        None,
        "observe"
    );
    room.mode("relay").await;
    room.server.call("who", json!({})).await.structured();
    assert_eq!(
        told(&room.ben, "stop", &stops(&home, "one", true)).await,
        None,
        "it goes on already"
    );
    let mut unsaid = stops(&home, "one", false);
    unsaid.as_object_mut().unwrap().remove("stop_hook_active");
    assert_eq!(
        told(&room.ben, "stop", &unsaid).await,
        None,
        "rather not than for ever"
    );
    let mut inside = stops(&home, "one", false);
    inside["agent_id"] = json!("sub-1");
    assert_eq!(
        told(&room.ben, "stop", &inside).await,
        None,
        "an agent inside the agent"
    );

    let answer = told(&room.ben, "stop", &stops(&home, "one", false))
        .await
        .unwrap();
    assert_eq!(answer["decision"], "block", "{answer}");
    assert!(
        answer["reason"]
            .as_str()
            .unwrap()
            .contains("`devpilot_session_read`"),
        "{answer}"
    );
    assert_eq!(
        told(&room.ben, "stop", &stops(&home, "one", false)).await,
        None,
        "once"
    );
    unread(&mut room, "needle in relay").await;
    assert!(
        told(&room.ben, "stop", &stops(&home, "one", false))
            .await
            .is_some(),
        "for a new one anew"
    );
    room.server.call("read", json!({})).await.structured();
    room.server.call("who", json!({})).await.structured();
    assert_eq!(
        told(&room.ben, "stop", &stops(&home, "two", false)).await,
        None,
        "all is read"
    );
}

#[tokio::test]
async fn in_auto_only_who_accepted_is_asked_to_go_on_and_only_while_it_lasts() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = in_auto(&plane, 5).await;
    let (ben, home) = (&pair.ben_machine, pair.ben_machine.home().to_path_buf());
    let carla = Machine::new().with("DEVPILOT_SESSION_LINK", &pair.ada_machine.link());
    let mut third = stdio::pair::agent(&carla).await;
    third.call("join", json!({})).await.structured();
    pair.ada
        .call("post", json!({ "text": "needle in auto" }))
        .await
        .structured();
    pair.ben.call("who", json!({})).await.structured();
    third.call("who", json!({})).await.structured();
    let stop = stops(carla.home(), "one", false);
    assert_eq!(told(&carla, "stop", &stop).await, None, "nobody accepted there");
    let asked = told(ben, "stop", &stops(&home, "one", false)).await;
    assert_eq!(asked.unwrap()["decision"], "block");
    pair.ada.call("mode", json!({ "set": "stop" })).await.structured();
    pair.ben.call("who", json!({})).await.structured();
    let over = told(ben, "stop", &stops(&home, "two", false)).await;
    assert_eq!(over, None, "auto is over");
}

#[tokio::test]
async fn a_session_is_the_one_of_the_hosts_folder() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane.owner();
    let shared = ada
        .run(["share", "--title", "T", "--as", "human"], b"needle")
        .await;
    assert_eq!(shared.code(), 0, "{shared}");
    let ben = Machine::new();
    let work = ben.home().join("work");
    for folder in [work.join(".git"), work.join("inside"), ben.home().join("other")] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let mut join = ben.command(["join", "-"]);
    let mut child = join
        .current_dir(&work)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut input, ada.link().as_bytes())
        .await
        .unwrap();
    drop(input);
    assert!(child.wait().await.unwrap().success());
    let compact = |folder: PathBuf| starts(&folder, "compact", "one");
    assert!(
        told(&ben, "session-start", &compact(work.join("inside")))
            .await
            .is_some()
    );
    assert_eq!(
        told(&ben, "session-start", &compact(ben.home().join("other"))).await,
        None
    );
    // The agent has gone elsewhere; its host, and with it the server, has not.
    let ben = ben.with("CLAUDE_PROJECT_DIR", work.to_str().unwrap());
    assert!(
        told(&ben, "session-start", &compact(ben.home().join("other")))
            .await
            .is_some()
    );
}

#[tokio::test]
async fn whatever_is_wrong_the_host_hears_nothing_and_goes_on() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut room = Room::new(&plane).await;
    unread(&mut room, "needle").await;
    let home = room.ben.home().to_path_buf();
    let good = prompted(&home, "one").to_string();
    let long = format!("{{\"prompt\":\"{}\"", "x".repeat(17 << 20));
    let garbage: [&[u8]; 7] = [
        b"",
        b"garbage \xff\xfe",
        b"[]",
        b"null",
        b"{\"hook_event_name\":\"SubagentStop\"}",
        &good.as_bytes()[..40],
        long.as_bytes(),
    ];
    for input in garbage {
        for event in ["session-start", "user-prompt-submit", "stop", "later-event"] {
            let started = Instant::now();
            let ran = room.ben.run(["hook", event], input).await;
            assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
            assert_eq!((ran.code(), ran.stdout.as_str()), (0, ""), "{event}: {ran}");
            assert!(!ran.stderr.is_empty(), "{event}");
            let too_long = input.len() > 16 << 20 && event != "later-event";
            assert_eq!(ran.stderr.contains("more than 16 MiB"), too_long, "{ran}");
        }
    }
    // Forms that are odd, and still an object: it goes by what it can use.
    let odd = json!({ "session_id": 7, "cwd": ["x"], "source": null, "hook_event_name": "UserPromptSubmit" });
    assert!(told(&room.ben, "user-prompt-submit", &odd).await.is_some());
    for arguments in [
        ["hook", "--no-such"],
        ["hook", "http://127.0.0.1/s#dp1fx"],
        ["--json", "hook"],
    ] {
        let ran = room.ben.run(arguments, good.as_bytes()).await;
        assert_eq!((ran.code(), ran.stdout.as_str()), (0, ""), "{arguments:?}: {ran}");
    }
    let nowhere = Machine::new().with("DEVPILOT_HOME", "/dev/null/home");
    let ran = hook(&nowhere, "user-prompt-submit", good.as_bytes()).await;
    assert_eq!(ran.stdout, "");
    let new = Machine::new();
    let ran = hook(&new, "user-prompt-submit", good.as_bytes()).await;
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    assert!(!new.devpilot().exists(), "nothing is made where nothing is");
}

#[tokio::test]
async fn a_host_that_never_ends_its_input_waits_a_second() {
    let machine = Machine::new();
    let mut child = machine
        .command(["hook", "stop"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let held = child.stdin.take();
    let started = Instant::now();
    let output = child.wait_with_output().await.unwrap();
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    drop(held);
}

#[tokio::test]
async fn damaged_files_are_set_aside_and_the_next_hook_works() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut room = Room::new(&plane).await;
    unread(&mut room, "needle").await;
    let home = room.ben.home().to_path_buf();
    assert!(
        told(&room.ben, "user-prompt-submit", &prompted(&home, "one"))
            .await
            .is_some()
    );
    let folder = room.ben.devpilot().join("sessions").join(&room.session);
    let file = |extension: &str| {
        let files = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let found: Vec<_> = files
            .filter(|path| path.extension().is_some_and(|e| e == extension))
            .collect();
        assert_eq!(found.len(), 1, "{extension}");
        found[0].clone()
    };
    let told_file = file("told");
    let text = std::fs::read_to_string(&told_file).unwrap();
    assert!(!text.contains("one") && !text.contains("needle"), "{text}");
    std::fs::write(&told_file, "{ half").unwrap();
    let ran = hook(
        &room.ben,
        "user-prompt-submit",
        prompted(&home, "one").to_string().as_bytes(),
    )
    .await;
    assert!(
        ran.stdout.contains("1 message"),
        "what was told is not known any more: {ran}"
    );
    let kept = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let kept: Vec<_> = kept
        .filter(|name| name.to_string_lossy().contains(".told.damaged-"))
        .collect();
    assert_eq!(kept.len(), 1, "it is kept");
    assert_eq!(
        told(&room.ben, "user-prompt-submit", &prompted(&home, "one")).await,
        None,
        "and once again"
    );
    // A file from a later version, and one that can't be kept, are nothing to tell by.
    std::fs::write(&told_file, "{\"version\":99}").unwrap();
    let ran = hook(
        &room.ben,
        "user-prompt-submit",
        prompted(&home, "two").to_string().as_bytes(),
    )
    .await;
    assert_eq!(ran.stdout, "", "{ran}");
    std::fs::remove_file(&told_file).unwrap();
    std::os::unix::fs::symlink("/dev/null/nowhere", &told_file).unwrap();
    let ran = hook(
        &room.ben,
        "user-prompt-submit",
        prompted(&home, "two").to_string().as_bytes(),
    )
    .await;
    assert_eq!(ran.stdout, "", "rather not told than told for ever: {ran}");
    // The seat itself.
    std::fs::write(file("json"), "garbage").unwrap();
    let ran = hook(
        &room.ben,
        "stop",
        stops(&home, "one", false).to_string().as_bytes(),
    )
    .await;
    assert_eq!(ran.stdout, "", "{ran}");
}
