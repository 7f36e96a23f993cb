//! Links and tokens of sessions: sent by nobody's yes, whatever field they stand in.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use serde_json::json;
use stdio::pair::Pair;
use stdio::plane::{Plane, Store};

#[tokio::test]
async fn a_link_is_refused_without_a_question_though_the_human_would_say_yes() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    let link = pair.ada_machine.link();
    let key = link.split_once('#').unwrap().1.to_owned();
    let within = format!("Come in: {link} and be quick");
    for (tool, arguments) in [
        ("post", json!({ "text": within })),
        ("post", json!({ "text": "see", "topic": key })),
        ("post", json!({ "text": "see", "paths": [link] })),
        ("share", json!({ "title": "Again", "context": within })),
        ("share", json!({ "title": within, "context": "x" })),
        ("mode", json!({ "set": "auto", "goal": within })),
    ] {
        let (refused, questions) = pair.ada.call_agreed(tool, arguments.clone()).await;
        assert_eq!(
            (refused.code(), questions.len()),
            ("secret_found", 0),
            "{tool}: {}",
            refused.text()
        );
        assert!(!refused.text().contains(&key), "{tool}: {}", refused.text());
        assert!(
            !refused.text().contains("--allow-secrets"),
            "{tool}: {}",
            refused.text()
        );
    }
    let read = pair.ben.call("read", json!({ "since": 0 })).await;
    assert_eq!(read.structured()["messages"].as_array().unwrap().len(), 1);
    assert_eq!(read.structured()["mode"], "observe");
}
