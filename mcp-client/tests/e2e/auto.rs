//! Auto at the level of the verbs: lost answers, stops, clocks, restarts, re-keys, and what a seat keeps of its human's
//! word.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::verbs::{self, Ask, ModeAnswer, ModeArgs, Purpose, SetTo, WaitArgs};
use serde_json::Value;
use wire::event::Kind;

use crate::keeper::rekey;
use crate::party::{Party, texts, through};
use crate::plane::TestPlane;
use crate::rekey::seat;
use crate::tamper::{Fate, Tamper};

const GOAL: &str = "Make the cache tests pass.";

fn proposal() -> ModeArgs {
    ModeArgs {
        set: Some(SetTo::Auto),
        goal: Some(GOAL.to_owned()),
        budget: Some(5),
        ..ModeArgs::default()
    }
}

async fn propose(party: &Party) -> ModeAnswer {
    party.will_answer([Ask::Yes]);
    party.mode(proposal()).await.unwrap()
}

async fn accept(party: &Party) -> ModeAnswer {
    party.will_answer([Ask::Yes]);
    party.set_mode(SetTo::Accept).await.unwrap()
}

async fn show(party: &Party) -> ModeAnswer {
    party.mode(ModeArgs::default()).await.unwrap()
}

/// Ana shared, Sam came in through a way that may lie, and both are in auto.
pub async fn in_auto(plane: &TestPlane) -> (Party, Party, Tamper, String) {
    let way = Tamper::before(&plane.origin).await;
    let (ana, sam) = (Party::new("Ana", plane), Party::new("Sam", plane));
    let shared = ana.share("Auto", "start").await;
    sam.join(&through(&shared.link.unwrap(), &way.origin)).await;
    propose(&ana).await;
    assert_eq!(accept(&sam).await.mode, "auto");
    assert_eq!(show(&ana).await.mode, "auto");
    (ana, sam, way, shared.session)
}

/// What a party's seat keeps of its human's word, by proposal.
fn consents(party: &Party, session: &str) -> Vec<(String, Value)> {
    let kept = seat(party, session);
    let consents = kept["consents"].as_object().unwrap().iter();
    consents
        .map(|(id, consent)| (id.clone(), consent.clone()))
        .collect()
}

fn questions(party: &Party) -> usize {
    party.host.questions.lock().unwrap().len()
}

#[tokio::test]
async fn the_human_s_word_is_on_disk_before_the_plane_hears_of_it() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, sam) = (Party::new("Ana", &plane), Arc::new(Party::new("Sam", &plane)));
    let shared = ana.share("First", "start").await;
    sam.join(&through(&shared.link.unwrap(), &way.origin)).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (watched, kept, session) = (sam.clone(), seen.clone(), shared.session.clone());
    way.rule(move |exchange| {
        if exchange.path.ends_with("/auto") || exchange.path.ends_with("/auto/accept") {
            let consent = consents(&watched, &session).pop().unwrap().1;
            kept.lock()
                .unwrap()
                .push((consent["role"].clone(), consent["budget"].clone()));
        }
        Fate::Pass
    });
    propose(&sam).await;
    sam.set_mode(SetTo::Decline).await.unwrap();
    propose(&ana).await;
    accept(&sam).await;
    let expected = ["proposed", "accepted"].map(|role| (Value::from(role), Value::from(5)));
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_proposal_whose_answer_is_lost_is_the_same_proposal() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, mut sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let shared = ana.share("Lost", "start").await;
    sam.join(&through(&shared.link.unwrap(), &way.origin)).await;
    for arrives in [false, true] {
        match arrives {
            false => way.swallow("/auto"),
            true => way.rule(|exchange| match exchange.path.ends_with("/auto") {
                true => Fate::Page(500),
                false => Fate::Pass,
            }),
        }
        sam.will_answer([Ask::Yes]);
        assert_eq!(sam.mode(proposal()).await.unwrap_err().code(), "plane_answer");
        let before = consents(&sam, &shared.session);
        assert_eq!(before.len(), 1, "the same call is the same proposal");
        assert_eq!(show(&ana).await.proposal.is_some(), arrives);
        way.swallow("");
        way.rule(|_| Fate::Pass);
        sam.restart();
        let asked = questions(&sam);
        let again = propose(&sam).await;
        // What the plane has already needs no second yes.
        assert_eq!(questions(&sam) - asked, usize::from(!arrives));
        assert!(again.proposal.unwrap().mine);
        assert_eq!(consents(&sam, &shared.session)[0].0, before[0].0);
        sam.host.answers.lock().unwrap().clear();
        if arrives {
            continue;
        }
        sam.set_mode(SetTo::Decline).await.unwrap();
    }
    assert_eq!(accept(&ana).await.mode, "auto");
    assert_eq!(show(&sam).await.mode, "auto");
}

