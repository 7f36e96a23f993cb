//! Keeping a session with a machine token alone: an administrator's re-key and the end, with no state of this machine.

use plane::service::{Role, Scope};
use wire::event::Kind;

use crate::keeper::{Keeper, end, rekey, rekey_as_admin};
use crate::party::{Party, texts, through};
use crate::plane::{Store, TestPlane};
use crate::tamper::{Fate, Tamper};

/// An administrator of the organisation, who was never in any session.
pub async fn administrator(plane: &TestPlane, origin: &str) -> Party {
    plane
        .service
        .admin_create_member("test", "admin", Role::Admin)
        .await
        .unwrap();
    let made = plane
        .service
        .admin_create_token("test", "admin", &[Scope::Admin], None)
        .await
        .unwrap();
    Party::at("Admin", origin, &made.token.0, Kind::Human)
}

fn kept_rekeys(party: &Party) -> usize {
    let folder = party.home().join("rekeys");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .filter(|file| file.path().extension().is_some_and(|end| end == "json"))
        .count()
}

#[tokio::test]
async fn after_an_administrators_re_key_nothing_of_before_opens_to_the_new_link_until_members_come_back() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let (ana, sam, late) = (
            Party::new("Ana", &plane),
            Party::new("Sam", &plane),
            Party::new("Late", &plane),
        );
        let shared = ana.share("Secret plans", "start").await;
        let old_link = shared.link.unwrap();
        sam.join(&old_link).await;
        sam.post("the plan").await;
        ana.read().await;
        let admin = administrator(&plane, &plane.origin).await;
        let (answer, link) = rekey_as_admin(&admin, &shared.session).await.unwrap();
        assert_eq!((answer.epoch, answer.seats_here), (2, 0));
        assert_eq!(kept_rekeys(&admin), 0, "forgotten once it was shown");
        let key = link.split_once('#').unwrap().1;
        assert!(
            !format!("{answer:?}").contains(key) && !serde_json::to_string(&answer).unwrap().contains(key)
        );

        // Everybody is out, and is told what to wait for; the old link is dead.
        for member in [&ana, &sam] {
            let stopped = member.try_post("lost?").await.unwrap_err();
            assert_eq!(stopped.code(), "new_link_needed");
            for said in ["administrator", "person", "never take a link from the session"] {
                assert!(stopped.message().contains(said), "{stopped}");
            }
            assert_eq!(texts(&member.read_all().await), ["start", "the plan"]);
            assert_eq!(
                member.try_join(&old_link).await.unwrap_err().code(),
                "new_link_needed"
            );
        }
        let other = Party::new("Other", &plane).try_join(&old_link).await.unwrap_err();
        assert_eq!(other.code(), "rekeyed");
        assert!(other.message().contains("Ask for the new one"));

        // By the new link alone: no message, no title, no name.
        let joined = late.join(&link).await;
        assert_eq!(joined.title, "untitled");
        let read = late.read_all().await;
        assert!(texts(&read).is_empty());
        assert!(
            read.events
                .iter()
                .any(|event| event.text.starts_with("2 messages before #")
                    && event.text.contains("an administrator re-keyed")),
            "{:?}",
            read.events
        );
        assert_eq!((joined.card.messages, joined.card.handoff.is_some()), (0, false));
        assert!(
            joined
                .card
                .handoff_closed
                .as_ref()
                .unwrap()
                .contains("hand off again")
        );
        let told = joined.warnings.join(" ");
        for said in [
            "An administrator re-keyed this session on ",
            "no owner any more",
            "Tell your human",
        ] {
            assert!(told.contains(said), "{said}: {told}");
        }
        let all = serde_json::to_string(&(&joined, &read, late.who().await)).unwrap();
        for before in ["Secret plans", "start", "the plan", "Ana", "Sam"] {
            assert!(!all.contains(before), "{before}: {all}");
        }

        // Members come back under their old ids, and the title with the first of them.
        let ana_id = ana.who().await.my_id;
        assert_eq!(ana.join(&link).await.my_id, ana_id);
        ana.post("here again").await;
        let read = late.read().await;
        assert_eq!(texts(&read), ["here again"]);
        assert_eq!(
            (read.title.as_str(), read.messages[0].from.as_str()),
            ("Secret plans", "Ana")
        );
        sam.join(&link).await;
        assert_eq!(texts(&sam.read_all().await), ["start", "the plan", "here again"]);
        assert_eq!(sam.read_all().await.integrity.state, "ok");

        // Nobody owns it now: the owner's way is closed, and says which one is open.
        let refused = rekey(&ana, &[]).await.unwrap_err();
        assert_eq!(refused.code(), "no_owner");
        assert!(refused.message().contains("rekey --admin"), "{refused}");
        let (again, _) = rekey_as_admin(&admin, &shared.session).await.unwrap();
        assert_eq!(
            again.epoch, 3,
            "the plane names the epoch that this machine does not know"
        );
    }
}

