//! Searching what was said: decided on this machine, over all of it, and marking nothing as read.

use std::time::Instant;

use mcp_client::verbs::{self, PostArgs, ReadArgs};
use wire::event::Kind;

use crate::party::{Party, texts};
use crate::plane::TestPlane;

fn query(words: &str) -> ReadArgs {
    ReadArgs {
        query: Some(words.to_owned()),
        ..ReadArgs::default()
    }
}

async fn post(party: &Party, kind: &str, topic: Option<&str>, text: &str) {
    let args = PostArgs {
        kind: Some(kind.to_owned()),
        topic: topic.map(str::to_owned),
        text: text.to_owned(),
        ..PostArgs::default()
    };
    let delivered = verbs::post::run(&party.app, args, &party.host).await.unwrap();
    delivered.commit(&party.app).await.unwrap();
}

/// Ana's session, with Sam, who said a few things in it.
async fn scene(plane: &TestPlane) -> (Party, Party) {
    let (ana, sam) = (Party::new("Ana", plane), Party::new("Sam Weiß", plane));
    let link = ana
        .share("Search", "The login test is flaky.")
        .await
        .link
        .unwrap();
    sam.join(&link).await;
    post(
        &sam,
        "question",
        Some("Auth cookies"),
        "Which one is it, Lax or Strict?",
    )
    .await;
    post(&sam, "decision", None, "We take LAX for the login.").await;
    post(&sam, "chat", None, "Straßenname and Σίσυφος").await;
    (ana, sam)
}

#[tokio::test]
async fn all_words_must_be_in_text_topic_or_author_whatever_their_case() {
    let plane = TestPlane::start().await;
    let (ana, _sam) = scene(&plane).await;
    for (words, found) in [
        (
            "login",
            vec!["The login test is flaky.", "We take LAX for the login."],
        ),
        ("LOGIN lax", vec!["We take LAX for the login."]),
        ("cookies strict", vec!["Which one is it, Lax or Strict?"]),
        (
            "weiss LAX",
            vec!["Which one is it, Lax or Strict?", "We take LAX for the login."],
        ),
        ("STRASSENNAME σίσυφοσ", vec!["Straßenname and Σίσυφος"]),
        ("login strict", vec![]),
    ] {
        let read = ana.try_read(query(words)).await.unwrap();
        assert_eq!(texts(&read), found, "{words}");
        assert_eq!(read.found, Some(found.len() as u64), "{words}");
        assert!(read.events.is_empty() && read.card.is_none(), "{words}");
    }
}

#[tokio::test]
async fn a_search_goes_with_the_other_filters_and_marks_nothing_as_read() {
    let plane = TestPlane::start().await;
    let (ana, _sam) = scene(&plane).await;
    let by = |args: ReadArgs| async { texts(&ana.try_read(args).await.unwrap()) };
    let decision = ReadArgs {
        kind: Some("decision".to_owned()),
        ..query("lax")
    };
    assert_eq!(by(decision).await, ["We take LAX for the login."]);
    let topic = ReadArgs {
        topic: Some("auth cookies".to_owned()),
        ..query("lax")
    };
    assert_eq!(by(topic).await, ["Which one is it, Lax or Strict?"]);
    let from = ReadArgs {
        from: Some("Ana".to_owned()),
        ..query("login")
    };
    assert_eq!(
        by(from).await,
        ["The login test is flaky."],
        "own messages are found"
    );
    let later = ReadArgs {
        since: Some(ana.try_read(query("strict")).await.unwrap().messages[0].seq),
        ..query("login")
    };
    assert_eq!(
        by(later).await,
        ["We take LAX for the login."],
        "`since` begins after it"
    );
    assert_eq!(ana.read().await.messages.len(), 3, "all of it is still unread");
}

#[tokio::test]
async fn what_is_found_comes_in_order_and_in_pages() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Pages", "start").await.link.unwrap();
    sam.join(&link).await;
    for number in 0..7 {
        sam.post(&format!("needle {number}")).await;
        sam.post("hay").await;
    }
    let (mut got, mut args) = (
        Vec::new(),
        ReadArgs {
            limit: Some(3),
            ..query("needle")
        },
    );
    loop {
        let page = ana.try_read(args.clone()).await.unwrap();
        assert!(page.messages.len() <= 3);
        assert_eq!(page.found, Some(7 - got.len() as u64), "those still to come");
        got.extend(texts(&page));
        if !page.more {
            break;
        }
        args.since = Some(page.next_since);
    }
    let all: Vec<String> = (0..7).map(|number| format!("needle {number}")).collect();
    assert_eq!(got, all);
}

#[tokio::test]
async fn a_search_needs_a_word_and_works_without_the_plane() {
    let plane = TestPlane::start().await;
    let (ana, _sam) = scene(&plane).await;
    let refused = ana.try_read(query(" ")).await.unwrap_err();
    assert_eq!(refused.code(), "bad_argument");
    ana.try_read(query("lax")).await.unwrap();
    drop(plane);
    let read = ana.try_read(query("lax strict")).await.unwrap();
    assert_eq!(texts(&read), ["Which one is it, Lax or Strict?"]);
    assert!(
        read.warnings[0].starts_with("Only what this machine already had"),
        "{:?}",
        read.warnings
    );
}

/// Prints how long loading and searching take: `cargo test --release --test e2e -- --ignored --nocapture 10_000`.
#[tokio::test]
#[ignore = "takes minutes; measures"]
async fn searching_10_000_messages_takes_at_most_50_ms_once_loaded() {
    const MESSAGES: u32 = 10_000;
    const SEARCH_MS: u128 = 50;
    let plane = TestPlane::with(|limits| {
        limits.appends_per_minute = 1_000_000;
        limits.append_burst = 1_000_000;
        limits.append_bytes_per_minute = 1 << 30;
    })
    .await;
    let mut ana = Party::of_kind("Ana", &plane, Kind::Agent);
    ana.share("Long", "start").await;
    let filler = "the clock in session.rs is read twice, and the second time it may be the next day ";
    for number in 0..MESSAGES {
        let text = format!(
            "{number}: {}{}",
            filler.repeat(3),
            if number % 1_000 == 7 { "Nadel" } else { "" }
        );
        ana.post(&text).await;
    }
    ana.restart();
    let started = Instant::now();
    ana.try_read(query("start")).await.unwrap();
    println!(
        "loading {MESSAGES} messages, with one search: {} ms",
        started.elapsed().as_millis()
    );
    for words in ["nadel", "NADEL clock", "not in any of them", "straße"] {
        let started = Instant::now();
        let read = ana.try_read(query(words)).await.unwrap();
        let took = started.elapsed().as_millis();
        println!(
            "searching for {words:?}: {took} ms, {} found",
            read.found.unwrap()
        );
        assert!(cfg!(debug_assertions) || took <= SEARCH_MS, "{words}: {took} ms");
    }
}
