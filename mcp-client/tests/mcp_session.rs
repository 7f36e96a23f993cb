//! Two clients as processes, over a real plane: the story from share to who, and what goes wrong on the way.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stdio::plane::{Plane, Store};
use stdio::proxy::Proxy;
use stdio::{Machine, Server};

const CONTEXT: &str = "The login test fails every third run. Suspect: the clock in session.rs.";

/// A host with a human who can be asked.
async fn agent(machine: &Machine) -> Server {
    let mut server = machine.server();
    server
        .initialize("2025-06-18", json!({ "elicitation": {} }))
        .await;
    server
}

/// Two agents in one session, each on its own machine.
struct Pair {
    ada: Server,
    ada_machine: Machine,
    ben: Server,
    ben_machine: Machine,
}

impl Pair {
    async fn new(plane: &Plane) -> Self {
        Self::through(plane, plane.port()).await
    }

    /// Ben reaches the plane through `port`.
    async fn through(plane: &Plane, port: u16) -> Self {
        let ada_machine = plane.owner().with("DEVPILOT_NAME", "Ada");
        let mut ada = agent(&ada_machine).await;
        let shared = ada
            .call(
                "share",
                json!({ "title": "Flaky login test", "context": CONTEXT, "with": "Ben" }),
            )
            .await;
        assert!(!shared.failed(), "{}", shared.text());
        let link = ada_machine
            .link()
            .replace(&plane.port().to_string(), &port.to_string());
        let ben_machine = Machine::new()
            .with("DEVPILOT_NAME", "Ben")
            .with("DEVPILOT_SESSION_LINK", &link);
        let mut ben = agent(&ben_machine).await;
        let joined = ben.call("join", json!({})).await;
        assert!(!joined.failed(), "{}", joined.text());
        Self {
            ada,
            ada_machine,
            ben,
            ben_machine,
        }
    }

    /// As [`Pair::new`], and relay.
    async fn in_relay(plane: &Plane) -> Self {
        let mut pair = Self::new(plane).await;
        pair.relay().await;
        pair
    }

    async fn relay(&mut self) {
        let (relayed, questions) = self.ada.call_agreed("mode", json!({ "set": "relay" })).await;
        assert_eq!(relayed.structured()["mode"], "relay");
        assert_eq!(questions.len(), 1);
    }
}

fn texts(messages: &Value) -> Vec<&str> {
    let messages = messages.as_array().unwrap().iter();
    messages
        .map(|message| message["text"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn the_story_from_share_to_who() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let Pair {
            mut ada,
            ada_machine,
            mut ben,
            ben_machine,
        } = Pair::in_relay(&plane).await;

        let read = ben.call("read", json!({ "since": 0 })).await;
        let read = read.structured();
        assert_eq!(read["card"]["handoff"]["text"], CONTEXT);
        assert_eq!(read["title"], "Flaky login test");
        assert_eq!(read["integrity"]["state"], "ok");
        assert_eq!(read["mode"], "relay");

        let waiting = ada.start_call("wait", json!({ "timeout_s": 45 })).await;
        let (posted, questions) = ben
            .call_agreed(
                "post",
                json!({ "text": "Is the clock mocked?", "kind": "question" }),
            )
            .await;
        let seq = posted.structured()["seq"].clone();
        assert_eq!(questions.len(), 1, "in relay the human is asked");
        assert!(questions[0].contains("Is the clock mocked?"), "{}", questions[0]);

        let woken = stdio::Called(ada.answer(waiting).await);
        let message = &woken.structured()["messages"][0];
        assert_eq!(woken.structured()["woke_by"], "messages");
        assert_eq!(
            (&message["text"], &message["seq"]),
            (&json!("Is the clock mocked?"), &seq)
        );
        assert_eq!(
            (&message["from"], &message["kind"]),
            (&json!("Ben"), &json!("question"))
        );
        assert_eq!(
            (&message["untrusted"], &message["origin"]),
            (&json!(true), &json!("participant"))
        );
        assert!(woken.text().contains("Is the clock mocked?"));

        let (first, second) = (ada.call("who", json!({})).await, ben.call("who", json!({})).await);
        let (first, second) = (first.structured(), second.structured());
        assert_eq!(first["head_hash"], second["head_hash"]);
        assert_eq!(first["head_hash"].as_str().unwrap().len(), 32 + 7);
        assert_eq!(first["participants"].as_array().unwrap().len(), 2);

        let (ada, ben) = (ada.close().await, ben.close().await);
        let everything = ada.lines.concat() + &ben.lines.concat() + &ada.stderr + &ben.stderr;
        let secrets: Vec<String> = [ada_machine.secrets(), ben_machine.secrets()].concat();
        assert!(
            secrets.len() >= 4,
            "the search would find nothing: {}",
            secrets.len()
        );
        for secret in secrets {
            assert!(
                !everything.contains(&secret),
                "a secret of {} symbols got out",
                secret.len()
            );
        }
    }
}

#[tokio::test]
async fn no_process_list_shows_a_link() {
    let plane = Plane::start(Store::Sqlite).await;
    let pair = Pair::new(&plane).await;
    let key = pair.ada_machine.link().split_once('#').unwrap().1.to_owned();
    let mut seen = 0;
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        if let Ok(line) = std::fs::read_to_string(process.path().join("cmdline")) {
            seen += usize::from(line.contains("devpilot-session"));
            assert!(!line.contains(&key), "{}", process.path().display());
        }
    }
    assert!(cfg!(not(target_os = "linux")) || seen >= 2, "{seen}");
}

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