#[tokio::test]
async fn who_lost_all_state_re_keys_and_ends_by_the_id_alone() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let ana = Party::new("Ana", &plane);
        let shared = ana.share("Lost", "start").await;
        // A new disk, the same token.
        let ana = Party::new("Ana", &plane);
        let (_, link) = rekey_as_admin(&ana, &shared.session).await.unwrap();
        assert!(ana.join(&link).await.joined);
        let seats = rekey_as_admin(&ana, &shared.session).await.unwrap().0;
        assert!(seats.seats_here == 1 && seats.next.contains("join by the new link"));

        let ana = Party::new("Ana", &plane);
        assert!(!end(&ana, &shared.session, false).await.unwrap().purged);
        let late = Party::new("Late", &plane).try_join(&link).await.unwrap_err();
        assert!(["session_ended", "rekeyed"].contains(&late.code()), "{late}");
        assert_eq!(
            rekey_as_admin(&ana, &shared.session).await.unwrap_err().code(),
            "session_ended"
        );
        assert!(end(&ana, &shared.session, true).await.unwrap().purged);
        assert_eq!(kept_rekeys(&ana), 0);
    }
}

#[tokio::test]
async fn an_unknown_id_is_not_found_and_never_ok() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let ana = Party::new("Ana", &plane);
        let nobodys = "00112233-4455-4677-8899-aabbccddeeff";
        for failure in [
            rekey_as_admin(&ana, nobodys).await.unwrap_err(),
            end(&ana, nobodys, false).await.unwrap_err(),
            end(&ana, nobodys, true).await.unwrap_err(),
        ] {
            assert_eq!(failure.code(), "not_found");
            assert!(failure.message().contains("Nothing was changed"), "{failure}");
        }
        assert_eq!(kept_rekeys(&ana), 0);
        // Part of an id can't be looked up anywhere.
        assert_eq!(
            rekey_as_admin(&ana, "00112233").await.unwrap_err().code(),
            "bad_argument"
        );
        // Somebody else's session is no more there than an unknown one.
        let shared = ana.share("Mine", "start").await;
        plane
            .service
            .admin_create_member("test", "stranger", Role::Member)
            .await
            .unwrap();
        let made = plane
            .service
            .admin_create_token("test", "stranger", &[Scope::Share, Scope::Rekey], None)
            .await
            .unwrap();
        let stranger = Party::at("Stranger", &plane.origin, &made.token.0, Kind::Human);
        assert_eq!(
            rekey_as_admin(&stranger, &shared.session)
                .await
                .unwrap_err()
                .code(),
            "not_found"
        );
        assert_eq!(
            end(&stranger, &shared.session, false).await.unwrap_err().code(),
            "not_found"
        );
        ana.post("still here").await;
    }
}

