//! Coming back where a door stands in between: who left, who was removed, who wants more than it has.

use super::*;

#[tokio::test]
async fn who_was_removed_by_a_re_key_is_as_new_at_the_door() {
    for store in Store::here() {
        let plane = TestPlane::at(store, &clock()).await;
        let (ana, eve) = (Party::new("Ana", &plane), Party::new("Eve", &plane));
        let shared = ana.share("Removed", "start").await;
        let link = shared.link.unwrap();
        let eve_id = eve.join(&link).await.my_id;
        ana.who().await;
        door(&ana, set(DoorState::Ask)).await;
        rekey(&ana, &[]).await.unwrap();
        let new_link = ana.link(&shared.session).await;
        assert_eq!(
            eve.try_post("still here").await.unwrap_err().code(),
            "rekey_removed"
        );
        assert_eq!(show(&ana).await.state, "ask", "the door outlives a re-key");

        assert_eq!(code(&eve, &new_link).await, "knocking");
        let shown = show(&ana).await;
        assert_eq!(
            (shown.knocking[0].id.as_str(), shown.knocking[0].name.as_str()),
            (eve_id.as_str(), "Eve")
        );
        assert_eq!(
            texts(&eve.read_all().await),
            ["start"],
            "what was read stays readable"
        );
        assert_eq!(
            eve.try_post("let me in").await.unwrap_err().code(),
            "rekey_removed"
        );
        door(&ana, DoorAction::Refuse(eve_id.clone())).await;
        let failure = eve.try_join(&new_link).await.unwrap_err();
        assert_eq!(failure.code(), "door_closed");
        assert!(failure.message().contains("not let in"), "{failure}");
        let came = |event: &&verbs::EventItem| event.text.starts_with("\"Eve\" (agent)");
        let events = ana.read_all().await.events;
        assert_eq!(events.iter().filter(came).count(), 1, "only before: {events:?}");
    }
}

#[tokio::test]
async fn who_left_returns_past_any_door() {
    for store in Store::here() {
        let plane = TestPlane::at(store, &clock()).await;
        let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
        let link = ana.share("Return", "start").await.link.unwrap();
        let id = sam.join(&link).await.my_id;
        leave(&sam).await;
        for state in [DoorState::Ask, DoorState::Closed] {
            door(&ana, set(state)).await;
            assert_eq!(sam.join(&link).await.my_id, id);
            sam.post("back").await;
            leave(&sam).await;
        }
    }
}

#[tokio::test]
async fn a_view_participant_before_the_door_keeps_what_it_has() {
    for store in Store::here() {
        let plane = TestPlane::at(store, &clock()).await;
        let ana = Party::new("Ana", &plane);
        let shared = ana.share("View", "start").await;
        let full = shared.link.unwrap();
        let args = verbs::ShareArgs {
            session: Some(shared.session),
            view_only: true,
            reveal_link: true,
            ..verbs::ShareArgs::default()
        };
        let view = verbs::share::run(&ana.app, args, &ana.host)
            .await
            .unwrap()
            .answer
            .link
            .unwrap();
        let mut sam = Party::new("Sam", &plane);
        let id = sam.join(&view).await.my_id;
        door(&ana, set(DoorState::Ask)).await;

        assert_eq!(code(&sam, &full).await, "knocking");
        assert_eq!(code(&sam, &full).await, "knocking");
        let knocking = show(&ana).await.knocking;
        assert_eq!(
            (
                knocking.len(),
                knocking[0].id.as_str(),
                knocking[0].capability.as_str()
            ),
            (1, id.as_str(), "full")
        );
        ana.post("for readers").await;
        assert_eq!(texts(&sam.read().await), ["for readers"]);
        assert_eq!(sam.try_post("no").await.unwrap_err().code(), "view_only");
        door(&ana, DoorAction::Refuse(id.clone())).await;
        assert_eq!(code(&sam, &full).await, "door_closed");
        for _ in 0..2 {
            ana.post("still for readers").await;
            assert_eq!(texts(&sam.read().await), ["still for readers"]);
            assert_eq!(sam.try_post("no").await.unwrap_err().code(), "view_only");
            assert!(
                !ana.who()
                    .await
                    .participants
                    .iter()
                    .any(|one| one.id == id && one.may_write)
            );
            sam.restart();
        }
        // Its own way in stays good as well.
        leave(&sam).await;
        assert_eq!(sam.join(&view).await.my_id, id);

        let pia = Party::new("Pia", &plane);
        assert_eq!(code(&pia, &view).await, "knocking");
        let pia_id = show(&ana).await.knocking[0].id.clone();
        door(&ana, DoorAction::Admit(pia_id.clone())).await;
        assert!(!pia.join(&view).await.may_write);
        assert_eq!(code(&pia, &full).await, "knocking");
        door(&ana, DoorAction::Admit(pia_id.clone())).await;
        let joined = pia.join(&full).await;
        assert_eq!((joined.my_id, joined.may_write), (pia_id, true));
        pia.post("now I can").await;
        assert_eq!(texts(&ana.read().await), ["now I can"]);
    }
}
