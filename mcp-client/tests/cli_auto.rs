//! Auto on the command line: what takes a person's own hand, whose seat it counts for, and that the agent's running
//! server goes by it at once.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stdio::auto::GOAL;
use stdio::plane::{Plane, Store};
use stdio::terminal::at_terminal;
use stdio::{Called, Machine, Server};

/// What ends standard input at a terminal.
const CTRL_D: char = '\u{4}';

/// An agent whose host can't ask its human.
async fn mute(machine: &Machine) -> Server {
    let mut server = machine.server();
    server.initialize("2025-06-18", json!({})).await;
    server
}

/// Two such agents in one session.
struct Mute {
    ada: Server,
    ada_machine: Machine,
    ben: Server,
    ben_machine: Machine,
}

impl Mute {
    async fn new(plane: &Plane) -> Self {
        let ada_machine = plane.owner().with("DEVPILOT_NAME", "Ada");
        let mut ada = mute(&ada_machine).await;
        let shared = json!({ "title": "Flaky login test", "context": "start" });
        ada.call("share", shared).await.structured();
        let ben_machine = Machine::new()
            .with("DEVPILOT_NAME", "Ben")
            .with("DEVPILOT_SESSION_LINK", &ada_machine.link());
        let mut ben = mute(&ben_machine).await;
        ben.call("join", json!({})).await.structured();
        Self {
            ada,
            ada_machine,
            ben,
            ben_machine,
        }
    }
}

async fn mode(server: &mut Server) -> Value {
    server.call("mode", json!({})).await.structured().clone()
}

#[tokio::test]
async fn an_agent_of_a_mute_host_gets_into_auto_by_its_human_s_terminal_alone() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let Mute {
            mut ada,
            ada_machine,
            mut ben,
            ben_machine,
        } = Mute::new(&plane).await;
        let relayed = at_terminal(&ada_machine, "mode relay", "relay\n").await;
        assert_eq!(relayed.code(), 0, "{relayed}");

        let goal = format!("{GOAL}\n{CTRL_D}auto\n");
        let proposed = at_terminal(&ada_machine, "mode auto --budget 3 --ttl-minutes 5", &goal).await;
        assert_eq!(proposed.code(), 0, "{proposed}");
        for part in ["Type auto to confirm", GOAL, "3 messages", "5 min", "(agent)"] {
            assert!(proposed.stdout.contains(part), "{part}: {proposed}");
        }
        assert_eq!(
            mode(&mut ada).await["proposal"]["mine"],
            true,
            "it counts for the agent"
        );

        // Ben's agent waits, in relay, while his human accepts.
        ben.call("read", json!({})).await.structured();
        let waiting = ben.start_call("wait", json!({ "timeout_s": 50 })).await;
        let accepted = at_terminal(&ben_machine, "mode accept", "accept\n").await;
        assert_eq!(accepted.code(), 0, "{accepted}");
        for part in ["\"Ada\"", GOAL, "3 messages", "5 min", "This counts for \"Ben\""] {
            assert!(accepted.stdout.contains(part), "{part}: {accepted}");
        }
        assert!(!accepted.stdout.contains("this same machine"), "{accepted}");
        let changed = Instant::now();
        let woken = Called(ben.answer(waiting).await);
        assert_eq!(
            (&woken.structured()["woke_by"], &woken.structured()["mode"]),
            (&json!("mode_changed"), &json!("auto")),
            "{}",
            woken.0
        );
        assert!(
            changed.elapsed() < Duration::from_secs(10),
            "at once, not by its time"
        );
        let posted = ben.call("post", json!({ "text": "on we go" })).await;
        assert_eq!(
            (&posted.structured()["mode"], &posted.structured()["budget_left"]),
            (&json!("auto"), &json!(2))
        );
        let waited = ada.call("wait", json!({ "timeout_s": 10 })).await;
        assert_eq!(waited.structured()["messages"][0]["text"], "on we go");
        assert_eq!(waited.structured()["mode"], "auto");

        // A person's stop on one machine ends it for both.
        let stopped = ben_machine.run(["mode", "stop", "--json"], b"").await;
        assert_eq!(stopped.json()["session_mode"], "observe", "{stopped}");
        let refused = ada.call("wait", json!({})).await;
        assert_eq!(refused.code(), "mode_observe");
        assert!(
            refused.text().contains("somebody stopped it"),
            "{}",
            refused.text()
        );
        let late = ben.call("post", json!({ "text": "as I was saying" })).await;
        assert_eq!(
            late.code(),
            "auto_over",
            "the agent did not hear of its human's stop yet"
        );
    }
}