#[tokio::test]
async fn what_somebody_declined_can_be_proposed_again_as_it_was() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let shared = ana.share("Again", "start").await;
    sam.join(&shared.link.unwrap()).await;
    propose(&ana).await;
    sam.set_mode(SetTo::Decline).await.unwrap();
    assert!(propose(&ana).await.proposal.unwrap().mine);
    assert_eq!(accept(&sam).await.mode, "auto");
    assert_eq!(show(&ana).await.mode, "auto");
}

#[tokio::test]
async fn an_acceptance_whose_answer_is_lost_is_none_or_the_same() {
    for arrives in [false, true] {
        let plane = TestPlane::start().await;
        let way = Tamper::before(&plane.origin).await;
        let (ana, mut sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
        let shared = ana.share("Lost", "start").await;
        sam.join(&through(&shared.link.unwrap(), &way.origin)).await;
        propose(&ana).await;
        match arrives {
            false => way.swallow("/auto/accept"),
            true => way.rule(|exchange| match exchange.path.ends_with("/auto/accept") {
                true => Fate::Page(500),
                false => Fate::Pass,
            }),
        }
        sam.will_answer([Ask::Yes]);
        let lost = sam.set_mode(SetTo::Accept).await.unwrap_err();
        assert_eq!(lost.code(), "plane_answer");
        way.swallow("");
        way.rule(|_| Fate::Pass);
        sam.restart();
        let mode = show(&sam).await.mode;
        assert_eq!(mode, if arrives { "auto" } else { "observe" });
        let asked = questions(&sam);
        assert_eq!(accept(&sam).await.mode, "auto");
        assert_eq!(questions(&sam) - asked, usize::from(!arrives));
        assert_eq!(consents(&sam, &shared.session).len(), 1);
        sam.post("I am in").await;
    }
}

#[tokio::test]
async fn what_the_plane_refuses_for_certain_is_no_consent() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let shared = ana.share("Refused", "start").await;
    sam.join(&shared.link.unwrap()).await;
    ana.will_answer([Ask::Yes]);
    let too_much = ModeArgs {
        ttl_minutes: Some(481),
        ..proposal()
    };
    assert_eq!(ana.mode(too_much).await.unwrap_err().code(), "bad_request");
    assert!(consents(&ana, &shared.session).is_empty());
}

#[tokio::test]
async fn whatever_is_no_yes_changes_nothing() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let shared = ana.share("No", "start").await;
    sam.join(&shared.link.unwrap()).await;
    let answers = [
        (Ask::No, "declined"),
        (Ask::Dismissed, "dismissed"),
        (Ask::Empty, "empty_answer"),
        (Ask::TimedOut, "unanswered"),
        (Ask::CannotAsk, "cannot_ask"),
        (Ask::Deferred, "ask_deferred"),
    ];
    for (answer, code) in answers {
        ana.will_answer([answer]);
        assert_eq!(ana.mode(proposal()).await.unwrap_err().code(), code);
    }
    assert!(show(&sam).await.proposal.is_none());
    propose(&ana).await;
    for (answer, code) in answers {
        sam.will_answer([answer]);
        assert_eq!(sam.set_mode(SetTo::Accept).await.unwrap_err().code(), code);
    }
    assert!(consents(&sam, &shared.session).is_empty());
    assert_eq!(show(&ana).await.session_mode, "observe");
    let asked = sam.host.questions.lock().unwrap().clone();
    assert!(asked.iter().all(|question| question.purpose == Purpose::Accept));
    assert!(
        asked.iter().all(|question| question.id() == asked[0].id()),
        "the very same question"
    );
}

