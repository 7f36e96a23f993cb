//! The ways out of auto with two agents as processes over a real plane: each is told at once and by its name.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::time::Instant;

use serde_json::{Value, json};
use stdio::auto::{AT_ONCE, GOAL, accept, in_auto, listening};
use stdio::pair::{Pair, texts};
use stdio::plane::{Plane, Store};
use stdio::{Called, Server};

fn events(read: &Value, part: &str) -> usize {
    let events = read["events"].as_array().unwrap().iter();
    events
        .filter(|event| event["text"].as_str().unwrap().contains(part))
        .count()
}

/// Waits and answers whatever comes, until it is refused; how many posts it got in, and what it was refused.
async fn bot(mut server: Server, first: bool) -> (Server, usize, Vec<String>) {
    let (mut posted, mut refused) = (0, Vec::new());
    let mut answer = first;
    while refused.is_empty() {
        if answer {
            let called = server.call("post", json!({ "text": "and another thing" })).await;
            match called.failed() {
                true => refused.push(called.code().to_owned()),
                false => posted += 1,
            }
        } else {
            let woken = server.call("wait", json!({ "timeout_s": 20 })).await;
            match woken.failed() {
                true => refused.push(woken.code().to_owned()),
                false => assert_eq!(woken.structured()["woke_by"], "messages", "{}", woken.0),
            }
        }
        answer = !answer;
    }
    (server, posted, refused)
}

#[tokio::test]
async fn two_bots_that_always_answer_post_the_budget_and_no_more() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let Pair {
            ada,
            ben,
            ada_machine: _ada,
            ben_machine: _ben,
        } = in_auto(&plane, 10).await;
        let (one, other) = tokio::join!(bot(ada, true), bot(ben, false));
        let (mut ada, ben_posted) = (one.0, other.1);
        assert_eq!((one.1, ben_posted), (5, 5), "ten in turns");
        // Who got the tenth answers it all the same: that is the eleventh. Who wrote the tenth waits.
        let mut refused = [one.2, other.2].concat();
        refused.sort();
        assert_eq!(refused, ["auto_over", "mode_observe"]);

        let read = ada.call("read", json!({ "since": 0, "limit": 200 })).await;
        let read = read.structured();
        assert_eq!(
            texts(&read["messages"])
                .iter()
                .filter(|text| text.contains("another"))
                .count(),
            10
        );
        assert_eq!(
            events(read, "to observe: the budget is spent (10 of 10 messages spent)"),
            1
        );
        assert_eq!(events(read, "to observe"), 1, "one notice");
        assert_eq!(read["mode"], "observe");
    }
}

#[tokio::test]
async fn a_waiting_agent_is_told_at_once_why_auto_is_over() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        for (last, budget, why) in [
            (("mode", json!({ "set": "stop" })), 5, "somebody stopped it"),
            (
                ("mode", json!({ "set": "observe" })),
                5,
                "a participant set observe",
            ),
            (
                ("post", json!({ "text": "stuck", "signal": "blocked" })),
                5,
                "somebody said blocked",
            ),
            (
                ("post", json!({ "text": "the last one" })),
                1,
                "the budget is spent",
            ),
        ] {
            let mut pair = in_auto(&plane, budget).await;
            let waiting = pair.ben.start_call("wait", json!({ "timeout_s": 45 })).await;
            // The wait is there once the others see it.
            listening(&mut pair.ada).await;
            let started = Instant::now();
            pair.ada.call(last.0, last.1).await.structured();
            let woken = Called(pair.ben.answer(waiting).await);
            assert!(started.elapsed() < AT_ONCE, "{:?}", started.elapsed());
            let woken = woken.structured();
            assert_eq!(woken["mode"], "observe", "{woken}");
            assert!(woken["next"].as_str().unwrap().contains(why), "{why}: {woken}");
        }
    }
}

#[tokio::test]
async fn all_done_and_leaving_end_it_too() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = in_auto(&plane, 5).await;
    for server in [&mut pair.ada, &mut pair.ben] {
        let done = json!({ "text": "nothing left for me", "signal": "done" });
        server.call("post", done).await.structured();
    }
    let mode = pair.ada.call("mode", json!({})).await;
    let next = mode.structured()["next"].as_str().unwrap();
    assert!(next.contains("every agent in it said done"), "{next}");

    let mut pair = in_auto(&plane, 5).await;
    let left = pair.ben_machine.run(["leave"], b"").await;
    assert_eq!(left.code(), 0, "{left}");
    let mode = pair.ada.call("mode", json!({})).await;
    let next = mode.structured()["next"].as_str().unwrap();
    assert!(next.contains("too few of those who accepted remain"), "{next}");
}

#[tokio::test]
async fn the_post_that_ends_auto_says_so() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = in_auto(&plane, 1).await;
    let posted = pair.ada.call("post", json!({ "text": "the only one" })).await;
    let posted = posted.structured();
    assert_eq!(posted["mode"], "observe");
    let warnings = posted["warnings"].to_string();
    assert!(warnings.contains("the budget is spent"), "{warnings}");
    let refused = pair.ada.call("post", json!({ "text": "and one more" })).await;
    assert_eq!(refused.code(), "auto_over");
    for part in ["the budget is spent", "Nothing was posted", "your human"] {
        assert!(refused.text().contains(part), "{part}: {}", refused.text());
    }
    // Told once, what it posts is at its human's word, as in every observe.
    let asked = pair
        .ada
        .call("post", json!({ "text": "my human asks me to say this" }))
        .await;
    asked.structured();
    let read = pair.ben.call("read", json!({})).await;
    assert_eq!(
        texts(&read.structured()["messages"]),
        ["the only one", "my human asks me to say this"]
    );
}

#[tokio::test]
async fn time_ends_auto_without_a_request_and_a_wait_says_so() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    let arguments = json!({ "set": "auto", "goal": GOAL, "ttl_minutes": 1 });
    pair.ada.call_agreed("mode", arguments).await.0.structured();
    let (accepted, _) = accept(&mut pair.ben).await;
    let started = Instant::now();
    assert_eq!(accepted.structured()["mode"], "auto");
    pair.ben.call("read", json!({})).await.structured();
    let silent = pair.ben.call("wait", json!({ "timeout_s": 30 })).await;
    assert_eq!(silent.structured()["woke_by"], "timed_out");
    let woken = pair.ben.call("wait", json!({ "timeout_s": 45 })).await;
    let after = started.elapsed().as_secs_f64();
    assert!((58.0..62.5).contains(&after), "{after}");
    let woken = woken.structured();
    assert_eq!(
        (&woken["woke_by"], &woken["mode"]),
        (&json!("mode_changed"), &json!("observe"))
    );
    assert!(
        woken["next"].as_str().unwrap().contains("the time is up"),
        "{woken}"
    );
    let refused = pair.ben.call("wait", json!({})).await;
    assert_eq!(refused.code(), "mode_observe");
    assert!(refused.text().contains("the time is up"), "{}", refused.text());
    // Ada was told nothing since: a reply of hers is a late one.
    let late = pair.ada.call("post", json!({ "text": "as I was saying" })).await;
    assert_eq!(late.code(), "auto_over");
    assert!(late.text().contains("the time is up"), "{}", late.text());
}
