//! Keeping the door: its bounds, by what it is kept, and that nothing changes without a person.

use super::*;

#[tokio::test]
async fn a_door_closes_when_its_joins_are_spent_or_its_time_is_up() {
    for store in Store::here() {
        let clock = clock();
        let plane = TestPlane::at(store, &clock).await;
        let ana = Party::new("Ana", &plane);
        let link = ana.share("Bounds", "start").await.link.unwrap();
        let one = DoorAction::Set {
            state: DoorState::Open,
            joins: Some(1),
            until: None,
        };
        assert_eq!(door(&ana, one).await.joins_left, Some(1));
        let (sam, eve) = (Party::new("Sam", &plane), Party::new("Eve", &plane));
        sam.join(&link).await;
        let failure = eve.try_join(&link).await.unwrap_err();
        assert_eq!(failure.code(), "door_closed");
        assert!(failure.message().contains("nobody new comes in"), "{failure}");
        assert!(states(&eve.app).is_empty(), "a closed door leaves nothing behind");
        let shown = show(&ana).await;
        assert_eq!((shown.state.as_str(), shown.joins_left), ("closed", Some(0)));

        let an_hour = DoorAction::Set {
            state: DoorState::Ask,
            joins: None,
            until: Some("1h".parse().unwrap()),
        };
        let shown = door(&ana, an_hour).await;
        assert_eq!(
            (shown.state.as_str(), shown.joins_left),
            ("ask", None),
            "what is left out is without bound"
        );
        assert!(shown.until.is_some());
        assert_eq!(code(&eve, &link).await, "knocking");
        // The plane's clock stood still while the other one went on.
        clock.advance_millis(3_660_000);
        let failure = eve.try_join(&link).await.unwrap_err();
        assert!(failure.message().contains("not let in"), "{failure}");
        assert_eq!(show(&ana).await.state, "closed");
        // It was not refused: an open door lets it in.
        door(&ana, set(DoorState::Open)).await;
        assert!(eve.join(&link).await.joined);
    }
}

#[tokio::test]
async fn bounds_that_can_t_be_are_refused_before_anybody_is_asked() {
    let plane = TestPlane::start().await;
    let (ana, _link) = asking(&plane).await;
    let host = ana.command(Kind::Human);
    for (state, joins, until) in [
        (DoorState::Closed, Some(1), None),
        (DoorState::Closed, None, Some("1h")),
        (DoorState::Open, Some(0), None),
        (DoorState::Open, None, Some("2020-01-01T00:00:00Z")),
    ] {
        let until: Option<Until> = until.map(|text| text.parse().unwrap());
        let action = DoorAction::Set { state, joins, until };
        let refused = at_door(&ana, &host, None, action, Ask::Yes).await.unwrap_err();
        assert_eq!(refused.code(), "bad_argument");
    }
    assert!(host.questions.lock().unwrap().is_empty());
    assert_eq!(show(&ana).await.state, "ask");
}

