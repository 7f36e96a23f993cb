//! What a plane, a proxy or a limit refuses, told so that a person knows what to do; what comes after works.

use axum::http::{Method, StatusCode};
use serde_json::json;

use crate::hostile::plane::HostilePlane;
use crate::scene::{Agent, CONTEXT, Scene, TITLE};

/// The most JSON of one message (`crypto.md` section 7).
const JSON_MAX: usize = 257_940;

#[tokio::test]
async fn one_byte_over_the_limit_is_refused_here_and_later_posts_work() {
    let mut scene = Scene::new().await;
    let frame = r#"{"kind":"chat","text":""}"#.len();
    let fits = "x".repeat(JSON_MAX - frame);
    let refused = scene.ada.try_post(&format!("{fits}x")).await;
    assert_eq!(refused.code(), "too_large");
    for number in [(JSON_MAX + 1).to_string(), JSON_MAX.to_string()] {
        assert!(refused.text().contains(&number), "{number}: {}", refused.text());
    }
    let seq = scene.ada.post(&fits).await;
    assert_eq!(
        scene.ada.post("and on").await,
        seq + 1,
        "nothing of the refused one was sent"
    );
}

#[tokio::test]
async fn a_proxy_s_413_is_told_as_such_and_later_posts_work() {
    let scene = Scene::new().await;
    let proxy = HostilePlane::before(scene.plane.port()).await;
    let mut ben = Agent::joined("Ben", &scene.link_through(proxy.port())).await;
    proxy.answer_with_a_page(Method::POST, "records", StatusCode::PAYLOAD_TOO_LARGE);
    let refused = ben.try_post("much too long for that proxy").await;
    assert_eq!(refused.code(), "too_large");
    assert!(
        refused.text().contains("413") && refused.text().contains("proxy"),
        "{}",
        refused.text()
    );
    assert!(!refused.text().contains("<html>"), "{}", refused.text());
    proxy.tell_the_truth();
    ben.post("short").await;
    let read = ben.read_all().await;
    let texts: Vec<_> = read.0["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["text"].clone())
        .collect();
    assert_eq!(
        texts.iter().filter(|text| **text == "short").count(),
        1,
        "{texts:?}"
    );
}

#[tokio::test]
async fn a_session_past_its_time_says_when_and_why_and_share_says_it_before() {
    let mut scene = Scene::new().await;
    let again = scene.ada.server.call("share", json!({ "session": TITLE })).await;
    let date = again.structured()["expires_at"].as_str().unwrap().to_owned();
    assert!(
        again.text().contains(&date[..10]),
        "the answer names the date: {}",
        again.text()
    );
    let note = std::fs::read_to_string(again.structured()["handoff_file"].as_str().unwrap()).unwrap();
    assert!(note.contains(&date[..10]), "so does the note");

    let proxy = HostilePlane::before(scene.plane.port()).await;
    let link = scene.link_through(proxy.port());
    let mut ben = Agent::joined("Ben", &link).await;
    proxy.tell(|_, answer| {
        answer.status = StatusCode::GONE;
        answer.body = json!({
            "type": "about:blank", "title": "Session ended", "status": 410, "detail": "It is over.",
            "code": "session_ended", "at": "2026-03-04T05:06:07.890Z", "cause": "expired",
        });
    });
    let (_, late) = Agent::join("Cleo", &link).await;
    let refused = ben.try_post("too late").await;
    for answer in [&late, &refused] {
        assert_eq!(answer.code(), "session_ended");
        for part in ["expired", "2026-03-04"] {
            assert!(answer.text().contains(part), "{part}: {}", answer.text());
        }
    }
    // What was read here stays readable.
    let read = ben.server.call("read", json!({ "since": 0 })).await;
    assert_eq!(read.structured()["messages"][0]["text"], CONTEXT);
}