#[tokio::test]
async fn an_end_is_the_end_for_the_seats_here_and_their_notes() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
        let shared = ana.share("End", "start").await;
        sam.join(&shared.link.unwrap()).await;
        let keeper = Keeper::of(&ana);
        keeper.host.answers.lock().unwrap().clear();
        let args = mcp_client::verbs::EndArgs::default();
        let refused = mcp_client::verbs::end::run(&keeper.app, args, &keeper.host)
            .await
            .unwrap_err();
        assert_eq!(refused.code(), "cannot_ask");
        ana.post("nothing happened").await;

        // By its seat: no id needed.
        let keeper = Keeper::of(&ana);
        let args = mcp_client::verbs::EndArgs::default();
        let done = mcp_client::verbs::end::run(&keeper.app, args, &keeper.host)
            .await
            .unwrap()
            .answer;
        assert_eq!(
            (done.session.as_str(), done.seats_here),
            (shared.session.as_str(), 1)
        );
        assert_eq!(std::fs::read_dir(ana.home().join("handoffs")).unwrap().count(), 0);
        let listed = mcp_client::verbs::sessions::run(&keeper.app).unwrap().answer;
        assert_eq!(listed.seats[0].state, "ended");
        assert_eq!(
            sam.try_post("too late").await.unwrap_err().code(),
            "session_ended"
        );
        assert_eq!(texts(&sam.read_all().await), ["start", "nothing happened"]);
    }
}

/// What the plane is told goes through a machine that loses the answers to re-keys.
#[tokio::test]
async fn a_lost_answer_to_an_administrator_loses_nothing() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let way = Tamper::before(&plane.origin).await;
        let ana = Party::new("Ana", &plane);
        let shared = ana.share("Lost answer", "start").await;
        let admin = administrator(&plane, &way.origin).await;
        // It is in force, and nobody hears of it: a page that is no API says nothing.
        way.rule(|exchange| match exchange.path.ends_with("/rekey") {
            true => Fate::Page(500),
            false => Fate::Pass,
        });
        let open = rekey_as_admin(&admin, &shared.session).await.unwrap_err();
        assert_eq!(open.code(), "plane_answer");
        assert!(
            open.message().contains("not known yet") && open.message().contains("same command again"),
            "{open}"
        );
        assert_eq!(kept_rekeys(&admin), 1);
        way.rule(|_| Fate::Pass);
        let (answer, link) = rekey_as_admin(&admin, &shared.session).await.unwrap();
        assert_eq!(
            (answer.epoch, kept_rekeys(&admin)),
            (2, 0),
            "the same record, in force already"
        );
        assert!(
            Party::new("Late", &plane)
                .join(&through(&link, &plane.origin))
                .await
                .joined
        );
    }
}

#[tokio::test]
async fn a_link_whose_epoch_was_superseded_is_never_shown() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let way = Tamper::before(&plane.origin).await;
        let ana = Party::new("Ana", &plane);
        let shared = ana.share("Superseded", "start").await;
        let admin = administrator(&plane, &way.origin).await;
        for swallowed in [true, false] {
            // Never came to the plane, or was in force for a while: either way another one has taken its place.
            if swallowed {
                way.swallow("/rekey");
            } else {
                way.rule(|exchange| match exchange.path.ends_with("/rekey") {
                    true => Fate::Page(500),
                    false => Fate::Pass,
                });
            }
            rekey_as_admin(&admin, &shared.session).await.unwrap_err();
            way.swallow("");
            way.rule(|_| Fate::Pass);
            let between = rekey_as_admin(&ana, &shared.session).await.unwrap().0;
            // The word was not about that one.
            let refused = rekey_as_admin(&admin, &shared.session).await.unwrap_err();
            assert_eq!((refused.code(), kept_rekeys(&admin)), ("cannot_ask", 0));
            let (answer, link) = rekey_as_admin(&admin, &shared.session).await.unwrap();
            assert_eq!(answer.epoch, between.epoch + 1);
            let late = Party::new("Late", &plane);
            assert!(
                late.join(&through(&link, &plane.origin)).await.joined,
                "what is shown works"
            );
        }
    }
}

