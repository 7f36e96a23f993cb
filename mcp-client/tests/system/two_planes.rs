//! Two processes of the plane over one database: what is posted at one wakes who waits at the other.

use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::postgres::PgListener;

use crate::scene::{Agent, share};
use crate::stdio::Called;
use crate::stdio::plane::{Plane, Store};

/// A wait that was not woken would be answered by the end of its time.
const WOKEN_WITHIN: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_post_at_one_plane_wakes_a_wait_at_the_other() {
    if !postgres_is_here() {
        return;
    }
    let one = Plane::start(Store::Postgres).await;
    let other = one.beside().await;
    let (mut ada, link) = share(&one, "Across planes", "two processes, one database").await;
    let link = link.replace(&format!(":{}/", one.port()), &format!(":{}/", other.port()));
    let mut ben = Agent::joined("Ben", &link).await;
    ada.server
        .call_agreed("mode", json!({ "set": "relay" }))
        .await
        .0
        .structured();

    for round in 0..5 {
        let text = format!("to the other plane {round}");
        pass(&mut ada, &mut ben, &text).await;
        let text = format!("and back {round}");
        pass(&mut ben, &mut ada, &text).await;
    }
    let (ada, ben) = (
        ada.server.call("who", json!({})).await,
        ben.server.call("who", json!({})).await,
    );
    assert_eq!(ada.structured()["head_hash"], ben.structured()["head_hash"]);
}

#[tokio::test]
async fn the_longest_message_wakes_others_with_a_short_word() {
    if !postgres_is_here() {
        return;
    }
    let plane = Plane::start(Store::Postgres).await;
    let (mut ada, _) = share(&plane, "Long", "and short").await;
    let mut heard = PgListener::connect(plane.database().unwrap()).await.unwrap();
    heard.listen("devpilot_session_wake").await.unwrap();
    ada.post(&"x".repeat(257_000)).await;
    let word = tokio::time::timeout(WOKEN_WITHIN, heard.recv())
        .await
        .expect("others are told")
        .unwrap();
    assert!(word.payload().len() < 100, "{} bytes", word.payload().len());
}

/// A machine without a Postgres says so and goes on; in CI it fails.
fn postgres_is_here() -> bool {
    Store::here().contains(&Store::Postgres)
}

/// `reader` waits at its plane while `writer` posts at another.
async fn pass(writer: &mut Agent, reader: &mut Agent, text: &str) {
    reader.server.call("read", json!({})).await.structured();
    let waiting = reader.server.start_call("wait", json!({ "timeout_s": 50 })).await;
    reader.server.request("ping", json!({})).await;
    let started = Instant::now();
    writer
        .server
        .call_agreed("post", json!({ "text": text }))
        .await
        .0
        .structured();
    let woken = Called(reader.server.answer(waiting).await);
    assert!(started.elapsed() < WOKEN_WITHIN, "{:?}", started.elapsed());
    assert_eq!(woken.structured()["woke_by"], "messages");
    assert_eq!(woken.structured()["messages"][0]["text"], text);
}