#[tokio::test]
async fn in_observe_waiting_is_refused_and_the_way_on_is_named() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    let refused = pair.ben.call("wait", json!({})).await;
    assert_eq!(refused.code(), "mode_observe");
    assert!(refused.text().contains("relay"), "{}", refused.text());
}

#[tokio::test]
async fn relay_needs_the_human_s_own_yes() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    for (answer, code) in [
        (json!({ "action": "decline" }), "declined"),
        (json!({ "action": "cancel" }), "dismissed"),
        (json!({ "action": "accept" }), "empty_answer"),
        (json!({ "action": "accept", "content": {} }), "empty_answer"),
    ] {
        let id = pair.ada.start_call("mode", json!({ "set": "relay" })).await;
        let (refused, questions) = pair.ada.answer_asked(id, &answer).await;
        assert_eq!((refused.code(), questions.len()), (code, 1), "{answer}");
    }
    let mode = pair.ada.call("mode", json!({})).await;
    assert_eq!(mode.structured()["mode"], "observe");

    let mut mute = pair.ada_machine.server();
    mute.initialize("2025-06-18", json!({})).await;
    let refused = mute.call("mode", json!({ "set": "relay" })).await;
    assert_eq!(refused.code(), "cannot_ask");
    assert!(
        refused.text().contains("do not run it yourself"),
        "{}",
        refused.text()
    );
}

#[tokio::test]
async fn in_the_later_era_the_human_is_asked_in_a_second_round() {
    let plane = Plane::start(Store::Sqlite).await;
    let pair = Pair::new(&plane).await;
    let mut ada = pair.ada_machine.server();
    ada.without_initialize(json!({ "elicitation": {} }));
    drop(pair.ada);
    let first = ada.call("mode", json!({ "set": "relay" })).await.0["result"].clone();
    assert_eq!(first["resultType"], "input_required", "{first}");
    let shown = first["inputRequests"]["consent"]["params"]["message"]
        .as_str()
        .unwrap();
    assert!(shown.contains("Flaky login test"), "{shown}");
    let params = json!({
        "name": "devpilot_session_mode", "arguments": { "set": "relay" }, "requestState": first["requestState"],
        "inputResponses": { "consent": { "action": "accept", "content": { "confirm": true } } }
    });
    let second = stdio::Called(ada.request("tools/call", params).await);
    assert_eq!(second.structured()["mode"], "relay");
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

#[tokio::test]
async fn a_home_and_a_path_are_enough_to_share_and_to_join() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada_machine = plane.owner().without("DEVPILOT_CLIPBOARD");
    let mut ada = agent(&ada_machine).await;
    let shared = ada
        .call("share", json!({ "title": "Bare", "context": "All of it" }))
        .await;
    assert_eq!(shared.structured()["clipboard"], "none", "there is no display");
    let ben_machine = Machine::new().without("DEVPILOT_CLIPBOARD");
    let mut ben = agent(&ben_machine).await;
    let joined = ben.call("join", json!({ "link": ada_machine.link() })).await;
    assert_eq!(joined.structured()["card"]["handoff"]["text"], "All of it");
}

