//! A session that ends while others wait and afterwards, and what else a wait and a read must tell right.

use std::time::{Duration, Instant};

use mcp_client::verbs::{self, Ask, JoinArgs, ModeArgs, SetTo};
use wire::event::Kind;
use wire::token::TokenKind;

use crate::party::Party;
use crate::plane::TestPlane;
use crate::rekey::seat;

async fn end(plane: &TestPlane, session: &str) {
    let (_, token) = TokenKind::parse(&plane.token).unwrap();
    let owner = plane.service.machine_caller(&token).await.unwrap();
    plane
        .service
        .end(&owner, session.parse().unwrap(), false)
        .await
        .unwrap();
}

async fn relay(by: &Party) {
    by.will_answer([Ask::Yes]);
    assert_eq!(by.set_mode(SetTo::Relay).await.unwrap().mode, "relay");
}

async fn propose(by: &Party) {
    by.will_answer([Ask::Yes]);
    let args = ModeArgs {
        set: Some(SetTo::Auto),
        goal: Some("Make it pass.".to_owned()),
        budget: Some(5),
        ..ModeArgs::default()
    };
    by.mode(args).await.unwrap();
}

async fn accept(by: &Party) {
    by.will_answer([Ask::Yes]);
    assert_eq!(by.set_mode(SetTo::Accept).await.unwrap().mode, "auto");
}

fn says_over(warnings: &[String]) -> bool {
    warnings
        .iter()
        .any(|warning| warning.contains("The session was ended on 20"))
}

#[tokio::test]
async fn in_relay_an_end_wakes_whoever_waits_and_every_verb_says_so_afterwards() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let shared = ana.share("Over", "start").await;
    let link = shared.link.unwrap();
    sam.join(&link).await;
    relay(&ana).await;
    sam.read().await;
    let started = Instant::now();
    let (one, other, ()) = tokio::join!(ana.try_wait(40), sam.try_wait(40), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        end(&plane, &shared.session).await;
    });
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "{:?}",
        started.elapsed()
    );
    for woken in [one.unwrap(), other.unwrap()] {
        assert_eq!(woken.woke_by, "ended");
        assert!(says_over(&woken.warnings), "{:?}", woken.warnings);
        assert!(!woken.next.contains("Wait again"), "{}", woken.next);
    }
    assert_eq!(seat(&sam, &shared.session)["ended"]["cause"], "ended");

    let again = sam.try_wait(40).await.unwrap();
    assert_eq!((again.woke_by.as_str(), again.waited_s), ("ended", 0));
    assert!(says_over(&sam.read().await.warnings));
    assert!(says_over(&sam.who().await.warnings));
    let mode = sam.mode(ModeArgs::default()).await.unwrap();
    assert_eq!(mode.mode, "observe");
    assert!(
        mode.next.contains("was ended on 20") && !mode.next.contains("may wait"),
        "{}",
        mode.next
    );
    let args = JoinArgs {
        link: Some(link),
        ..JoinArgs::default()
    };
    let card = verbs::join::run(&sam.app, args, &sam.host).await.unwrap().answer;
    assert!(card.card.over && says_over(&card.warnings), "{:?}", card.warnings);
    let sessions = verbs::sessions::run(&sam.app).unwrap().answer;
    assert_eq!(sessions.seats[0].state, "ended");
    assert_eq!(
        sam.try_post("too late").await.unwrap_err().code(),
        "session_ended"
    );
    assert_eq!(sam.try_wait(40).await.unwrap().woke_by, "ended");
}

#[tokio::test]
async fn a_wait_tells_of_a_proposal_once_and_does_not_call_what_happened_nothing() {
    let plane = TestPlane::start().await;
    let (ana, sam, kim) = (
        Party::new("Ana", &plane),
        Party::new("Sam", &plane),
        Party::new("Kim", &plane),
    );
    let link = ana.share("Asked", "start").await.link.unwrap();
    sam.join(&link).await;
    relay(&ana).await;
    sam.read().await;
    propose(&ana).await;
    let told = sam.try_wait(40).await.unwrap();
    assert_eq!((told.woke_by.as_str(), told.waited_s), ("mode_changed", 0));
    assert!(
        told.next.contains("ask your human whether to accept"),
        "{}",
        told.next
    );
    let event = told
        .events
        .iter()
        .find(|event| event.text.contains("proposed auto"))
        .unwrap();
    assert_eq!(
        event.text,
        "\"Ana\" proposed auto: at most 5 messages within 30 min. A human decides."
    );
    let (waited, _) = tokio::join!(sam.try_wait(3), kim.join(&link));
    let waited = waited.unwrap();
    assert_eq!(
        (waited.woke_by.as_str(), waited.waited_s),
        ("timed_out", 3),
        "told once"
    );
    assert!(waited.events.iter().any(|event| event.text.contains("joined")));
    assert!(!waited.next.contains("Nothing came"), "{}", waited.next);
}

#[tokio::test]
async fn the_end_of_auto_is_told_to_whom_it_concerns_and_once() {
    let plane = TestPlane::start().await;
    let (ana, sam, kim) = (
        Party::new("Ana", &plane),
        Party::new("Sam", &plane),
        Party::new("Kim", &plane),
    );
    let person = Party::of_kind("Pat", &plane, Kind::Human);
    let link = ana.share("Auto", "start").await.link.unwrap();
    for one in [&sam, &kim, &person] {
        one.join(&link).await;
    }
    propose(&ana).await;
    accept(&sam).await;
    ana.read().await;
    sam.read().await;
    let around = person.mode(ModeArgs::default()).await.unwrap();
    assert_eq!((around.budget_left, around.auto_ends_at), (None, None));
    assert!(
        around
            .next
            .contains("you are not in it: 5 messages are left, until 20"),
        "{}",
        around.next
    );
    ana.set_mode(SetTo::Observe).await.unwrap();
    for outside in [&kim, &person] {
        let mode = outside.mode(ModeArgs::default()).await.unwrap();
        assert!(!mode.next.contains("Auto is over"), "{}", mode.next);
        let read = outside.read().await;
        assert!(read.warnings.is_empty(), "{:?}", read.warnings);
        let text = &read.events.last().unwrap().text;
        assert!(
            text.contains("from auto to observe: a participant set observe"),
            "{text}"
        );
    }
    let read = sam.read().await;
    assert!(
        read.warnings
            .iter()
            .any(|warning| warning.contains("Auto is over: a participant set observe.")),
        "{:?}",
        read.warnings
    );
    sam.post("my human asks me to say this").await;
}

#[tokio::test]
async fn who_has_stopped_waiting_is_not_shown_as_listening() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Ears", "start").await.link.unwrap();
    sam.join(&link).await;
    relay(&ana).await;
    sam.read().await;
    let waits = async {
        let woken = sam.try_wait(40).await.unwrap();
        assert_eq!(woken.woke_by, "messages");
    };
    let posts = async {
        // Long enough for the plane to write the lease down.
        tokio::time::sleep(Duration::from_secs(6)).await;
        assert!(
            ana.who()
                .await
                .participants
                .iter()
                .any(|one| one.name == "Sam" && one.listening)
        );
        ana.host.answers.lock().unwrap().push_back(Ask::Yes);
        ana.post("wake").await;
    };
    tokio::join!(waits, posts);
    ana.host.answers.lock().unwrap().push_back(Ask::Yes);
    let posted = ana.post("and again").await;
    assert_eq!(
        (posted.listening.len(), posted.not_listening),
        (0, vec!["Sam".to_owned()])
    );
}
