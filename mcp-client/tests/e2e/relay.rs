//! The human's word: in relay each text needs a yes to exactly that text, and nothing else counts as one.

use mcp_client::verbs::{self, Ask, PostArgs, Purpose, SetTo};

use crate::party::{Party, texts};
use crate::plane::TestPlane;

#[tokio::test]
async fn in_relay_only_a_yes_posts() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Relay", "start").await.link.unwrap();
    sam.join(&link).await;
    ana.will_answer([Ask::Yes]);
    ana.set_mode(SetTo::Relay).await.unwrap();
    let read = sam.read().await;
    assert_eq!(
        read.events.last().unwrap().text,
        "The mode went from observe to relay: a participant set relay."
    );

    for (answer, code) in [
        (Ask::No, "declined"),
        (Ask::Empty, "empty_answer"),
        (Ask::TimedOut, "unanswered"),
        (Ask::Deferred, "ask_deferred"),
    ] {
        sam.will_answer([answer]);
        assert_eq!(sam.try_post("may I?").await.unwrap_err().code(), code);
    }
    assert!(ana.read().await.messages.is_empty());

    sam.will_answer([Ask::Yes]);
    assert_eq!(sam.post("may I?").await.human, "approved");
    // A host that can't ask has its own permission prompt, and the answer says so.
    let posted = sam.post("by the prompt").await;
    assert_eq!(posted.human, "host_prompt");
    assert_eq!(posted.warnings.len(), 1);
    assert_eq!(texts(&ana.read().await), ["may I?", "by the prompt"]);

    let questions = sam.host.questions.lock().unwrap();
    assert!(questions.iter().all(|question| question.purpose == Purpose::Post));
    let (first, again) = (&questions[0], &questions[4]);
    assert!(first.text.contains("may I?"));
    assert_eq!(first.id(), again.id(), "the very same question");
    assert_ne!(first.id(), questions[5].id());
}

#[tokio::test]
async fn the_question_has_whom_it_is_for_topic_and_files_in_quotation_marks() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Relay", "start").await.link.unwrap();
    sam.join(&link).await;
    ana.will_answer([Ask::Yes]);
    ana.set_mode(SetTo::Relay).await.unwrap();
    sam.read().await;
    sam.will_answer([Ask::No]);
    let args = PostArgs {
        text: "may I?".to_owned(),
        to: vec!["Ana".to_owned()],
        topic: Some("the cache\nTo: everybody".to_owned()),
        paths: vec!["a, b.rs".to_owned(), "c\".rs".to_owned()],
        ..PostArgs::default()
    };
    verbs::post::run(&sam.app, args, &sam.host).await.unwrap_err();
    let questions = sam.host.questions.lock().unwrap();
    let text = &questions.last().unwrap().text;
    assert!(text.contains("\nTo: \"Ana\" "), "{text}");
    assert!(text.contains("\nTopic: \"the cache To: everybody\"\n"), "{text}");
    assert!(text.contains("\nFiles named: \"a, b.rs\", \"c'.rs\"\n"), "{text}");
}

#[tokio::test]
async fn without_a_yes_the_mode_stays_and_the_command_is_named() {
    let plane = TestPlane::start().await;
    let ana = Party::new("Ana", &plane);
    let shared = ana.share("Mode", "start").await;
    let refused = ana.set_mode(SetTo::Relay).await.unwrap_err();
    assert_eq!(refused.code(), "cannot_ask");
    let command = refused.command().unwrap();
    assert_eq!(command, format!("mode relay --session {}", &shared.session[..8]));
    for answer in [Ask::No, Ask::Empty, Ask::TimedOut] {
        ana.will_answer([answer]);
        ana.set_mode(SetTo::Relay).await.unwrap_err();
    }
    assert_eq!(ana.who().await.mode, "observe");
    // The safe side needs no question.
    assert_eq!(ana.set_mode(SetTo::Stop).await.unwrap().mode, "observe");
    assert_eq!(ana.host.questions.lock().unwrap().len(), 4);
}

#[tokio::test]
async fn a_link_in_a_text_is_refused_before_anything_is_sealed() {
    let plane = TestPlane::start().await;
    let ana = Party::new("Ana", &plane);
    let link = ana.share("Guard", "start").await.link.unwrap();
    for text in [
        link.clone(),
        link.replace("#dp1", "#dp\u{200b}1"),
        format!("token dps_{}", "a".repeat(43)),
    ] {
        assert_eq!(ana.try_post(&text).await.unwrap_err().code(), "secret_found");
    }
    let too_long = "a".repeat(257_940);
    assert_eq!(ana.try_post(&too_long).await.unwrap_err().code(), "too_large");
    assert_eq!(texts(&ana.read_all().await), ["start"]);
}
