//! What takes a person's own hand, and was asked for where there is none.

use serde_json::json;

use crate::scene::{by_hand, pair, refused, texts, works};
use crate::stdio::pair::agent;
use crate::stdio::plane::{Plane, Store};
use crate::stdio::shell::{line_in, lines_in, obey};
use crate::stdio::{Machine, Server};

/// A key of nobody's, of a kind that the guard knows.
fn credential() -> String {
    format!("the key is AKIA{}", "QYLPMN5HHHFPZAM2")
}

/// What a host that can't ask its human is told to have them run.
async fn told(machine: &Machine, server: &mut Server, tool: &str, arguments: serde_json::Value) -> String {
    let called = server.call(tool, arguments).await;
    assert!(called.failed(), "{}", called.text());
    line_in(machine, called.text())
}

async fn host_that_can_not_ask(machine: &Machine) -> Server {
    let mut server = machine.server();
    server.initialize("2025-06-18", json!({})).await;
    server
}

#[tokio::test]
async fn a_refused_credential_is_sent_by_the_line_of_the_refusal() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, ben) = pair(&plane).await;
    let line = refused(
        &ben.run(["post", "--kind", "env-fact", "--json"], credential().as_bytes())
            .await,
        "secret_found",
    );
    std::fs::write(ben.home().join("text"), credential()).unwrap();
    by_hand(&ben, &format!("{line} < text"), "allow\n").await;
    assert_eq!(texts(&ada).await[1], credential());
    // As a model is told it, for the hand-off of a new session.
    let mut server = host_that_can_not_ask(&ada).await;
    let share = json!({ "title": "Keys", "context": credential() });
    let line = told(&ada, &mut server, "share", share).await;
    std::fs::write(ada.home().join("text"), credential()).unwrap();
    let title = line.replace("TITLE", "Keys");
    let shared = by_hand(&ada, &format!("{title} < text"), "allow\n").await;
    assert!(shared.stdout.contains("Shared \"Keys\""), "{line}: {shared}");
}

#[tokio::test]
async fn an_agents_post_in_relay_goes_out_by_the_line_that_its_human_is_given() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, ben) = pair(&plane).await;
    let line = refused(&ada.run(["mode", "relay", "--json"], b"").await, "cannot_ask");
    by_hand(&ada, &line, "relay\n").await;
    std::fs::write(ben.home().join("text"), "May I?").unwrap();
    let post = ["post", "--topic", "a b", "--pin", "--json"];
    let line = refused(&ben.run(post, b"May I?").await, "cannot_ask");
    by_hand(&ben, &format!("{line} < text"), "send\n").await;
    assert_eq!(texts(&ada).await[1], "May I?");
    let read = ada.run(["read", "--as", "human", "--json"], b"").await.json();
    let posted = &read["messages"][0];
    assert_eq!((&posted["topic"], &posted["pin"]), (&json!("a b"), &json!(true)));
}

#[tokio::test]
async fn modes_are_set_and_accepted_by_the_lines_of_a_host_that_can_not_ask() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane.owner().with("DEVPILOT_NAME", "Ada");
    let mut adas = host_that_can_not_ask(&ada).await;
    let share = json!({ "title": "Modes", "context": "start" });
    assert!(!adas.call("share", share).await.failed());
    let ben = Machine::new()
        .with("DEVPILOT_NAME", "Ben")
        .with("DEVPILOT_SESSION_LINK", &ada.link());
    let mut bens = host_that_can_not_ask(&ben).await;
    assert!(!bens.call("join", json!({})).await.failed());

    let line = told(&ada, &mut adas, "mode", json!({ "set": "relay" })).await;
    by_hand(&ada, &line, "relay\n").await;
    assert_eq!(bens.call("mode", json!({})).await.structured()["mode"], "relay");
    let propose = json!({ "set": "auto", "goal": "Mend it", "budget": 7, "ttl_minutes": 9 });
    let line = told(&ada, &mut adas, "mode", propose).await;
    std::fs::write(ada.home().join("goal"), "Mend it").unwrap();
    by_hand(&ada, &format!("{line} < goal"), "auto\n").await;
    let line = told(&ben, &mut bens, "mode", json!({ "set": "accept" })).await;
    by_hand(&ben, &line, "accept\n").await;
    let mode = bens.call("mode", json!({})).await;
    assert_eq!(mode.structured()["mode"], "auto");
    assert_eq!(mode.structured()["budget_left"], 7);
}

