//! Knocking: one participant however often it asks, admitted, refused or forgotten.

use super::*;

#[tokio::test]
async fn who_knocks_is_one_knock_however_often_it_asks_and_comes_in_when_admitted() {
    for store in Store::here() {
        let plane = TestPlane::at(store, &clock()).await;
        let (ana, link) = asking(&plane).await;
        let sam = Party::new("Sam", &plane);
        let failure = sam.try_join(&link).await.unwrap_err();
        assert_eq!(
            (failure.code(), failure.knock().unwrap().retry_after_s),
            ("knocking", 3)
        );

        // Another process of the same machine goes on with the same knock.
        let beside = sam.beside();
        let args = JoinArgs {
            link: Some(link.clone()),
            ..JoinArgs::default()
        };
        let again = verbs::join::run(&beside, args, &sam.host).await.unwrap_err();
        assert_eq!(again.code(), "knocking");
        assert_eq!(states(&sam.app), ["knocking"]);
        let shown = show(&ana).await;
        assert_eq!(shown.knocking.len(), 1);
        let knock = &shown.knocking[0];
        assert!(
            failure.message().contains(&knock.short_id),
            "by this id the owner tells it from others"
        );
        assert_eq!(
            (
                knock.name.as_str(),
                knock.kind.as_str(),
                knock.capability.as_str(),
                &knock.problem
            ),
            ("Sam", "agent", "full", &None)
        );
        assert!(knock.untrusted);

        // No other verb opens a seat that never got in.
        for failure in [
            sam.try_read(ReadArgs::default()).await.unwrap_err(),
            sam.try_post("hello?").await.unwrap_err(),
        ] {
            assert_eq!(failure.code(), "knocking");
            assert!(failure.message().contains("still knocking"), "{failure}");
        }

        let admitted = door(&ana, DoorAction::Admit(knock.short_id.clone())).await;
        assert_eq!((admitted.did.as_str(), admitted.knocking.len()), ("admitted", 0));
        let joined = sam.join(&link).await;
        assert!(joined.joined && joined.may_write);
        assert_eq!(joined.my_id, knock.id);
        assert_eq!(ana.who().await.participants.len(), 2);
        assert_eq!(states(&sam.app), ["open"]);
        sam.post("here I am").await;
        assert_eq!(texts(&ana.read().await), ["here I am"]);
    }
}

#[tokio::test]
async fn who_is_refused_stays_out_and_everybody_sees_that_it_was() {
    for store in Store::here() {
        let plane = TestPlane::at(store, &clock()).await;
        let (ana, sam, link) = knocking(&plane).await;
        let id = show(&ana).await.knocking[0].id.clone();
        let refused = door(&ana, DoorAction::Refuse(id.clone())).await;
        assert_eq!((refused.did.as_str(), refused.knocking.len()), ("refused", 0));
        let events = ana.read().await.events;
        let said = format!("Somebody was refused at the door: {}.", &id[..8]);
        assert!(events.iter().any(|event| event.text == said), "{events:?}");

        for _ in 0..2 {
            let failure = sam.try_join(&link).await.unwrap_err();
            assert_eq!(failure.code(), "door_closed");
            assert!(failure.message().contains("not let in"), "{failure}");
        }
        assert_eq!(states(&sam.app), ["turned_away"]);
        let failure = sam.try_read(ReadArgs::default()).await.unwrap_err();
        assert_eq!(failure.code(), "no_session");
        assert!(failure.message().contains("not let into"), "{failure}");
        assert!(
            show(&ana).await.knocking.is_empty(),
            "it does not knock as somebody else"
        );
        // An open door does not lift it.
        door(&ana, set(DoorState::Open)).await;
        assert_eq!(code(&sam, &link).await, "door_closed");

        // Only who gives up asks anew, as somebody new.
        assert!(leave(&sam).await.contains("stopped asking"));
        assert!(states(&sam.app).is_empty());
        assert_ne!(sam.join(&link).await.my_id, id);
    }
}

#[tokio::test]
async fn a_knock_and_an_admission_end_after_ten_minutes() {
    for store in Store::here() {
        let clock = clock();
        let plane = TestPlane::at(store, &clock).await;
        let (ana, sam, link) = knocking(&plane).await;
        clock.advance_millis(TEN_MINUTES - 1);
        // A repeat counts from anew.
        assert_eq!(code(&sam, &link).await, "knocking");
        clock.advance_millis(TEN_MINUTES - 1);
        let id = show(&ana).await.knocking[0].id.clone();
        clock.advance_millis(1);
        assert!(show(&ana).await.knocking.is_empty());
        let host = ana.command(Kind::Human);
        let late = at_door(&ana, &host, None, DoorAction::Admit(id.clone()), Ask::Yes).await;
        assert_eq!(late.unwrap_err().code(), "not_knocking");
        assert!(
            host.questions.lock().unwrap().is_empty(),
            "nobody is asked about it"
        );

        assert_eq!(code(&sam, &link).await, "knocking");
        let again = show(&ana).await.knocking[0].id.clone();
        assert_eq!(again, id, "the same participant asks again");
        door(&ana, DoorAction::Admit(id.clone())).await;
        clock.advance_millis(TEN_MINUTES + 1);
        assert_eq!(
            code(&sam, &link).await,
            "knocking",
            "an admission not used in time"
        );
        door(&ana, DoorAction::Admit(id.clone())).await;
        clock.advance_millis(TEN_MINUTES - 1);
        assert_eq!(sam.join(&link).await.my_id, id);
    }
}