#[tokio::test]
async fn nothing_at_the_door_changes_without_a_yes_to_exactly_that() {
    for store in Store::here() {
        let plane = TestPlane::at(store, &clock()).await;
        let (ana, sam, link) = knocking(&plane).await;
        let id = show(&ana).await.knocking[0].id.clone();
        for action in [
            DoorAction::Set {
                state: DoorState::Open,
                joins: Some(2),
                until: None,
            },
            DoorAction::Admit(id.clone()),
            DoorAction::Refuse(id.clone()),
        ] {
            for (answer, code) in [
                (Ask::No, "declined"),
                (Ask::Dismissed, "dismissed"),
                (Ask::Empty, "empty_answer"),
                (Ask::TimedOut, "unanswered"),
                (Ask::CannotAsk, "cannot_ask"),
            ] {
                let host = ana.command(Kind::Human);
                let refused = at_door(&ana, &host, None, action.clone(), answer)
                    .await
                    .unwrap_err();
                assert_eq!(refused.code(), code);
                if answer == Ask::CannotAsk {
                    assert!(refused.command().unwrap().starts_with("door "), "{refused}");
                }
                let questions = host.questions.lock().unwrap();
                let question = &questions[0];
                match (&action, question.purpose) {
                    (DoorAction::Set { .. }, Purpose::Door(DoorState::Open)) => {
                        assert!(question.text.contains("Set it to open?"), "{}", question.text);
                        assert!(question.text.contains("At most 2 more"), "{}", question.text);
                        assert!(
                            question.text.contains("Who knocks now comes in"),
                            "{}",
                            question.text
                        );
                    }
                    (DoorAction::Admit(_), Purpose::Admit) | (DoorAction::Refuse(_), Purpose::Refuse) => {
                        for part in [&id, "\"Sam\"", "Names are claims", "Compare the id by voice"] {
                            assert!(question.text.contains(part), "{part}: {}", question.text);
                        }
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        let shown = show(&ana).await;
        assert_eq!((shown.state.as_str(), shown.knocking.len()), ("ask", 1));
        assert_eq!(code(&sam, &link).await, "knocking");
    }
}

#[tokio::test]
async fn a_decision_about_who_does_not_knock_says_so() {
    let plane = TestPlane::start().await;
    let (ana, _sam, _link) = knocking(&plane).await;
    let id = show(&ana).await.knocking[0].id.clone();
    let host = ana.command(Kind::Human);
    let own = ana.who().await.my_id;
    for named in ["", &id[..7], "00000000", &own, "Sam"] {
        let action = DoorAction::Admit(named.to_owned());
        let failure = at_door(&ana, &host, None, action, Ask::Yes).await.unwrap_err();
        assert_eq!(failure.code(), "not_knocking", "{named}");
    }
    assert!(host.questions.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_machine_token_keeps_the_door_by_the_session_s_full_id() {
    for store in Store::here() {
        let plane = TestPlane::at(store, &clock()).await;
        let (ana, sam, link) = knocking(&plane).await;
        let session = ana.who().await.session;
        let admin = Party::new("Ada", &plane);
        let host = admin.command(Kind::Human);
        let short = at_door(&admin, &host, Some(&session[..8]), DoorAction::Show, Ask::Yes).await;
        assert_eq!(short.unwrap_err().code(), "no_session");
        let shown = at_door(&admin, &host, Some(&session), DoorAction::Show, Ask::Yes)
            .await
            .unwrap();
        assert_eq!(
            (shown.kept_by.as_str(), shown.title.as_str()),
            ("machine", "untitled")
        );
        let knock = &shown.knocking[0];
        assert_eq!(
            knock.problem.as_deref(),
            Some("unread"),
            "without the link no name is read"
        );
        assert!(knock.name.starts_with("unknown #"), "{}", knock.name);
        let action = DoorAction::Admit(knock.short_id.clone());
        at_door(&admin, &host, Some(&session), action, Ask::Yes)
            .await
            .unwrap();
        sam.join(&link).await;

        // Who is in without being the owner keeps it by the same token, and reads names.
        assert_eq!(code(&admin, &link).await, "knocking");
        let shown = at_door(&sam, &sam.command(Kind::Agent), None, DoorAction::Show, Ask::Yes)
            .await
            .unwrap();
        assert_eq!(
            (shown.kept_by.as_str(), shown.knocking[0].name.as_str()),
            ("machine", "Ada")
        );

        let outsider = Party::at(
            "Eve",
            &plane.origin,
            &format!("dpm_{}", "A".repeat(43)),
            Kind::Agent,
        );
        let host = outsider.command(Kind::Human);
        let refused = at_door(&outsider, &host, Some(&session), DoorAction::Show, Ask::Yes)
            .await
            .unwrap_err();
        assert_eq!(refused.code(), "unauthorized");
    }
}

#[tokio::test]
async fn after_an_administrator_s_re_key_the_owner_user_keeps_the_door_by_its_machine() {
    for store in Store::here() {
        let plane = TestPlane::at(store, &clock()).await;
        let (ana, sam, link) = knocking(&plane).await;
        let session = ana.who().await.session;
        let (_, new_link) = rekey_as_admin(&ana, &session).await.unwrap();
        let shown = show(&ana).await;
        assert_eq!((shown.kept_by.as_str(), shown.state.as_str()), ("machine", "ask"));
        assert!(shown.knocking.is_empty(), "a re-key drops knocks");
        // A link that opens nothing any more leaves nothing behind of who never got in.
        assert_eq!(code(&sam, &link).await, "rekeyed");
        assert!(states(&sam.app).is_empty());
        assert_eq!(code(&sam, &new_link).await, "knocking");
        let id = show(&ana).await.knocking[0].id.clone();
        door(&ana, DoorAction::Admit(id.clone())).await;
        assert_eq!(sam.join(&new_link).await.my_id, id);
    }
}

/// The yes was for what was shown, and no more comes in by it.
#[tokio::test]
async fn a_knock_that_changes_while_the_question_is_read_is_not_let_in() {
    for store in Store::here() {
        let plane = TestPlane::at(store, &clock()).await;
        let (ana, link) = asking(&plane).await;
        let sam = Party::new("Sam", &plane);
        let way = Tamper::before(&plane.origin).await;
        assert_eq!(code(&sam, &link).await, "knocking");
        let id = show(&ana).await.knocking[0].id.clone();
        // Ana's own plane is asked through a wire that changes one part after the other of the second look.
        let session = ana.who().await.session;
        for part in ["kind", "capability", "sealed_profile"] {
            let keeper = Party::at("Ana", &way.origin, &plane.token, Kind::Human);
            let mut looks = 0;
            way.rule(move |exchange| {
                if *exchange.method == axum::http::Method::GET && exchange.path.ends_with("/door") {
                    looks += 1;
                    if looks == 2 {
                        exchange.answer["knocking"][0][part] = match part {
                            "kind" => "human".into(),
                            "capability" => "view".into(),
                            _ => "AAAA".into(),
                        };
                    }
                }
                Fate::Pass
            });
            let host = keeper.command(Kind::Human);
            let action = DoorAction::Admit(id.clone());
            let failure = at_door(&keeper, &host, Some(&session), action, Ask::Yes)
                .await
                .unwrap_err();
            assert_eq!(failure.code(), "knock_changed", "{part}");
            assert!(failure.message().contains("Nobody was let in"), "{failure}");
            assert_eq!(code(&sam, &link).await, "knocking");
        }
        door(&ana, DoorAction::Admit(id.clone())).await;
        assert_eq!(sam.join(&link).await.my_id, id);
    }
}
