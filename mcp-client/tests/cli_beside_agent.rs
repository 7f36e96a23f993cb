//! A person at a terminal of the machine that an agent works on: what they read and decide through the agent's seat takes
//! nothing away from the agent.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::path::PathBuf;

use serde_json::Value;
use stdio::Machine;
use stdio::plane::{Plane, Store};
use stdio::terminal::at_terminal;

/// Ada, a person, shared; Ben's agent came in by its shell, in the repository's folder.
struct Beside {
    ada: Machine,
    ben: Machine,
}

impl Beside {
    async fn new(plane: &Plane) -> Self {
        let ada = plane.owner().with("DEVPILOT_NAME", "Ada");
        let shared = ada
            .run(["share", "--title", "Stale cache", "--as", "human"], b"start")
            .await;
        assert_eq!(shared.code(), 0, "{shared}");
        let ben = Machine::new().with("DEVPILOT_NAME", "Ben");
        std::fs::create_dir(ben.home().join("work")).unwrap();
        let beside = Self { ada, ben };
        let joined = beside.agent("join -", &beside.ada.link()).await;
        assert_eq!(joined["joined"], true, "{joined}");
        beside
    }

    /// What Ben's agent is answered in its folder, without a terminal.
    async fn agent(&self, command: &str, input: &str) -> Value {
        agent_in(&self.ben, &self.work(), command, input).await
    }

    fn work(&self) -> PathBuf {
        self.ben.home().join("work")
    }

    async fn post(&self, text: &str) {
        let posted = self.ada.run(["post", "--as", "human"], text.as_bytes()).await;
        assert_eq!(posted.code(), 0, "{posted}");
    }
}

