//! A wait for what is addressed to its reader alone: each message once, and nothing counts as read by it.

use mcp_client::verbs::{self, App, Ask, Host, PostArgs, SetTo, WaitArgs};
use wire::event::Kind;

use crate::keeper::rekey;
use crate::party::{Party, texts};
use crate::plane::TestPlane;

/// Ana asks Sam something; both are in relay.
async fn asked(plane: &TestPlane, question: &str) -> (Party, Party, String) {
    let (ana, sam) = (Party::new("Ana", plane), Party::new("Sam", plane));
    let shared = ana.share("For Sam", "start").await;
    sam.join(&shared.link.unwrap()).await;
    ana.will_answer([Ask::Yes]);
    ana.set_mode(SetTo::Relay).await.unwrap();
    sam.read().await;
    ask(&ana, question).await;
    (ana, sam, shared.session)
}

async fn ask(ana: &Party, question: &str) {
    let args = PostArgs {
        text: question.to_owned(),
        to: vec!["Sam".to_owned()],
        ..PostArgs::default()
    };
    ana.will_answer([Ask::Yes]);
    let posted = verbs::post::run(&ana.app, args, &ana.host).await.unwrap();
    posted.commit(&ana.app).await.unwrap();
}

/// What such a wait shows: the texts, or why it was over. With `written`, the answer reached its reader.
async fn waited(app: &App, host: &dyn Host, written: bool) -> Vec<String> {
    let args = WaitArgs {
        timeout_s: Some(1),
        for_me: true,
        session: None,
    };
    let woken = verbs::wait::run(app, args, host).await.unwrap();
    let shown = match woken.answer.messages.as_slice() {
        [] => vec![woken.answer.woke_by.clone()],
        messages => messages
            .iter()
            .map(|message| message.text.clone().unwrap().chars().take(8).collect())
            .collect(),
    };
    if written {
        woken.commit(app).await.unwrap();
    }
    shown
}

#[tokio::test]
async fn each_message_wakes_its_reader_once_and_stays_unread() {
    let plane = TestPlane::start().await;
    let (ana, mut sam, _) = asked(&plane, "first").await;
    // One that was not written out was not shown.
    assert_eq!(waited(&sam.app, &sam.host, false).await, ["first"]);
    assert_eq!(waited(&sam.app, &sam.host, true).await, ["first"]);
    assert_eq!(waited(&sam.app, &sam.host, true).await, ["timed_out"]);
    ana.will_answer([Ask::Yes]);
    ana.post("to all").await;
    ask(&ana, "second").await;
    assert_eq!(waited(&sam.app, &sam.host, true).await, ["second"]);
    // What one process has shown is known to the next.
    sam.restart();
    assert_eq!(waited(&sam.app, &sam.host, true).await, ["timed_out"]);
    assert_eq!(texts(&sam.read().await), ["first", "to all", "second"]);
}

#[tokio::test]
async fn each_command_is_a_process_and_a_person_looking_on_is_not_the_agent() {
    let plane = TestPlane::start().await;
    let (ana, sam, _) = asked(&plane, "first").await;
    let person = sam.command(Kind::Human);
    for _ in 0..2 {
        assert_eq!(waited(&sam.beside(), &person, true).await, ["first"]);
    }
    let agent = sam.command(Kind::Agent);
    assert_eq!(waited(&sam.beside(), &agent, true).await, ["first"]);
    assert_eq!(waited(&sam.beside(), &agent, true).await, ["timed_out"]);
    ask(&ana, "second").await;
    assert_eq!(waited(&sam.beside(), &agent, true).await, ["second"]);
    assert_eq!(waited(&sam.beside(), &person, true).await, ["first", "second"]);
}

/// Its first part says how to read on; it is not shown for ever.
#[tokio::test]
async fn a_message_longer_than_an_answer_is_shown_once_as_well() {
    let plane = TestPlane::start().await;
    let (ana, sam, _) = asked(&plane, &"longlong".repeat(5_000)).await;
    ask(&ana, "second").await;
    assert_eq!(waited(&sam.app, &sam.host, true).await, ["longlong"]);
    assert_eq!(waited(&sam.app, &sam.host, true).await, ["second"]);
    assert_eq!(waited(&sam.app, &sam.host, true).await, ["timed_out"]);
}

#[tokio::test]
async fn it_is_known_over_a_re_key_and_told_anew_where_the_note_of_it_is_damaged() {
    let plane = TestPlane::start().await;
    let (ana, mut sam, session) = asked(&plane, "first").await;
    assert_eq!(waited(&sam.app, &sam.host, true).await, ["first"]);
    let me = sam.who().await.my_id;
    rekey(&ana, &[&me]).await.unwrap();
    assert_eq!(waited(&sam.app, &sam.host, true).await, ["timed_out"]);
    ask(&ana, "second").await;
    assert_eq!(waited(&sam.app, &sam.host, true).await, ["second"]);
    sam.restart();
    assert_eq!(waited(&sam.app, &sam.host, true).await, ["timed_out"]);
    let seats = std::fs::read_dir(sam.home().join("sessions").join(session)).unwrap();
    let mut files = seats.map(|entry| entry.unwrap().path());
    let progress = files.find(|path| path.extension().is_some_and(|extension| extension == "progress"));
    std::fs::write(progress.unwrap(), "not a step\nend\n").unwrap();
    sam.restart();
    let told = waited(&sam.app, &sam.host, true).await;
    assert_eq!(told.last().map(String::as_str), Some("second"), "{told:?}");
    assert_eq!(waited(&sam.app, &sam.host, true).await, ["timed_out"]);
}