#[tokio::test]
async fn one_waiting_call_does_not_hold_up_another() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::in_relay(&plane).await;
    pair.ada.call("read", json!({})).await.structured();
    let waiting = pair.ada.start_call("wait", json!({})).await;
    let (posted, _) = pair.ada.call_agreed("post", json!({ "text": "meanwhile" })).await;
    posted.structured();
    let (theirs, _) = pair.ben.call_agreed("post", json!({ "text": "for Ada" })).await;
    theirs.structured();
    let woken = stdio::Called(pair.ada.answer(waiting).await);
    assert_eq!(texts(&woken.structured()["messages"]), ["for Ada"]);
}

#[tokio::test]
async fn two_agents_of_one_machine_are_two_participants() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    let mut second = agent(&pair.ben_machine).await;
    let joined = second.call("join", json!({})).await;
    let other = joined.structured()["my_id"].clone();
    let mine = pair.ben.call("who", json!({})).await.structured()["my_id"].clone();
    assert_ne!(other, mine);
}

#[tokio::test]
async fn a_long_message_comes_in_parts_and_whole() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    let line = "Zeile mit Umlauten äöü und 🙂 am Ende.\n";
    let text = line.repeat(60_000 / line.len());
    pair.ada.call("post", json!({ "text": text })).await.structured();

    let (mut parts, mut more, mut arguments) = (String::new(), true, json!({}));
    while more {
        let answer = pair.ben.call("read", arguments).await;
        let read = answer.structured();
        assert!(answer.text().len() <= 26_000, "{}", answer.text().len());
        for message in read["messages"].as_array().unwrap() {
            assert_eq!(message["offset"].as_u64().unwrap_or(0) as usize, parts.len());
            parts.push_str(message["text"].as_str().unwrap());
        }
        more = read["more"].as_bool().unwrap();
        arguments = json!({ "since": read["next_since"], "offset": read["next_offset"] });
    }
    assert!(parts == text, "{} of {} bytes", parts.len(), text.len());
}

#[tokio::test]
async fn five_thousand_messages_are_paged_within_the_budget() {
    const COUNT: usize = 5_000;
    let limits = json!({
        "appends_per_minute": 1_000_000, "append_burst": 1_000_000, "append_bytes_per_minute": 1_000_000_000
    });
    let plane = Plane::start_with(Store::Sqlite, Some(&limits.to_string())).await;
    let mut pair = Pair::new(&plane).await;
    let mut ids = Vec::new();
    for number in 0..COUNT {
        ids.push(
            pair.ada
                .start_call("post", json!({ "text": format!("message {number}") }))
                .await,
        );
        if ids.len() == 16 {
            pair.ada.answer(ids.remove(0)).await;
        }
    }
    for id in ids {
        pair.ada.answer(id).await;
    }
    let (mut read, mut more) = (Vec::new(), true);
    while more {
        let answer = pair.ben.call("read", json!({ "limit": 200 })).await;
        let structured = answer.structured();
        // A token is about three bytes of such text and more; 8,000 of them are 24,000 bytes.
        assert!(answer.text().len() <= 24_000, "{}", answer.text().len());
        assert!(structured.to_string().len() <= 24_000, "{structured}");
        let texts = texts(&structured["messages"]).into_iter();
        read.extend(texts.map(|text| text["message ".len()..].parse::<usize>().unwrap()));
        more = structured["more"].as_bool().unwrap();
    }
    read.sort_unstable();
    assert_eq!(read, (0..COUNT).collect::<Vec<_>>());
}
