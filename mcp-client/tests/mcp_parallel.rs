//! Several calls at once: the same share is one session, and no call waits for another beyond its own time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stdio::pair::{Pair, agent};
use stdio::plane::{Plane, Store};
use stdio::{Called, Server};

/// The answers to calls that are under way, each with when it came.
async fn answers(server: &mut Server, calls: &[u64], started: Instant) -> BTreeMap<u64, (Called, Duration)> {
    let mut found = BTreeMap::new();
    while found.len() < calls.len() {
        let message = server.next().await.expect("the server is there");
        let answer = message.get("method").is_none();
        if let Some(id) = message["id"].as_u64().filter(|id| answer && calls.contains(id)) {
            found.insert(id, (Called(message), started.elapsed()));
        }
    }
    found
}

/// How often a participant of the session posted this text.
fn count(read: &Value, text: &str) -> usize {
    let handoff = usize::from(read["card"]["handoff"]["text"] == text);
    let messages = read["messages"].as_array().unwrap();
    let later =
        |message: &&Value| message["text"] == text && message["seq"] != read["card"]["handoff"]["seq"];
    handoff + messages.iter().filter(later).count()
}

#[tokio::test]
async fn the_same_share_at_once_is_one_session_with_one_context() {
    let plane = Plane::start(Store::Sqlite).await;
    let machine = plane.owner().with("DEVPILOT_NAME", "Ada");
    let mut server = agent(&machine).await;
    let mut calls = Vec::new();
    for _ in 0..4 {
        let call = json!({ "title": "Same", "context": "the one context" });
        calls.push(server.start_call("share", call).await);
    }
    let shared = answers(&mut server, &calls, Instant::now()).await;
    let sessions: BTreeSet<&str> = shared
        .values()
        .map(|(answer, _)| answer.structured()["session"].as_str().unwrap())
        .collect();
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    let created = shared
        .values()
        .filter(|(answer, _)| answer.structured()["created"] == true);
    assert_eq!(created.count(), 1);

    let read = server.call("read", json!({ "since": 0 })).await;
    assert_eq!(count(read.structured(), "the one context"), 1, "{}", read.0);
    assert_eq!(read.structured()["integrity"]["state"], "ok");
    let who = server.call("who", json!({})).await;
    assert_eq!(who.structured()["participants"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_same_share_by_several_processes_is_one_session() {
    let plane = Plane::start(Store::Sqlite).await;
    let machine = plane.owner().with("DEVPILOT_NAME", "Ada");
    let share = || machine.run(["share", "--title", "Same", "--json"], b"the one context");
    let (first, second, third) = tokio::join!(share(), share(), share());
    let mut sessions = BTreeSet::new();
    for ran in [first, second, third] {
        assert_eq!(ran.code(), 0, "{ran}");
        sessions.insert(ran.json()["session"].as_str().unwrap().to_owned());
    }
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    let read = machine.run(["read", "--since", "0", "--json"], b"").await;
    assert_eq!(count(&read.json(), "the one context"), 1, "{read}");
}

#[tokio::test]
async fn the_same_share_by_two_agents_is_one_session_with_one_context() {
    let plane = Plane::start(Store::Sqlite).await;
    let machine = plane.owner().with("DEVPILOT_NAME", "Ada");
    let (mut one, mut other) = (agent(&machine).await, agent(&machine).await);
    let call = json!({ "title": "Same", "context": "the one context" });
    let (first, second) = tokio::join!(one.call("share", call.clone()), other.call("share", call));
    assert_eq!(first.structured()["session"], second.structured()["session"]);
    let read = other.call("read", json!({ "since": 0 })).await;
    assert_eq!(count(read.structured(), "the one context"), 1, "{}", read.0);
    let read = one.call("read", json!({ "since": 0 })).await;
    assert_eq!(count(read.structured(), "the one context"), 1, "{}", read.0);
    let who = one.call("who", json!({})).await;
    assert_eq!(who.structured()["participants"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_second_agent_of_a_machine_is_told_that_it_joined() {
    let plane = Plane::start(Store::Sqlite).await;
    let pair = Pair::new(&plane).await;
    let mut second = agent(&pair.ben_machine).await;
    let joined = second.call("join", json!({})).await;
    assert_eq!(joined.structured()["joined"], true, "{}", joined.text());
    assert!(joined.text().contains("Joined as"), "{}", joined.text());
    let again = second.call("join", json!({})).await;
    assert_eq!(again.structured()["joined"], false);
    assert_eq!(again.structured()["my_id"], joined.structured()["my_id"]);
}

#[cfg(unix)]
#[tokio::test]
async fn calls_on_a_plane_that_hangs_end_each_in_its_own_time() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::in_relay(&plane).await;
    pair.ben.call("read", json!({})).await.structured();
    signal(&plane, "STOP");
    let started = Instant::now();
    let mut calls = Vec::new();
    for (tool, arguments) in [
        ("read", json!({})),
        ("post", json!({ "text": "held" })),
        ("who", json!({})),
        ("mode", json!({})),
    ] {
        calls.push(pair.ben.start_call(tool, arguments).await);
    }
    let answered = answers(&mut pair.ben, &calls, started).await;
    signal(&plane, "CONT");
    for (answer, took) in answered.values() {
        assert!(*took < Duration::from_secs(36), "{took:?}: {}", answer.0);
        if answer.failed() {
            assert_eq!(answer.code(), "plane_unreachable");
            assert!(answer.text().contains("Nothing was lost"), "{}", answer.text());
        }
    }
    let read = pair.ben.call("read", json!({})).await;
    assert_eq!(read.structured()["integrity"]["state"], "ok");
}

#[tokio::test]
async fn a_wait_keeps_no_other_call_waiting() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::in_relay(&plane).await;
    pair.ben.call("read", json!({})).await.structured();
    let waiting = pair.ben.start_call("wait", json!({ "timeout_s": 20 })).await;
    let started = Instant::now();
    for tool in ["who", "mode", "read"] {
        pair.ben.call(tool, json!({})).await.structured();
    }
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
    pair.ada
        .call_agreed("post", json!({ "text": "now" }))
        .await
        .0
        .structured();
    let woken = Called(pair.ben.answer(waiting).await);
    assert_eq!(woken.structured()["woke_by"], "messages");
}

/// Stops the plane's process or lets it go on.
#[cfg(unix)]
fn signal(plane: &Plane, name: &str) {
    let status = std::process::Command::new("kill")
        .args(["-s", name, &plane.pid().to_string()])
        .status();
    assert!(status.unwrap().success());
}