#[tokio::test]
async fn the_link_the_door_a_re_key_and_the_end_take_the_line_of_their_refusal() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, ben) = pair(&plane).await;
    let link = refused(
        &ada.run(["link", "--as", "human", "--json"], b"").await,
        "cannot_ask",
    );
    let before = std::fs::read_dir(ada.devpilot().join("handoffs"))
        .unwrap()
        .count();
    by_hand(&ada, &link, "link\n").await;
    assert_eq!(
        std::fs::read_dir(ada.devpilot().join("handoffs"))
            .unwrap()
            .count(),
        before + 1
    );
    let ask = refused(&ada.run(["door", "ask", "--json"], b"").await, "cannot_ask");
    by_hand(&ada, &ask, "ask\n").await;

    // Somebody knocks: the owner's answers say where to look, and that says how to let them in.
    let guest = Machine::new()
        .with("DEVPILOT_NAME", "Cleo")
        .with("DEVPILOT_SESSION_LINK", &ada.link_of_the_newest_note());
    let knocking = guest.run(["join", "--json"], b"");
    let admitting = async {
        let started = std::time::Instant::now();
        let bell = loop {
            let read = ada.run(["read", "--as", "human"], b"").await;
            if read.stdout.contains("at the door") {
                break line_in(&ada, &read.stdout);
            }
            assert!(started.elapsed() < std::time::Duration::from_secs(30), "{read}");
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        };
        let door = obey(&ada, &bell, b"").await;
        let lines = lines_in(&ada, &door.stdout);
        assert!(lines.len() == 2 && lines[1].contains("door refuse "), "{door}");
        by_hand(&ada, &lines[0], "admit\n").await;
    };
    let (joined, ()) = tokio::join!(knocking, admitting);
    works(&joined);

    let rekey = refused(&ada.run(["rekey", "--json"], b"").await, "cannot_ask");
    let rekeyed = by_hand(&ada, &rekey, "k\nd\n\nrekey\n").await;
    let link = line_in(&ada, &rekeyed.stdout);
    by_hand(&ada, &link, "link\n").await;
    let end = refused(&ada.run(["end", "--json"], b"").await, "cannot_ask");
    by_hand(&ada, &end, "end\n").await;
    let over = ben.run(["post", "--json"], b"too late").await;
    assert_ne!(over.code(), 0, "{over}");
}

#[tokio::test]
async fn a_terminal_that_knows_no_home_folder_is_told_it_by_the_line() {
    let plane = Plane::start(Store::Sqlite).await;
    let elsewhere = tempfile::tempdir().unwrap();
    let home = elsewhere.path().join("it's a home");
    let owner = plane.owner();
    let moved = std::process::Command::new("cp")
        .arg("-a")
        .args([owner.devpilot().as_path(), home.as_path()])
        .status();
    assert!(moved.unwrap().success());
    let ada = owner.with("DEVPILOT_HOME", home.to_str().unwrap());
    works(&ada.run(["share", "--title", "Elsewhere"], b"start").await);
    let mut server = agent(&ada).await;
    assert!(!server.call("read", json!({})).await.failed());
    let line = refused(&ada.run(["mode", "relay", "--json"], b"").await, "cannot_ask");
    let ada = ada.without("DEVPILOT_HOME");
    by_hand(&ada, &line, "relay\n").await;
    assert_eq!(server.call("mode", json!({})).await.structured()["mode"], "relay");
}