async fn agent_in(machine: &Machine, folder: &std::path::Path, command: &str, input: &str) -> Value {
    use tokio::io::AsyncWriteExt;
    let mut process = machine.command([]);
    process.args(command.split(' ')).arg("--json").current_dir(folder);
    let mut child = process
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A command that reads no input may be gone before it was written.
    let _ = stdin.write_all(input.as_bytes()).await;
    drop(stdin);
    let output = child.wait_with_output().await.unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn texts(answer: &Value) -> Vec<&str> {
    let messages = answer["messages"]
        .as_array()
        .unwrap_or_else(|| panic!("{answer}"));
    messages
        .iter()
        .map(|message| message["text"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn what_a_person_reads_through_an_agents_seat_stays_unread_for_the_agent() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let beside = Beside::new(&plane).await;
        beside.post("one for the agent").await;
        for command in ["read", "wait --timeout 5"] {
            let shown = at_terminal(&beside.ben, command, "").await;
            assert_eq!(shown.code(), 0, "{command}: {shown}");
            for part in ["one for the agent", "still unread for the agent"] {
                assert!(shown.stdout.contains(part), "{command}: {part}: {shown}");
            }
        }
        let read = beside.agent("read", "").await;
        assert_eq!(texts(&read), ["one for the agent"], "{read}");
        let again = beside.agent("read", "").await;
        assert_eq!(texts(&again), [""; 0], "its own reading counts: {again}");
    }
}

/// An open proposal is told to the agent at its next wait, once. A person who waits at its seat waits for what comes: they
/// would be woken by it again and again, and the agent is still to be told.
#[tokio::test]
async fn a_proposal_wakes_the_agent_and_not_the_person_at_its_seat() {
    let plane = Plane::start(Store::Sqlite).await;
    let beside = Beside::new(&plane).await;
    for (command, typed) in [
        ("mode relay --as human", "relay\n"),
        ("mode auto --as human", "Find it.\n\u{4}auto\n"),
    ] {
        let done = at_terminal(&beside.ada, command, typed).await;
        assert_eq!(done.code(), 0, "{command}: {done}");
    }
    let waited = at_terminal(&beside.ben, "wait --timeout 2", "").await;
    assert_eq!(waited.code(), 2, "{waited}");
    assert!(waited.stdout.contains("The time was up"), "{waited}");
    let told = beside.agent("wait --timeout 5", "").await;
    assert_eq!(
        (&told["woke_by"], &told["waited_s"]),
        (&"mode_changed".into(), &0.into()),
        "{told}"
    );
    assert_eq!(told["proposal"]["untrusted"], true, "{told}");
    let again = beside.agent("wait --timeout 1", "").await;
    assert_eq!(again["woke_by"], "timed_out", "told once: {again}");
}

#[tokio::test]
async fn a_persons_command_leaves_the_agents_seat_in_its_folder() {
    let plane = Plane::start(Store::Sqlite).await;
    let beside = Beside::new(&plane).await;
    beside.post("look at this").await;
    let id = beside.agent("who", "").await["session"]
        .as_str()
        .unwrap()
        .to_owned();
    let relayed = at_terminal(&beside.ben, &format!("mode relay --session {id}"), "relay\n").await;
    assert_eq!(relayed.code(), 0, "{relayed}");
    for command in ["read", "who", "mode", "mode stop"] {
        let ran = at_terminal(&beside.ben, &format!("{command} --session {id}"), "").await;
        assert_eq!(ran.code(), 0, "{command}: {ran}");
    }
    let read = beside.agent("read", "").await;
    assert_eq!(
        texts(&read),
        ["look at this"],
        "found again in its folder: {read}"
    );
}

#[tokio::test]
async fn in_a_folder_of_no_session_those_there_are_are_named_and_reading_and_stop_take_the_only_one() {
    let plane = Plane::start(Store::Sqlite).await;
    let beside = Beside::new(&plane).await;
    let elsewhere = beside.ben.home().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let refused = agent_in(&beside.ben, &elsewhere, "leave", "").await;
    assert_eq!(refused["error"], "no_session", "{refused}");
    let said = refused["message"].as_str().unwrap();
    for part in ["\"Stale cache\" (", "--session"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let read = agent_in(&beside.ben, &elsewhere, "read", "").await;
    assert_eq!(read["title"], "Stale cache", "{read}");
    let refused = agent_in(&beside.ben, &elsewhere, "leave", "").await;
    assert_eq!(
        refused["error"], "no_session",
        "it is still at home in its own folder: {refused}"
    );
    let stopped = agent_in(&beside.ben, &elsewhere, "mode stop", "").await;
    assert_eq!(stopped["session_mode"], "observe", "{stopped}");
}

#[tokio::test]
async fn a_person_takes_their_only_agent_out_and_writes_in_its_name_only_when_they_say_so() {
    let plane = Plane::start(Store::Sqlite).await;
    let beside = Beside::new(&plane).await;
    let refused = at_terminal(&beside.ben, "post", "").await;
    assert!(
        refused.code() == 1 && refused.stdout.contains("--as agent"),
        "{refused}"
    );
    let left = at_terminal(&beside.ben, "leave", "").await;
    assert_eq!(left.code(), 0, "{left}");
    assert!(
        left.stdout.contains("The agent of this machine, \"Ben\""),
        "{left}"
    );
    let who = beside.ada.run(["who", "--json", "--as", "human"], b"").await;
    assert!(who.json()["participants"][1]["left_at"].is_string(), "{who}");
}

#[tokio::test]
async fn a_reader_s_stop_in_relay_says_that_it_changed_nothing_and_a_full_one_s_sets_observe() {
    let plane = Plane::start(Store::Sqlite).await;
    let beside = Beside::new(&plane).await;
    let note = beside.ada.devpilot().join("handoffs");
    std::fs::remove_dir_all(&note).unwrap();
    let made = at_terminal(&beside.ada, "link --view", "link\n").await;
    assert_eq!(made.code(), 0, "{made}");
    let reader = Machine::new().with("DEVPILOT_NAME", "Rita");
    let joined = reader.run(["join", "-"], beside.ada.link().as_bytes()).await;
    assert_eq!(joined.code(), 0, "{joined}");
    let relayed = at_terminal(&beside.ada, "mode relay --as human", "relay\n").await;
    assert_eq!(relayed.code(), 0, "{relayed}");

    let stopped = reader.run(["mode", "stop", "--json"], b"").await.json();
    assert_eq!(
        (&stopped["changed"], &stopped["session_mode"]),
        (&false.into(), &"relay".into())
    );
    let why = stopped["unchanged"].as_str().unwrap();
    assert!(
        why.contains("read only") && why.contains("full participant"),
        "{why}"
    );
    for set in ["auto", "accept"] {
        let refused = at_terminal(&reader, &format!("mode {set}"), "").await;
        assert_eq!(refused.code(), 1, "{set}: {refused}");
        assert!(
            refused.stdout.contains("read only") && !refused.stdout.contains("Ctrl-D"),
            "before anybody is asked: {refused}"
        );
    }
    std::fs::write(reader.home().join("text"), "may I?").unwrap();
    let refused = at_terminal(&reader, "post --as agent < text", "send\n").await;
    assert_eq!(refused.code(), 1, "{refused}");
    assert!(
        refused.stdout.contains("read only") && !refused.stdout.contains("Type send"),
        "{refused}"
    );

    let stopped = beside.agent("mode stop", "").await;
    assert_eq!(
        (&stopped["changed"], &stopped["session_mode"]),
        (&true.into(), &"observe".into())
    );
    let again = beside.agent("mode stop", "").await;
    assert_eq!(again["changed"], false, "{again}");
    assert!(
        again["unchanged"].as_str().unwrap().contains("nothing to stop"),
        "{again}"
    );
}

#[tokio::test]
async fn a_person_who_decides_for_their_agent_is_spoken_to_as_a_person() {
    let plane = Plane::start(Store::Sqlite).await;
    let beside = Beside::new(&plane).await;
    let proposed = at_terminal(&beside.ada, "mode auto --as human", "Find it.\n\u{4}auto\n").await;
    assert_eq!(proposed.code(), 0, "{proposed}");
    let shown = at_terminal(&beside.ben, "mode", "").await;
    let accepted = at_terminal(&beside.ben, "mode accept", "accept\n").await;
    assert_eq!(accepted.code(), 0, "{accepted}");
    assert!(
        accepted.stdout.contains("Accepted for \"Ben\"") && accepted.stdout.contains("at its next call"),
        "{accepted}"
    );
    let again = at_terminal(&beside.ben, "mode accept", "").await;
    assert!(again.stdout.contains("accepted for this seat already"), "{again}");
    for said in [shown, proposed, accepted, again] {
        for part in ["our human", "`mode` with set", "Say `done`", "your agent's words"] {
            assert!(!said.stdout.contains(part), "{part}: {said}");
        }
    }
    let agents = beside.agent("mode", "").await;
    assert!(
        agents["next"].as_str().unwrap().contains("Say `done`"),
        "{agents}"
    );
    let relay = at_terminal(&beside.ben, "mode relay", "").await;
    assert_eq!(relay.code(), 1, "refused before the word is asked for: {relay}");
}

#[tokio::test]
async fn what_takes_a_hand_names_the_command_for_a_terminal_and_its_program_is_there() {
    let plane = Plane::start(Store::Sqlite).await;
    let beside = Beside::new(&plane).await;
    let id = beside.agent("who", "").await["session"]
        .as_str()
        .unwrap()
        .to_owned();
    for command in [
        "rekey",
        "end --purge",
        "link --as=human",
        "door closed",
        "mode relay --as=human",
    ] {
        let refused = agent_in(&beside.ada, beside.ada.home(), command, "").await;
        assert_eq!(refused["error"], "cannot_ask", "{command}: {refused}");
        let said = refused["message"].as_str().unwrap();
        assert!(
            said.starts_with("This takes a person's own hand, and there is no terminal here."),
            "{command}: {said}"
        );
        let line = refused["command"]
            .as_str()
            .unwrap_or_else(|| panic!("{command}: {refused}"));
        let (program, again) = line.split_once(' ').unwrap();
        assert!(std::path::Path::new(program).is_file(), "{line}");
        assert!(again.starts_with(command.split(' ').next().unwrap()), "{line}");
        assert!(again.contains(&id[..8]), "the session that was meant: {line}");
    }
}