#[tokio::test]
async fn a_stop_counts_here_whatever_the_plane_hears_of_it() {
    let plane = TestPlane::start().await;
    let (ana, sam, way, _) = in_auto(&plane).await;
    way.swallow("/auto/stop");
    sam.set_mode(SetTo::Stop).await.unwrap_err();
    way.swallow("");
    // The plane and Ana go on; this seat does not.
    assert_eq!(show(&ana).await.mode, "auto");
    let mine = show(&sam).await;
    assert_eq!(
        (mine.session_mode.as_str(), mine.mode.as_str()),
        ("auto", "observe")
    );
    assert_eq!(sam.try_wait(1).await.unwrap_err().code(), "mode_observe");
    // A new yes of its human is a new consent.
    assert_eq!(accept(&sam).await.mode, "auto");
    sam.set_mode(SetTo::Stop).await.unwrap();
    assert_eq!(show(&ana).await.mode, "observe");
}

#[tokio::test]
async fn a_stop_while_the_human_reads_the_question_wins() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let shared = ana.share("Stop", "start").await;
    sam.join(&shared.link.unwrap()).await;
    propose(&ana).await;
    // Somebody says observe, which drops the proposal, after this call has read the mode and before its yes.
    let ask = sam.host.gate();
    let (accepted, ()) = tokio::join!(sam.set_mode(SetTo::Accept), async {
        ask.asked().await;
        ana.set_mode(SetTo::Observe).await.unwrap();
        ask.answer(Ask::Yes);
    });
    let refused = accepted.unwrap_err();
    assert_eq!(refused.code(), "proposal_gone");
    assert!(refused.message().contains("Nothing was accepted"), "{refused}");
    assert!(consents(&sam, &shared.session).is_empty());
    assert_eq!(show(&sam).await.mode, "observe");
}

#[tokio::test]
async fn a_late_reply_is_refused_once_also_by_another_process() {
    let plane = TestPlane::start().await;
    let (ana, mut sam, _way, _) = in_auto(&plane).await;
    ana.set_mode(SetTo::Stop).await.unwrap();
    sam.restart();
    let late = sam.try_post("as I was saying").await.unwrap_err();
    assert_eq!(late.code(), "auto_over");
    for part in ["somebody stopped it", "Nothing was posted", "your human"] {
        assert!(late.message().contains(part), "{part}: {late}");
    }
    assert!(ana.read().await.messages.is_empty(), "nothing was stored");
    sam.post("at my human's word").await;
    assert_eq!(texts(&ana.read().await), ["at my human's word"]);
    // Who ended it knows.
    ana.post("so do I").await;
}

#[tokio::test]
async fn a_post_whose_answer_was_lost_is_stored_although_auto_is_over_since() {
    let plane = TestPlane::start().await;
    let (ana, sam, way, _) = in_auto(&plane).await;
    way.rule(|exchange| match exchange.path.ends_with("/records") {
        true => Fate::Page(500),
        false => Fate::Pass,
    });
    sam.try_post("was it stored?").await.unwrap_err();
    way.rule(|_| Fate::Pass);
    ana.set_mode(SetTo::Stop).await.unwrap();
    let seq = sam.post("was it stored?").await.seq;
    assert_eq!(texts(&ana.read().await), ["was it stored?"]);
    assert!(seq > 0);
    assert_eq!(sam.try_post("and this?").await.unwrap_err().code(), "auto_over");
}

