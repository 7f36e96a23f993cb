//! Answers that get lost, proxies that answer themselves: nothing is doubled, nothing is lost, and the error says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::http::Method;
use mcp_client::verbs::Ask;

use crate::party::{Party, texts, through};
use crate::plane::TestPlane;
use crate::tamper::{Fate, Tamper};

/// Loses the first `count` answers to requests of this method and path.
fn lose_first(
    count: u32,
    method: Method,
    path: &'static str,
) -> impl FnMut(crate::tamper::Exchange<'_>) -> Fate {
    let lost = Arc::new(AtomicU32::new(0));
    move |exchange| {
        let hit = *exchange.method == method && exchange.path.ends_with(path);
        if hit && lost.fetch_add(1, Ordering::SeqCst) < count {
            return Fate::Lose;
        }
        Fate::Pass
    }
}

#[tokio::test]
async fn a_post_whose_answers_are_lost_is_one_record() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Lost", "start").await.link.unwrap();
    sam.join(&through(&link, &way.origin)).await;
    way.rule(lose_first(2, Method::POST, "/records"));
    let posted = sam.post("only once").await;
    assert_eq!(posted.seq, 5);
    sam.post("then this").await;
    assert_eq!(texts(&ana.read().await), ["only once", "then this"]);
    assert_eq!(sam.read_all().await.integrity.state, "ok");
}

#[tokio::test]
async fn a_post_that_ends_open_is_finished_by_the_same_call_after_a_restart() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, mut sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Open end", "start").await.link.unwrap();
    sam.join(&through(&link, &way.origin)).await;
    // A page that is no API and not passing: the call ends, whether it was stored is open.
    way.rule(|exchange| match exchange.path.ends_with("/records") {
        true => Fate::Page(500),
        false => Fate::Pass,
    });
    assert_eq!(
        sam.try_post("was it stored?").await.unwrap_err().code(),
        "plane_answer"
    );
    way.rule(|_| Fate::Pass);
    sam.restart();
    assert_eq!(sam.post("was it stored?").await.seq, 5);
    assert_eq!(sam.post("next").await.seq, 6);
    assert_eq!(texts(&ana.read().await), ["was it stored?", "next"]);
}

#[tokio::test]
async fn a_post_that_was_allowed_and_ended_open_is_not_asked_about_again() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, mut sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Open end", "start").await.link.unwrap();
    sam.join(&through(&link, &way.origin)).await;
    way.rule(|exchange| match exchange.path.ends_with("/records") {
        true => Fate::Page(500),
        false => Fate::Pass,
    });
    let text = ["key: gh", "p_", "q7RmT2vKx9LbN4cWd8ZfY1hJs6GpA3eU5oQi"].concat();
    sam.will_answer([Ask::Yes]);
    assert_eq!(sam.try_post(&text).await.unwrap_err().code(), "plane_answer");
    let asked = |sam: &Party| sam.host.questions.lock().unwrap().len();
    assert_eq!(asked(&sam), 1);
    way.rule(|_| Fate::Pass);
    sam.restart();
    assert_eq!(sam.post(&text).await.seq, 5);
    assert_eq!(asked(&sam), 1, "the same message, allowed before");
    assert_eq!(sam.try_post(&text).await.unwrap_err().code(), "cannot_ask");
    assert_eq!(
        asked(&sam),
        2,
        "once it was answered, the same text is another message"
    );
    assert_eq!(texts(&ana.read().await), [text]);
}

#[tokio::test]
async fn a_post_that_ends_open_goes_out_before_another() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("First things", "start").await.link.unwrap();
    sam.join(&through(&link, &way.origin)).await;
    way.rule(|exchange| match exchange.path.ends_with("/records") {
        true => Fate::Page(500),
        false => Fate::Pass,
    });
    sam.try_post("first").await.unwrap_err();
    way.rule(|_| Fate::Pass);
    sam.post("second").await;
    assert_eq!(texts(&ana.read().await), ["first", "second"]);
    assert_eq!(sam.read_all().await.integrity.state, "ok");
}

#[tokio::test]
async fn the_same_text_is_a_new_message_once_the_answer_was_delivered() {
    let plane = TestPlane::start().await;
    let ana = Party::new("Ana", &plane);
    ana.share("Again", "start").await;
    let first = ana.post("ping").await.seq;
    assert_eq!(ana.post("ping").await.seq, first + 1);
    let args = || mcp_client::verbs::PostArgs {
        text: "pong".to_owned(),
        ..Default::default()
    };
    let lost = mcp_client::verbs::post::run(&ana.app, args(), &ana.host)
        .await
        .unwrap();
    let seq = lost.answer.seq;
    drop(lost);
    let again = mcp_client::verbs::post::run(&ana.app, args(), &ana.host)
        .await
        .unwrap();
    assert_eq!(again.answer.seq, seq);
}

#[tokio::test]
async fn a_join_whose_answer_is_lost_is_one_participant() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Join", "start").await.link.unwrap();
    way.rule(lose_first(1, Method::POST, "/participants"));
    assert!(sam.join(&through(&link, &way.origin)).await.joined);
    assert_eq!(ana.who().await.participants.len(), 2);
}

#[tokio::test]
async fn a_proxys_page_is_named_by_its_status_and_never_read() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Page", "start").await.link.unwrap();
    way.rule(|_| Fate::Page(403));
    let failure = sam.try_join(&through(&link, &way.origin)).await.unwrap_err();
    assert_eq!(failure.code(), "plane_answer");
    assert!(failure.message().contains("HTTP 403") && !failure.message().contains("session_ended"));
    // Nothing stays of a join that the plane never saw to.
    way.rule(|_| Fate::Pass);
    assert!(sam.join(&through(&link, &way.origin)).await.joined);
}

#[tokio::test]
async fn a_loopback_link_that_nobody_answers_is_the_senders_own() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Here", "start").await.link.unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let failure = sam.try_join(&through(&link, &nobody)).await.unwrap_err();
    assert_eq!(failure.code(), "loopback_link");
    assert!(failure.message().contains("sender's own machine"));
}

#[tokio::test]
async fn what_is_here_can_be_read_while_the_plane_is_gone() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Gone", "start").await.link.unwrap();
    sam.join(&through(&link, &way.origin)).await;
    way.rule(|_| Fate::Page(404));
    let read = sam.read_all().await;
    assert_eq!(texts(&read), ["start"]);
    assert!(read.warnings[0].contains("already had"), "{:?}", read.warnings);
}
