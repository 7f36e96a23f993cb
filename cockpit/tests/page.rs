//! What `docs/cockpit.md` says, held against the cockpit.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod support;

use cockpit::contract::History;
use cockpit::limits;
use serde_json::{Value, json};
use support::Machine;

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/cockpit.md");
    std::fs::read_to_string(path).unwrap()
}

/// As people write it: with a comma before the last three digits.
fn written(number: u64) -> String {
    match number.checked_div(1_000) {
        Some(thousands) if thousands > 0 => format!("{thousands},{:03}", number % 1_000),
        _ => number.to_string(),
    }
}

#[test]
fn the_limits_are_those_of_the_code() {
    let page = page();
    for row in [
        format!("| connections at once | {} |", limits::CONNECTIONS),
        format!(
            "| head of a request | {} KiB, within {} s of the connection or of the answer before it;",
            limits::HEAD >> 10,
            limits::HEAD_TIME.as_secs()
        ),
        format!("| body of a request | {} KiB |", limits::BODY >> 10),
        format!(
            "| a request, from its head to the answer | {} s |",
            limits::REQUEST_TIME.as_secs()
        ),
        format!("| body of an answer | {} MiB;", limits::ANSWER >> 20),
        format!(
            "| paths in a question; one path | {}; {} |",
            limits::PATHS,
            written(limits::PATH as u64)
        ),
        format!(
            "| tasks in an answer | {} unless the question has `limit`; {} at most |",
            limits::TASKS,
            limits::TASKS_MOST
        ),
        format!(
            "| a title, a subject line, the command of a check | {} |",
            limits::TITLE
        ),
        format!("| a report | {} |", written(limits::REPORT as u64)),
        format!(
            "| files and collisions named with a task | {} and {};",
            limits::FILES_SHOWN,
            limits::COLLISIONS_SHOWN
        ),
        format!("both at most {})", limits::NAME),
        format!("The newest {} tasks", written(limits::TASKS_KEPT as u64)),
        format!("Of more than {} changed files", written(limits::DIRTY as u64)),
    ] {
        // Lines are broken where they are full.
        let page = page.replace('\n', " ");
        assert!(page.contains(&row), "{row}");
    }
    assert_eq!(
        [limits::TITLE; 2],
        [limits::SUBJECT, limits::COMMAND],
        "one row has all three"
    );
}

/// The blocks of JSON, in their order.
fn examples() -> Vec<Value> {
    let page = page();
    let blocks = page.split("```json\n").skip(1);
    blocks
        .map(|block| serde_json::from_str(block.split("```").next().unwrap()).unwrap())
        .collect()
}

#[tokio::test]
async fn the_question_is_answered_and_the_answer_has_every_member() {
    let examples = examples();
    let [question, answer] = examples.as_slice() else {
        panic!("a question and an answer")
    };
    let read: History = serde_json::from_value(answer.clone()).unwrap();
    assert_eq!(
        serde_json::to_value(read).unwrap(),
        *answer,
        "nothing else is in it"
    );
    let machine = Machine::new();
    let cockpit = machine.start().await;
    let answered = cockpit.post("/v1/history", question).await;
    assert_eq!(answered.status, 200, "{}", answered.body);
    for name in ["version", "tasks", "more", "unexamined_merges"] {
        assert!(
            answered.body.get(name).is_some() && answer.get(name).is_some(),
            "{name}"
        );
    }
    cockpit.stop().await;
}

#[tokio::test]
async fn every_refusal_is_named() {
    let page = page();
    let machine = Machine::new();
    let cockpit = machine.start().await;
    let name = json!({ "name": "x" });
    let large = json!({ "repo": name, "paths": ["f"], "more": "x".repeat(limits::BODY) });
    let refusals = [
        cockpit.post("/v1/history", &json!({})).await,
        cockpit
            .raw("GET /v1/history HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            .await,
        cockpit
            .raw("GET /v1/health HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n")
            .await,
        cockpit.post("/v2/history", &json!({})).await,
        cockpit.post("/v1/health", &json!({})).await,
        cockpit.post("/v1/history", &large).await,
    ];
    let (_, errors) = page.split_once("### Errors").unwrap();
    let errors = errors.replace('\n', " ");
    for (refused, status) in refusals.iter().zip([400, 401, 403, 404, 405, 413]) {
        assert_eq!(refused.status, status, "{}", refused.body);
        let named = format!("{status} `{}`", refused.body["error"].as_str().unwrap());
        assert!(errors.contains(&named), "{named}");
    }
    let long = format!(
        "GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: {}\r\n\r\n",
        "x".repeat(limits::HEAD)
    );
    assert_eq!(cockpit.raw(&long).await.status, 431);
    assert!(errors.contains("431"), "a head that is too long");
    cockpit.stop().await;
}