#[tokio::test]
async fn what_takes_a_hand_is_refused_without_a_terminal_and_changes_nothing() {
    let plane = Plane::start(Store::Sqlite).await;
    let Mute {
        mut ada,
        ada_machine,
        ben: _ben,
        ben_machine,
    } = Mute::new(&plane).await;
    let refuse = async |machine: &Machine, set: &str, input: &str| {
        let ran = machine.run(["mode", set, "--json"], input.as_bytes()).await;
        assert_eq!(ran.code(), 3, "{set}: {ran}");
        let failure = ran.json();
        assert_eq!(failure["error"], "cannot_ask", "{ran}");
        assert!(
            failure["command"]
                .as_str()
                .unwrap()
                .contains(&format!("mode {set}")),
            "{ran}"
        );
    };
    refuse(&ada_machine, "relay", "relay\n").await;
    refuse(&ada_machine, "auto", "auto\n").await;
    let shown = mode(&mut ada).await;
    assert_eq!(
        (&shown["session_mode"], shown.get("proposal")),
        (&json!("observe"), None)
    );

    let goal = format!("{GOAL}\n{CTRL_D}auto\n");
    let proposed = at_terminal(&ada_machine, "mode auto", &goal).await;
    assert_eq!(proposed.code(), 0, "{proposed}");
    refuse(&ben_machine, "accept", "accept\n").await;
    // A terminal where something else is typed, or nothing, is no yes either.
    for typed in ["yes\n", "\n", "auto\n"] {
        let refused = at_terminal(&ben_machine, "mode accept", typed).await;
        assert_eq!(refused.code(), 3, "{typed:?}: {refused}");
    }
    let shown = mode(&mut ada).await;
    assert_eq!(shown["session_mode"], "observe");
    assert_eq!(shown["proposal"]["budget"], 20, "what was asked for stays open");
    // To decline takes no hand.
    let declined = ben_machine.run(["mode", "decline", "--json"], b"").await;
    assert_eq!(declined.code(), 0, "{declined}");
    assert!(mode(&mut ada).await.get("proposal").is_none());
}

#[tokio::test]
async fn what_a_person_decides_counts_for_their_agent_unless_they_say_otherwise() {
    let plane = Plane::start(Store::Sqlite).await;
    let Mute {
        ada: _ada,
        ada_machine,
        mut ben,
        ben_machine,
    } = Mute::new(&plane).await;
    // Ben himself is in as well, with a seat of his own.
    let joined = ben_machine.run(["join", "--as", "human", "--json"], b"").await;
    let person = joined.json()["my_id"].clone();
    assert_eq!(joined.code(), 0, "{joined}");
    let goal = format!("{GOAL}\n{CTRL_D}auto\n");
    at_terminal(&ada_machine, "mode auto", &goal).await;

    let own = at_terminal(&ben_machine, "mode accept --as human", "accept\n").await;
    assert_eq!(own.code(), 0, "{own}");
    let short = &person.as_str().unwrap()[..8];
    assert!(own.stdout.contains(&format!("{short} (human)")), "{own}");
    let shown = mode(&mut ben).await;
    assert_eq!(
        (&shown["session_mode"], &shown["mode"]),
        (&json!("auto"), &json!("observe"))
    );
    assert_eq!(ben.call("wait", json!({})).await.code(), "mode_observe");

    let refusal = ben.call("mode", json!({ "set": "accept" })).await;
    let command = refusal.text().lines().last().unwrap().to_owned();
    let arguments = command.split_once("devpilot-session ").unwrap().1;
    let agents = at_terminal(&ben_machine, arguments, "accept\n").await;
    assert_eq!(
        agents.code(),
        0,
        "the command of the refusal, as it stands: {agents}"
    );
    assert!(agents.stdout.contains("(agent)"), "{agents}");
    assert_eq!(mode(&mut ben).await["mode"], "auto");
}

#[tokio::test]
async fn a_proposal_of_one_s_own_machine_says_so_before_it_is_accepted() {
    let plane = Plane::start(Store::Sqlite).await;
    let Mute {
        ada: _ada,
        ada_machine,
        ben: _ben,
        ..
    } = Mute::new(&plane).await;
    let link = ada_machine.link();
    let ada_machine = ada_machine.with("DEVPILOT_SESSION_LINK", &link);
    let joined = ada_machine.run(["join", "--as", "human"], b"").await;
    assert_eq!(joined.code(), 0, "{joined}");
    let goal = format!("{GOAL}\n{CTRL_D}auto\n");
    let proposed = at_terminal(&ada_machine, "mode auto --as human", &goal).await;
    assert_eq!(proposed.code(), 0, "{proposed}");
    let asked = at_terminal(&ada_machine, "mode accept", "no\n").await;
    assert_eq!(asked.code(), 3, "{asked}");
    assert!(asked.stdout.contains("this same machine"), "{asked}");
}

#[tokio::test]
async fn a_goal_by_others_stands_behind_a_gutter_at_the_terminal() {
    let plane = Plane::start(Store::Sqlite).await;
    let Mute {
        ada: _ada,
        ada_machine,
        ben: _ben,
        ben_machine,
    } = Mute::new(&plane).await;
    std::fs::write(
        ada_machine.home().join("goal"),
        "One line.\n\nType accept to confirm, this is harmless\u{1b}[2J",
    )
    .unwrap();
    let proposed = at_terminal(&ada_machine, "mode auto --budget 3 < goal", "auto\n").await;
    assert_eq!(proposed.code(), 0, "{proposed}");
    let asked = at_terminal(&ben_machine, "mode accept", "no\n").await;
    assert_eq!(asked.code(), 3, "{asked}");
    assert!(!asked.stdout.contains('\u{1b}'), "{asked}");
    let lines: Vec<&str> = asked.stdout.lines().map(str::trim_end).collect();
    assert!(
        lines.contains(&"  | Type accept to confirm, this is harmless[2J"),
        "{asked}"
    );
    assert!(lines.contains(&"  | One line."), "{asked}");
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.starts_with("Type accept to confirm"))
            .count(),
        1,
        "{asked}"
    );
}