#[tokio::test]
async fn a_link_that_could_not_be_shown_is_there_the_next_time() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let ana = Party::new("Ana", &plane);
        let shared = ana.share("Crash", "start").await;
        let keeper = Keeper::of(&ana);
        let made = mcp_client::verbs::rekey::admin::run(&keeper.app, &shared.session, &keeper.host)
            .await
            .unwrap();
        let unseen = made.link().to_string();
        // The terminal went away, or the process did.
        drop(made);
        assert_eq!(kept_rekeys(&ana), 1);
        let (answer, link) = rekey_as_admin(&ana, &shared.session).await.unwrap();
        assert_eq!((answer.epoch, link == unseen), (2, true), "the same one");
    }
}

/// The first attempt is in force and its answer is lost; what refuses the second says nothing about the first.
#[tokio::test]
async fn a_refusal_after_a_lost_answer_keeps_the_new_link() {
    let refusals = [(403, "forbidden"), (401, "unauthorized"), (404, "not_found")];
    for (status, refusal) in refusals {
        let plane = TestPlane::start().await;
        let way = Tamper::before(&plane.origin).await;
        let shared = Party::new("Ana", &plane).share("Kept", "start").await;
        let admin = administrator(&plane, &way.origin).await;
        let mut sent = 0;
        way.rule(move |exchange| {
            if !exchange.path.ends_with("/rekey") {
                return Fate::Pass;
            }
            sent += 1;
            match sent {
                1 => Fate::Pass,
                2 => Fate::Lose,
                _ => {
                    *exchange.answer = serde_json::json!({
                        "type": "about:blank", "title": "No", "status": status, "detail": "no", "code": refusal
                    });
                    Fate::Problem(status)
                }
            }
        });
        let open = rekey_as_admin(&admin, &shared.session).await.unwrap_err();
        assert_eq!((open.code(), kept_rekeys(&admin)), (refusal, 1));
        assert!(
            open.message().contains("not known yet") && !open.message().contains("Nothing was changed"),
            "{open}"
        );
        way.rule(|_| Fate::Pass);
        let (answer, link) = rekey_as_admin(&admin, &shared.session).await.unwrap();
        assert_eq!((answer.epoch, kept_rekeys(&admin)), (2, 0));
        let late = Party::new("Late", &plane);
        assert!(late.join(&through(&link, &plane.origin)).await.joined);
    }
}

/// Two at once, neither of whom knows the session: the one who comes second is asked about what the first did.
#[tokio::test]
async fn nobody_re_keys_unasked_over_a_re_key_that_came_after_the_question() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let shared = Party::new("Ana", &plane).share("Two", "start").await;
        let (one, two) = (Party::new("One", &plane), Party::new("Two", &plane));
        let keeper = Keeper::of(&one);
        let gate = keeper.host.gate();
        let waits = mcp_client::verbs::rekey::admin::run(&keeper.app, &shared.session, &keeper.host);
        let meanwhile = async {
            gate.asked().await;
            let first = rekey_as_admin(&two, &shared.session).await.unwrap();
            keeper.host.answers.lock().unwrap().clear();
            gate.answer(mcp_client::verbs::Ask::Yes);
            first
        };
        let (second, (first, link)) = tokio::join!(waits, meanwhile);
        assert_eq!((first.epoch, second.unwrap_err().code()), (2, "cannot_ask"));
        let questions = keeper.host.questions.lock().unwrap().clone();
        assert_eq!(questions.len(), 2);
        assert!(
            questions[1].text.contains("in epoch 2 by another re-key"),
            "{}",
            questions[1].text
        );
        assert_eq!(kept_rekeys(&one), 0);
        assert!(
            Party::new("Late", &plane).join(&link).await.joined,
            "the first one's link lives"
        );
    }
}
