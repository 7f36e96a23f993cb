//! Histories that begin late, end, or are read by two processes of one seat.

use std::time::Duration;

use mcp_client::verbs::{self, PostArgs, ReadArgs};
use wire::event::Kind;
use wire::token::TokenKind;

use crate::party::{Party, texts, through};
use crate::plane::TestPlane;
use crate::tamper::Tamper;

/// A session whose first records are gone. Gives the link.
async fn evicted(plane: &TestPlane, ana: &Party) -> String {
    let link = ana.share("Evicted", "start").await.link.unwrap();
    for n in 0..40 {
        ana.post(&format!("message {n}")).await;
    }
    // Eviction runs in the background: look until it has.
    for _ in 0..200 {
        let seat = ana.who().await;
        let joined = Party::new("Probe", plane);
        let probe = joined.try_join(&link).await.unwrap();
        if probe.integrity.checked_from > 1 {
            assert!(seat.integrity.checked_from == 1);
            return link;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("nothing was evicted");
}

fn small(limits: &mut plane::limits::Limits) {
    limits.records_per_session = 20;
    limits.append_burst = 1_000;
    limits.appends_per_minute = 100_000;
    limits.joins_per_minute_address = 1_000;
    limits.joins_per_minute_session = 1_000;
}

#[tokio::test]
async fn a_late_joiner_starts_at_the_checkpoint_and_is_confirmed_by_the_next_message() {
    let plane = TestPlane::with(small).await;
    let ana = Party::new("Ana", &plane);
    let link = evicted(&plane, &ana).await;
    let mut sam = Party::new("Sam", &plane);
    let joined = sam.join(&link).await;
    let from = joined.integrity.checked_from;
    assert!(from > 1 && joined.card.handoff.is_none());
    // What is left of the epoch opens: profiles and epoch records are not evicted.
    let read = sam.read_all().await;
    assert!(texts(&read).contains(&"message 39".to_owned()));
    ana.post("after the checkpoint").await;
    let read = sam.read().await;
    assert_eq!(texts(&read), ["after the checkpoint"]);
    assert_eq!(read.integrity.state, "ok");
    assert_eq!(read.integrity.confirmed_by.as_deref(), Some("Ana"));
    assert!(read.integrity.confirmed_up_to.unwrap() >= from);
    // A restart begins at the same checkpoint.
    sam.restart();
    let read = sam.read_all().await;
    assert_eq!(
        (read.integrity.state.as_str(), read.integrity.checked_from),
        ("ok", from)
    );
    // What is evicted before it was read leaves nothing but to begin again later.
    for n in 0..60 {
        ana.post(&format!("more {n}")).await;
    }
    sam.restart();
    let read = sam.read_all().await;
    assert_eq!(read.integrity.state, "ok");
    assert!(read.integrity.checked_from > from, "{:?}", read.integrity);
    assert_eq!(texts(&read).last().map(String::as_str), Some("more 59"));
    // Without the cache, what was evicted since can't be read again; what follows still must extend the stored head.
    std::fs::remove_dir_all(sam.home().join("cache")).unwrap();
    sam.restart();
    ana.post("last").await;
    let read = sam.read().await;
    assert_eq!(read.integrity.state, "ok", "{:?}", read.integrity);
    assert_eq!(texts(&read).last().map(String::as_str), Some("last"));
    sam.post("still here").await;
    assert_eq!(
        texts(&ana.read().await).last().map(String::as_str),
        Some("still here")
    );
}

#[tokio::test]
async fn a_false_checkpoint_is_shown_by_the_first_head_after_it() {
    let plane = TestPlane::with(small).await;
    let ana = Party::new("Ana", &plane);
    let link = evicted(&plane, &ana).await;
    let liar = Tamper::before(&plane.origin).await;
    liar.rule(|exchange| {
        if let Some(hash) = exchange.answer.pointer_mut("/checkpoint/hash") {
            *hash = wire::encoding::to_base64url(&[5; 32]).into();
        }
        crate::tamper::Fate::Pass
    });
    let sam = Party::new("Sam", &plane);
    let joined = sam.join(&through(&link, &liar.origin)).await;
    assert_eq!(
        joined.integrity.error.as_deref(),
        Some("fork"),
        "Ana's messages after it have other heads"
    );
}

#[tokio::test]
async fn an_ended_session_says_so_and_stays_readable() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let shared = ana.share("Ended", "start").await;
    let link = shared.link.unwrap();
    sam.join(&link).await;
    let (_, token) = TokenKind::parse(&plane.token).unwrap();
    let owner = plane.service.machine_caller(&token).await.unwrap();
    plane
        .service
        .end(&owner, shared.session.parse().unwrap(), false)
        .await
        .unwrap();
    let failure = sam.try_post("too late").await.unwrap_err();
    assert_eq!(failure.code(), "session_ended");
    assert!(
        failure.message().contains("was ended on 20"),
        "{}",
        failure.message()
    );
    assert_eq!(texts(&sam.read_all().await), ["start"]);
    let late = Party::new("Late", &plane).try_join(&link).await.unwrap_err();
    assert_eq!(late.code(), "session_ended");
}

#[tokio::test]
async fn a_command_beside_the_server_writes_under_the_same_seat() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Beside", "start").await.link.unwrap();
    sam.join(&link).await;
    // A command of the same user, for the agent's seat, without a lease.
    let command = sam.beside();
    let host = sam.command(Kind::Agent);
    for n in 0..3 {
        sam.post(&format!("server {n}")).await;
        let args = PostArgs {
            text: format!("command {n}"),
            ..PostArgs::default()
        };
        let posted = verbs::post::run(&command, args, &host).await.unwrap();
        posted.commit(&command).await.unwrap();
    }
    let expected = [
        "server 0",
        "command 0",
        "server 1",
        "command 1",
        "server 2",
        "command 2",
    ];
    assert_eq!(texts(&ana.read().await), expected);
    assert_eq!(ana.who().await.participants.len(), 2, "one seat, one participant");
    for (app, host) in [(&sam.app, &sam.host), (&command, &host)] {
        let read = verbs::read::run(
            app,
            ReadArgs {
                since: Some(4),
                ..ReadArgs::default()
            },
            host,
        )
        .await
        .unwrap();
        assert_eq!(texts(&read.answer), expected);
        assert_eq!(read.answer.integrity.state, "ok");
    }
    // At once: the seat's lock keeps them in order.
    let args = PostArgs {
        text: "both".to_owned(),
        ..PostArgs::default()
    };
    let (one, other) = tokio::join!(sam.try_post("at once"), verbs::post::run(&command, args, &host));
    assert_ne!(one.unwrap().seq, other.unwrap().answer.seq);
    assert_eq!(sam.read_all().await.integrity.state, "ok");
}