#[tokio::test]
async fn this_machine_s_clock_ends_it_and_a_restart_gives_no_more_time() {
    let plane = TestPlane::start().await;
    let (ana, mut sam, _way, _) = in_auto(&plane).await;
    sam.move_clock(20);
    assert_eq!(show(&sam).await.mode, "auto");
    sam.restart();
    assert_eq!(show(&sam).await.mode, "auto");
    sam.move_clock(11);
    let over = show(&sam).await;
    assert_eq!(
        (over.session_mode.as_str(), over.mode.as_str()),
        ("auto", "observe")
    );
    for part in [
        "the time is up, by this machine's clock",
        "The plane still says auto",
    ] {
        assert!(over.next.contains(part), "{part}: {}", over.next);
    }
    assert_eq!(sam.try_post("late").await.unwrap_err().code(), "auto_over");
    assert_eq!(sam.try_wait(1).await.unwrap_err().code(), "mode_observe");
    // Over is over, whatever the clock says then, and for whoever runs.
    sam.move_clock(-31);
    assert_eq!(show(&sam).await.mode, "observe");
    sam.restart();
    assert_eq!(show(&sam).await.mode, "observe");
    assert_eq!(show(&ana).await.mode, "auto");
}

#[tokio::test]
async fn a_clock_that_stands_still_gives_a_process_no_more_time() {
    let plane = TestPlane::start().await;
    let (_ana, sam, way, session) = in_auto(&plane).await;
    // The plane has a hand of its own that can't be set; this one says auto for ever.
    let mode = Arc::new(Mutex::new(None));
    way.rule(move |exchange| {
        if let Some(told) = exchange.answer.pointer_mut("/state/mode") {
            let mut mode = mode.lock().unwrap();
            *told = mode.get_or_insert_with(|| told.clone()).clone();
        }
        Fate::Pass
    });
    assert_eq!(show(&sam).await.mode, "auto");
    // What was accepted stays before the notice of the end: nothing is read any more.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(30 * 60 + 1)).await;
    tokio::time::resume();
    let over = show(&sam).await;
    assert_eq!(over.mode, "observe");
    assert!(over.next.contains("the time is up"), "{}", over.next);
    assert_eq!(consents(&sam, &session)[0].1["over"], true);
}

#[tokio::test]
async fn a_clock_set_back_gives_a_process_no_more_time() {
    let plane = TestPlane::start().await;
    let (_ana, sam, _way, session) = in_auto(&plane).await;
    let started = consents(&sam, &session)[0].1["started_at"].clone();
    assert!(started.is_string());
    sam.move_clock(-2);
    assert_eq!(show(&sam).await.mode, "observe");
    assert_eq!(consents(&sam, &session)[0].1["over"], true);
}

#[tokio::test]
async fn a_command_of_the_human_counts_for_the_agent_that_waits() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let shared = ana.share("Command", "start").await;
    let sam_id = sam.join(&shared.link.unwrap()).await.my_id;
    ana.will_answer([Ask::Yes]);
    ana.set_mode(SetTo::Relay).await.unwrap();
    propose(&ana).await;
    sam.read().await;
    let command = async {
        ana.until_listening(&sam_id).await;
        let (app, host) = (sam.beside(), sam.command(Kind::Agent));
        host.answers.lock().unwrap().push_back(Ask::Yes);
        let args = ModeArgs {
            set: Some(SetTo::Accept),
            ..ModeArgs::default()
        };
        let answer = verbs::mode::run(&app, args, &host).await.unwrap().answer;
        assert_eq!(answer.seat, format!("\"Sam\" {} (agent)", &sam_id[..8]));
        assert_eq!(answer.mode, "auto");
    };
    let (woken, ()) = tokio::join!(sam.try_wait(45), command);
    let woken = woken.unwrap();
    assert_eq!(
        (woken.woke_by.as_str(), woken.mode.as_str()),
        ("mode_changed", "auto")
    );
    assert_eq!(questions(&sam), 0, "the host was asked nothing");
    let posted = sam.post("on we go").await;
    assert_eq!((posted.mode.as_str(), posted.budget_left), ("auto", Some(4)));
    assert_eq!(posted.human, "not_needed");
}

