//! What goes wrong between two clients and a plane: kills, cancelled calls, a held wire, signals, a full pipe.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stdio::pair::{Pair, agent, texts};
use stdio::plane::{Plane, Store};
use stdio::proxy::Proxy;

#[tokio::test]
async fn a_client_that_died_comes_back_as_the_same_participant() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let Pair {
            mut ada,
            ben,
            ben_machine,
            ada_machine: _kept,
        } = Pair::in_relay(&plane).await;
        let (first, _) = ada.call_agreed("post", json!({ "text": "one" })).await;
        ben.kill().await;

        let mut ben = agent(&ben_machine).await;
        let read = ben.call("read", json!({})).await;
        assert_eq!(texts(&read.structured()["messages"]), ["one"]);
        assert_eq!(read.structured()["messages"][0]["seq"], first.structured()["seq"]);
        let again = ben.call("read", json!({})).await;
        assert_eq!(
            texts(&again.structured()["messages"]),
            [""; 0],
            "it was shown once"
        );
        let who = ben.call("who", json!({})).await;
        assert_eq!(who.structured()["participants"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn a_plane_that_died_loses_and_doubles_nothing() {
    for store in Store::here() {
        let mut plane = Plane::start(store).await;
        let Pair {
            mut ada,
            mut ben,
            ada_machine: _kept,
            ben_machine: _kept_too,
        } = Pair::in_relay(&plane).await;
        ada.call_agreed("post", json!({ "text": "before" }))
            .await
            .0
            .structured();
        plane.kill().await;
        let posting = ada
            .start_call("post", json!({ "text": "while it is away" }))
            .await;
        plane.restart().await;
        let yes = json!({ "action": "accept", "content": { "confirm": true } });
        let (mut posted, _) = ada.answer_asked(posting, &yes).await;
        if posted.failed() {
            posted = ada
                .call_agreed("post", json!({ "text": "while it is away" }))
                .await
                .0;
        }
        posted.structured();
        let mut read = Vec::new();
        while read.len() < 2 {
            let answer = ben.call("read", json!({})).await;
            let messages = texts(&answer.structured()["messages"]).join("|");
            assert!(!messages.is_empty(), "{read:?}");
            read.extend(messages.split('|').map(str::to_owned));
        }
        assert_eq!(read, ["before", "while it is away"]);
    }
}

#[tokio::test]
async fn a_cancelled_wait_ends_its_request_and_moves_nothing() {
    let plane = Plane::start(Store::Sqlite).await;
    let proxy = Proxy::before(plane.port()).await;
    let mut pair = Pair::through(&plane, proxy.port()).await;
    pair.relay().await;
    pair.ben.call("read", json!({})).await.structured();
    let idle = proxy.open();

    let waiting = pair.ben.start_call("wait", json!({})).await;
    pair.ben.request("ping", json!({})).await;
    let cancelled = Instant::now();
    tokio::time::sleep(Duration::from_secs(1)).await;
    pair.ben
        .notify("notifications/cancelled", json!({ "requestId": waiting }))
        .await;
    proxy.until_open(idle.saturating_sub(1)).await;
    assert!(
        cancelled.elapsed() < Duration::from_secs(2),
        "{:?}",
        cancelled.elapsed()
    );

    pair.ada
        .call_agreed("post", json!({ "text": "after the wait" }))
        .await;
    let read = pair.ben.call("read", json!({})).await;
    assert_eq!(texts(&read.structured()["messages"]), ["after the wait"]);
    let answered = |line: &String| serde_json::from_str::<Value>(line).unwrap()["id"] == waiting;
    assert!(
        !pair.ben.lines.iter().any(answered),
        "a cancelled call has no answer"
    );
}

#[tokio::test]
async fn a_post_that_was_given_up_is_stored_once() {
    let plane = Plane::start(Store::Sqlite).await;
    let proxy = Proxy::before(plane.port()).await;
    let mut pair = Pair::through(&plane, proxy.port()).await;

    proxy.hold();
    let posting = pair
        .ben
        .start_call("post", json!({ "text": "exactly once" }))
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    pair.ben
        .notify("notifications/cancelled", json!({ "requestId": posting }))
        .await;
    proxy.release();
    let retried = pair.ben.call("post", json!({ "text": "exactly once" })).await;
    let seq = retried.structured()["seq"].clone();

    let read = pair.ada.call("read", json!({})).await;
    assert_eq!(texts(&read.structured()["messages"]), ["exactly once"]);
    assert_eq!(read.structured()["messages"][0]["seq"], seq);
}

#[tokio::test]
async fn a_wait_of_ten_minutes_is_cut_and_shows_signs_of_life() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::in_relay(&plane).await;
    pair.ben.call("read", json!({})).await.structured();
    let started = Instant::now();
    let params = json!({
        "name": "devpilot_session_wait", "arguments": { "timeout_s": 600 }, "_meta": { "progressToken": 7 }
    });
    let waiting = pair.ben.post("tools/call", params).await;
    let (mut last, mut at) = (0.0, Instant::now());
    let answer = loop {
        let message = pair.ben.next().await.unwrap();
        assert!(at.elapsed() <= Duration::from_secs(15), "{:?}", at.elapsed());
        at = Instant::now();
        if message["id"] == waiting {
            break stdio::Called(message);
        }
        let progress = message["params"]["progress"].as_f64().unwrap();
        assert!(progress > last, "{progress} after {last}");
        last = progress;
    };
    assert!(
        started.elapsed() < Duration::from_secs(55),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(answer.structured()["woke_by"], "timed_out");
    assert!(last > 0.0, "there was progress");
    let warnings = answer.structured()["warnings"].to_string();
    assert!(
        warnings.contains("50"),
        "it says that the time was cut: {warnings}"
    );
}

/// `mcp-client.md`, Faults: tried again inside the call's time, then an error that says what to do. It is no time that was up
/// (exit code 2): nobody knows whether somebody wrote.
#[tokio::test]
async fn a_wait_for_a_plane_that_never_answers_ends_with_its_own_time() {
    let plane = Plane::start(Store::Sqlite).await;
    let proxy = Proxy::before(plane.port()).await;
    let pair = Pair::through(&plane, proxy.port()).await;
    let waits = ["wait", "--timeout", "4", "--as", "human"];
    // It answers the first request and keeps the one that is held; it answers none at all.
    for held in ["wait=", "HTTP/1.1"] {
        proxy.hold_requests(held);
        let started = Instant::now();
        let ran = pair.ben_machine.run(waits, b"").await;
        let took = started.elapsed();
        assert_eq!(ran.code(), 1, "{held}: {ran}");
        assert!(ran.stderr.contains("did not answer in time"), "{held}: {ran}");
        assert!(took < Duration::from_millis(6_500), "{held}: {took:?}");
        assert!(took > Duration::from_millis(2_900), "{held}: {took:?}");
        proxy.release_requests();
    }
}

/// What passed while it was stopped is no answer that the plane owed: it is asked once more, and says what there is.
#[cfg(unix)]
#[tokio::test]
async fn a_wait_that_was_asleep_past_its_time_looks_at_the_plane_once_more() {
    let plane = Plane::start(Store::Sqlite).await;
    let proxy = Proxy::before(plane.port()).await;
    let mut pair = Pair::through(&plane, proxy.port()).await;
    pair.relay().await;
    pair.ben.call("read", json!({})).await.structured();
    // The held requests come to nothing, as those of a machine that wakes in another network.
    proxy.hold_requests("wait=");
    for (posts, code, woke_by) in [(false, Some(2), "timed_out"), (true, Some(0), "messages")] {
        let before = proxy.stayed();
        let waiting = pair.ben.start_call("wait", json!({ "timeout_s": 1 })).await;
        let mut wait = pair.ben_machine.command(["wait", "--timeout", "1"]);
        let command = wait.args(["--as", "human", "--json"]).stdout(Stdio::piped());
        let command = command.stderr(Stdio::piped()).spawn().unwrap();
        proxy.until_held(before + 2).await;
        let (server, looking_on) = (pair.ben.pid(), command.id().unwrap());
        signal("STOP", server);
        signal("STOP", looking_on);
        if posts {
            let (posted, _) = pair
                .ada
                .call_agreed("post", json!({ "text": "while asleep" }))
                .await;
            posted.structured();
        }
        tokio::time::sleep(Duration::from_millis(3_500)).await;
        // First whoever marks nothing as read.
        signal("CONT", looking_on);
        let ran = command.wait_with_output().await.unwrap();
        assert_eq!(ran.status.code(), code, "{ran:?}");
        let said: Value = serde_json::from_slice(&ran.stdout).unwrap();
        assert_eq!(said["woke_by"], woke_by);
        signal("CONT", server);
        let called = stdio::Called(pair.ben.answer(waiting).await);
        assert_eq!(called.structured()["woke_by"], woke_by, "{}", called.text());
    }
}

#[cfg(unix)]
fn signal(name: &str, process: u32) {
    let sent = std::process::Command::new("kill")
        .args(["-s", name, &process.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

#[tokio::test]
async fn the_end_of_input_answers_a_waiting_call() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::in_relay(&plane).await;
    pair.ben.call("read", json!({})).await.structured();
    let waiting = pair.ben.start_call("wait", json!({})).await;
    pair.ben.request("ping", json!({})).await;
    let closed = pair.ben.close().await;
    assert!(closed.status.success(), "{}", closed.stderr);
    assert!(closed.took < Duration::from_secs(2), "{:?}", closed.took);
    assert!(
        closed.answers.iter().any(|answer| answer["id"] == waiting),
        "{:?}",
        closed.answers
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_signal_answers_a_waiting_call() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::in_relay(&plane).await;
    pair.ben.call("read", json!({})).await.structured();
    let waiting = pair.ben.start_call("wait", json!({})).await;
    pair.ben.request("ping", json!({})).await;
    let started = Instant::now();
    let pid = pair.ben.pid().to_string();
    std::process::Command::new("kill")
        .args(["-s", "TERM", &pid])
        .status()
        .unwrap();
    let answer = pair.ben.answer(waiting).await;
    assert_eq!(stdio::Called(answer).code(), "cancelled");
    assert!(pair.ben.close().await.status.success());
    assert!(
        started.elapsed() < Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test]
async fn a_client_that_died_before_its_answer_left_shows_it_again() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    let text = "x".repeat(50_000);
    pair.ada.call("post", json!({ "text": text })).await.structured();
    pair.ben.call("who", json!({})).await.structured();
    // Two answers of this size do not fit into a pipe that nobody reads, so the second one is still here.
    let whole = json!({ "since": 0, "max_bytes": 60_000 });
    pair.ben.start_call("read", whole).await;
    pair.ben.start_call("read", json!({ "max_bytes": 60_000 })).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    pair.ben.kill().await;

    let mut ben = agent(&pair.ben_machine).await;
    let read = ben.call("read", json!({ "max_bytes": 60_000 })).await;
    assert_eq!(texts(&read.structured()["messages"]), [text]);
}