#[tokio::test]
async fn a_knock_goes_on_with_a_newer_link_as_the_same_participant() {
    let plane = TestPlane::start().await;
    let ana = Party::new("Ana", &plane);
    let shared = ana.share("Newer", "start").await;
    let link = shared.link.unwrap();
    ana.who().await;
    door(&ana, set(DoorState::Ask)).await;
    let sam = Party::new("Sam", &plane);
    assert_eq!(code(&sam, &link).await, "knocking");
    let id = show(&ana).await.knocking[0].id.clone();
    rekey(&ana, &[]).await.unwrap();
    let new_link = ana.link(&shared.session).await;
    assert_eq!(code(&sam, &new_link).await, "knocking");
    let knocking = show(&ana).await.knocking;
    assert_eq!(
        (knocking[0].id.as_str(), knocking[0].problem.as_deref()),
        (id.as_str(), None)
    );
    assert_eq!(
        code(&sam, &link).await,
        "knocking",
        "an older link does not take the newer one away"
    );
    door(&ana, DoorAction::Admit(id.clone())).await;
    assert_eq!(sam.join(&new_link).await.my_id, id);
}

#[tokio::test]
async fn a_knock_whose_answer_was_lost_is_the_same_knock() {
    let plane = TestPlane::start().await;
    let (ana, link) = asking(&plane).await;
    let way = Tamper::before(&plane.origin).await;
    way.rule(|exchange| match exchange.path.ends_with("/participants") {
        true => Fate::Page(500),
        false => Fate::Pass,
    });
    let sam = Party::new("Sam", &plane);
    let link = through(&link, &way.origin);
    assert_eq!(code(&sam, &link).await, "plane_answer");
    assert_eq!(states(&sam.app), ["joining"]);
    let failure = sam.try_read(ReadArgs::default()).await.unwrap_err();
    assert!(failure.message().contains("was not answered"), "{failure}");
    way.rule(|_| Fate::Pass);
    assert_eq!(code(&sam, &link).await, "knocking");
    assert_eq!(show(&ana).await.knocking.len(), 1);
}

#[tokio::test]
async fn a_half_done_share_is_opened_by_nobody_but_the_same_share() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    way.rule(|exchange| match exchange.path.ends_with("/v1/sessions") {
        true => Fate::Page(500),
        false => Fate::Pass,
    });
    let ana = Party::at("Ana", &way.origin, &plane.token, Kind::Agent);
    let args = || verbs::ShareArgs {
        title: Some("Half".to_owned()),
        context: Some("start".to_owned()),
        ..verbs::ShareArgs::default()
    };
    let failure = verbs::share::run(&ana.app, args(), &ana.host).await.unwrap_err();
    assert_eq!(failure.code(), "plane_answer");
    assert_eq!(states(&ana.app), ["creating"]);
    way.rule(|_| Fate::Pass);
    let beside = ana.beside();
    for host in [&ana.host, &ana.command(Kind::Agent)] {
        let failure = verbs::read::run(&beside, ReadArgs::default(), host)
            .await
            .unwrap_err();
        assert_eq!(failure.code(), "no_session");
        assert!(failure.message().contains("still being made"), "{failure}");
    }
    assert_eq!(states(&ana.app), ["creating"], "reading did not finish it");
    let shared = verbs::share::run(&ana.app, args(), &ana.host)
        .await
        .unwrap()
        .answer;
    assert!(!shared.created, "the same session");
    assert_eq!(states(&ana.app), ["open"]);
    assert_eq!(texts(&ana.read_all().await), ["start"]);
}

/// The name of that plane is never found; time is the runtime's own, so that no try is waited for.
#[tokio::test(start_paused = true)]
async fn a_share_of_which_nothing_reached_the_plane_leaves_no_seat() {
    let ana = Party::at(
        "Ana",
        "https://no.such.host.invalid",
        &format!("dpm_{}", "A".repeat(43)),
        Kind::Agent,
    );
    let args = verbs::ShareArgs {
        title: Some("Never".to_owned()),
        context: Some("start".to_owned()),
        ..verbs::ShareArgs::default()
    };
    let failure = verbs::share::run(&ana.app, args, &ana.host).await.unwrap_err();
    assert_eq!(failure.code(), "plane_unreachable");
    assert!(states(&ana.app).is_empty());
    let failure = ana.try_read(ReadArgs::default()).await.unwrap_err();
    assert!(failure.message().contains("in no session here"), "{failure}");
}