#[tokio::test]
async fn people_wait_in_every_mode() {
    let plane = TestPlane::start().await;
    let (ana, pat) = (
        Party::new("Ana", &plane),
        Party::of_kind("Pat", &plane, Kind::Human),
    );
    pat.join(&ana.share("People", "start").await.link.unwrap()).await;
    let silent = pat.try_wait(1).await.unwrap();
    assert_eq!(silent.woke_by, "timed_out");
    ana.post("for Pat").await;
    assert_eq!(pat.try_wait(1).await.unwrap().woke_by, "messages");
}

#[tokio::test]
async fn leaving_ends_the_consent_and_returning_does_not_bring_it_back() {
    let plane = TestPlane::start().await;
    let (ana, sam, cleo) = (
        Party::new("Ana", &plane),
        Party::new("Sam", &plane),
        Party::new("Cleo", &plane),
    );
    let shared = ana.share("Leave", "start").await;
    let link = shared.link.unwrap();
    let sam_id = sam.join(&link).await.my_id;
    cleo.join(&link).await;
    propose(&ana).await;
    accept(&sam).await;
    accept(&cleo).await;
    let left = verbs::leave::run(&sam.app, verbs::LeaveArgs::default(), &sam.host).await;
    drop(left.unwrap());
    assert_eq!(show(&ana).await.mode, "auto", "two are left");
    let back = sam.join(&link).await;
    assert_eq!((back.my_id, back.mode.as_str()), (sam_id, "observe"));
    assert_eq!(sam.try_wait(1).await.unwrap_err().code(), "mode_observe");
    assert_eq!(accept(&sam).await.mode, "auto", "a new yes is a new consent");
}

#[tokio::test]
async fn a_re_key_ends_auto_and_a_proposal_after_it_is_sealed_anew() {
    let plane = TestPlane::start().await;
    let (ana, sam, _way, session) = in_auto(&plane).await;
    let sam_id = sam.who().await.my_id;
    let (done, woken) = tokio::join!(
        async {
            ana.until_listening(&sam_id).await;
            rekey(&ana, &[&sam_id]).await
        },
        sam.try_wait(30)
    );
    assert_eq!(done.unwrap().epoch, 2);
    let woken = woken.unwrap();
    assert_eq!(
        (woken.woke_by.as_str(), woken.mode.as_str()),
        ("mode_changed", "observe")
    );
    assert!(woken.next.contains("the session was re-keyed"), "{}", woken.next);

    propose(&ana).await;
    // Re-keyed once more while Sam's proposal is on its way: it goes out under the new epoch.
    ana.set_mode(SetTo::Decline).await.unwrap();
    let gate = sam.host.gate();
    let (proposed, ()) = tokio::join!(sam.mode(proposal()), async {
        gate.asked().await;
        rekey(&ana, &[&sam_id]).await.unwrap();
        gate.answer(Ask::Yes);
    });
    assert!(proposed.unwrap().proposal.unwrap().mine);
    let shown = show(&ana).await.proposal.unwrap();
    assert_eq!((shown.by.as_str(), shown.goal.as_deref()), ("Sam", Some(GOAL)));
    assert_eq!(accept(&ana).await.mode, "auto");
    assert_eq!(show(&sam).await.mode, "auto");
    assert!(consents(&sam, &session).len() <= 2);
}

#[tokio::test]
async fn a_message_for_me_alone_keeps_the_end_of_auto_from_being_missed() {
    let plane = TestPlane::start().await;
    let (ana, sam, _way, _) = in_auto(&plane).await;
    sam.read().await;
    let args = WaitArgs {
        timeout_s: Some(30),
        for_me: true,
        session: None,
    };
    let (woken, ()) = tokio::join!(verbs::wait::run(&sam.app, args, &sam.host), async {
        ana.post("to nobody in particular").await;
        ana.set_mode(SetTo::Stop).await.unwrap();
    });
    let woken = woken.unwrap().answer;
    assert_eq!(
        (woken.woke_by.as_str(), woken.mode.as_str()),
        ("mode_changed", "observe")
    );
    assert!(woken.next.contains("somebody stopped it"), "{}", woken.next);
}
