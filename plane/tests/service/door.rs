//! The door (`plane-api.md`, Door); the decision itself is tested where it is.

use plane::limits::Limits;
use plane::service::{JoinOutcome, OwnerCaller, Service};
use wire::api::{Decide, Door, DoorState, SetDoor};
use wire::event::{Capability, Kind};

use crate::fixture::*;

const FULL: Capability = Capability::Full;

async fn set(service: &Service, owner: &Seat, state: DoorState, joins_left: Option<u32>) -> Door {
    let by = OwnerCaller::Participant(owner.me().await);
    let request = SetDoor {
        state,
        joins_left,
        until: None,
    };
    service.set_door(&by, owner.session, request).await.unwrap()
}

async fn decide(owner: &Seat, who: &Seat, admit: bool) {
    let by = OwnerCaller::Participant(owner.me().await);
    owner
        .service
        .decide(&by, owner.session, who.id, Decide { admit })
        .await
        .unwrap();
}

async fn knock(seat: &Seat) {
    let outcome = seat.try_join(FULL, false).await.unwrap();
    assert!(matches!(
        outcome,
        JoinOutcome::Knocking(wire::api::Knocking {
            knocking: true,
            retry_after_s: 1..
        })
    ));
}

on_both! {
    async fn who_knocks_is_admitted_or_refused(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        set(&plane.service, &owner, DoorState::Ask, None).await;
        let (kim, sam) = (owner.stranger(Kind::Human), owner.stranger(Kind::Agent));
        knock(&kim).await;
        knock(&sam).await;
        knock(&sam).await;
        assert_eq!(owner.state().await.door.knocking, 2);
        let listed = plane.service.participants(&owner.me().await, None).await.unwrap().participants;
        assert_eq!(listed.len(), 1, "a knock is no participant");
        let thief = Seat { rejoin_secret: random(), ..kim.clone() };
        assert_eq!(code(thief.try_join(FULL, false).await), "participant_exists");
        decide(&owner, &kim, true).await;
        decide(&owner, &sam, false).await;
        assert_eq!(owner.state().await.door.knocking, 0);
        kim.join(FULL, false).await;
        assert_eq!(code(sam.try_join(FULL, false).await), "door_closed");
        set(&plane.service, &owner, DoorState::Open, None).await;
        assert_eq!(code(sam.try_join(FULL, false).await), "door_closed", "until the epoch ends");
        let last = owner.transcript().await;
        let refused = last.iter().filter(|r| r.body.as_ref().is_some_and(|b| b.contains(r#""event":"refused""#)));
        assert_eq!(refused.map(|r| r.sender).collect::<Vec<_>>(), [Some(sam.id)]);
    }

    async fn knocks_and_admissions_lapse_after_ten_minutes(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        set(&plane.service, &owner, DoorState::Ask, None).await;
        let (kim, sam) = (owner.stranger(Kind::Human), owner.stranger(Kind::Agent));
        knock(&kim).await;
        knock(&sam).await;
        decide(&owner, &kim, true).await;
        plane.advance(600);
        plane.service.sweep().await.unwrap();
        assert_eq!(owner.state().await.door.knocking, 0);
        knock(&kim).await;
    }

    async fn places_are_spent_by_joins_alone(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        set(&plane.service, &owner, DoorState::Open, Some(1)).await;
        let guest = guest.join(FULL, true).await;
        plane.service.leave(&guest.me().await).await.unwrap();
        guest.join(FULL, true).await;
        owner.invite(Kind::Agent, FULL).await;
        assert_eq!(code(owner.stranger(Kind::Agent).try_join(FULL, false).await), "door_closed");
        assert_eq!(owner.state().await.door.state, DoorState::Closed);
    }

    async fn knocks_are_limited_and_go_with_a_rekey(engine: Engine) {
        let plane = Plane::with(engine, Limits { knocks: 1, ..wide() }).await;
        let owner = plane.create().await;
        set(&plane.service, &owner, DoorState::Ask, None).await;
        let kim = owner.stranger(Kind::Human);
        knock(&kim).await;
        assert_eq!(code(owner.stranger(Kind::Agent).try_join(FULL, false).await), "quota_exceeded");
        decide(&owner, &kim, false).await;
        let link = Link::new(2);
        let ask = crate::rekeys::by_admin(&link, owner.session);
        plane.service.rekey(&plane.machine, owner.session, ask).await.unwrap();
        knock(&Seat { link, ..kim }).await;
    }

    async fn whom_a_type_1_record_did_not_list_is_as_new(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let out = owner.invite(Kind::Agent, FULL).await;
        let link = Link::new(2);
        let ask = crate::rekeys::by_owner(&link, &owner, &[]);
        plane.service.rekey(&plane.machine, owner.session, ask).await.unwrap();
        let by = OwnerCaller::Machine(plane.machine.clone());
        let closed = SetDoor { state: DoorState::Closed, joins_left: None, until: None };
        plane.service.set_door(&by, owner.session, closed).await.unwrap();
        assert_eq!(code(Seat { link, ..out }.try_join(FULL, true).await), "door_closed");
    }

    async fn after_until_the_door_is_closed(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let until = owner.state().await.created_at.plus_millis(60_000);
        let by = OwnerCaller::Participant(owner.me().await);
        let request = SetDoor { state: DoorState::Open, joins_left: None, until: Some(until) };
        let shown = plane.service.set_door(&by, owner.session, request).await.unwrap();
        assert_eq!((shown.state, shown.until), (DoorState::Open, Some(until)));
        plane.advance(60);
        let guest = owner.invite(Kind::Agent, FULL).await;
        plane.clock.advance_millis(1);
        assert_eq!(owner.state().await.door.state, DoorState::Closed);
        assert_eq!(code(owner.stranger(Kind::Agent).try_join(FULL, false).await), "door_closed");
        plane.service.leave(&guest.me().await).await.unwrap();
        guest.join(FULL, true).await;
    }

    async fn an_admitted_one_spends_a_place_when_it_joins_and_not_before(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let by = OwnerCaller::Participant(owner.me().await);
        set(&plane.service, &owner, DoorState::Ask, Some(1)).await;
        let (kim, sam) = (owner.stranger(Kind::Human), owner.stranger(Kind::Agent));
        knock(&kim).await;
        knock(&sam).await;
        decide(&owner, &kim, true).await;
        decide(&owner, &sam, true).await;
        assert_eq!(plane.service.door(&by, owner.session).await.unwrap().joins_left, Some(1));
        kim.join(FULL, false).await;
        assert_eq!(plane.service.door(&by, owner.session).await.unwrap().joins_left, Some(0));
        sam.join(FULL, false).await;
        assert_eq!(code(owner.stranger(Kind::Agent).try_join(FULL, false).await), "door_closed");
    }

    async fn a_view_participant_with_a_full_proof_passes_the_door_as_a_new_one(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let viewer = owner.invite(Kind::Human, Capability::View).await;
        set(&plane.service, &owner, DoorState::Ask, Some(5)).await;
        assert!(matches!(viewer.try_join(FULL, true).await.unwrap(), JoinOutcome::Knocking(_)));
        viewer.join(Capability::View, true).await;
        decide(&owner, &viewer, true).await;
        viewer.join(FULL, true).await.post().await;
        let by = OwnerCaller::Participant(owner.me().await);
        assert_eq!(plane.service.door(&by, owner.session).await.unwrap().joins_left, Some(4));
    }

    async fn who_was_let_in_to_read_knocks_anew_to_write(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        set(&plane.service, &owner, DoorState::Ask, None).await;
        let kim = owner.stranger(Kind::Human);
        kim.try_join(Capability::View, false).await.unwrap();
        decide(&owner, &kim, true).await;
        knock(&kim).await;
        let by = OwnerCaller::Participant(owner.me().await);
        let shown = plane.service.door(&by, owner.session).await.unwrap().knocking;
        assert_eq!(shown.iter().map(|one| (one.participant_id, one.capability)).collect::<Vec<_>>(), [(kim.id, FULL)]);
        knock(&kim).await;
        decide(&owner, &kim, true).await;
        kim.join(FULL, false).await;
    }

    async fn an_admission_holds_for_the_kind_and_the_profile_that_knocked(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let by = OwnerCaller::Participant(owner.me().await);
        set(&plane.service, &owner, DoorState::Ask, None).await;
        for swap in [
            (|seat: &Seat| Seat { kind: Kind::Agent, ..seat.clone() }) as fn(&Seat) -> Seat,
            |seat: &Seat| Seat { profile: sealed(), ..seat.clone() },
        ] {
            let alice = owner.stranger(Kind::Human);
            knock(&alice).await;
            decide(&owner, &alice, true).await;
            let mallory = swap(&alice);
            knock(&mallory).await;
            let shown = plane.service.door(&by, owner.session).await.unwrap().knocking;
            assert_eq!(
                shown.iter().map(|one| (one.participant_id, one.kind, &one.sealed_profile)).collect::<Vec<_>>(),
                [(mallory.id, mallory.kind, &mallory.profile)],
                "asked about as what it is now"
            );
            knock(&alice).await;
            decide(&owner, &alice, false).await;
        }
    }

    async fn a_knock_that_waits_never_comes_to_ask_for_more_or_as_another_kind(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let by = OwnerCaller::Participant(owner.me().await);
        set(&plane.service, &owner, DoorState::Ask, None).await;
        let kim = owner.stranger(Kind::Human);
        let (view, full) = (Capability::View, FULL);
        let other_kind = Seat { kind: Kind::Agent, profile: sealed(), ..kim.clone() };
        // What the keeper was shown is what the answer is about, whatever came in between.
        kim.try_join(view, false).await.unwrap();
        knock(&other_kind).await;
        let shown = plane.service.door(&by, owner.session).await.unwrap().knocking;
        assert_eq!(shown.iter().map(|one| (one.kind, one.capability)).collect::<Vec<_>>(), [(Kind::Human, view)]);
        decide(&owner, &kim, true).await;
        knock(&other_kind).await;
        let shown = plane.service.door(&by, owner.session).await.unwrap().knocking;
        assert_eq!(
            shown.iter().map(|one| (one.kind, one.capability)).collect::<Vec<_>>(),
            [(Kind::Agent, full)],
            "once that is answered it is another question"
        );
        // Less is no harm: who was shown with everything may end with reading.
        other_kind.try_join(view, false).await.unwrap();
        let shown = plane.service.door(&by, owner.session).await.unwrap().knocking;
        assert_eq!(shown[0].capability, view);
        decide(&owner, &kim, true).await;
        other_kind.join(view, false).await;
    }

    async fn an_admission_counts_for_ten_minutes_and_less_than_a_moment_more(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        set(&plane.service, &owner, DoorState::Ask, None).await;
        let (kim, sam) = (owner.stranger(Kind::Human), owner.stranger(Kind::Agent));
        knock(&kim).await;
        knock(&sam).await;
        decide(&owner, &kim, true).await;
        decide(&owner, &sam, true).await;
        plane.clock.advance_millis(599_999);
        kim.join(FULL, false).await;
        plane.clock.advance_millis(1);
        knock(&sam).await;
        assert_eq!(owner.state().await.door.knocking, 1, "asked anew");
    }

    async fn a_repeated_knock_stands_ten_minutes_from_then(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        set(&plane.service, &owner, DoorState::Ask, None).await;
        let kim = owner.stranger(Kind::Human);
        knock(&kim).await;
        plane.advance(599);
        let again = Seat { profile: sealed(), ..kim.clone() };
        knock(&again).await;
        plane.advance(599);
        plane.service.sweep().await.unwrap();
        let by = OwnerCaller::Participant(owner.me().await);
        let shown = plane.service.door(&by, owner.session).await.unwrap().knocking;
        assert_eq!(shown.iter().map(|one| one.sealed_profile.clone()).collect::<Vec<_>>(), [again.profile]);
        plane.advance(1);
        assert_eq!(plane.service.door(&by, owner.session).await.unwrap().knocking.len(), 0);
        plane.service.sweep().await.unwrap();
        assert_eq!(owner.state().await.door.knocking, 0);
    }

    async fn a_rekey_drops_admissions_and_keeps_the_door(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        set(&plane.service, &owner, DoorState::Ask, Some(3)).await;
        let kim = owner.stranger(Kind::Human);
        knock(&kim).await;
        decide(&owner, &kim, true).await;
        let link = Link::new(2);
        let ask = crate::rekeys::by_owner(&link, &owner, &[&owner]);
        plane.service.rekey(&plane.machine, owner.session, ask).await.unwrap();
        knock(&kim.with_link(link)).await;
        let by = OwnerCaller::Machine(plane.machine.clone());
        let shown = plane.service.door(&by, owner.session).await.unwrap();
        assert_eq!((shown.state, shown.joins_left, shown.knocking.len()), (DoorState::Ask, Some(3), 1));
    }

    async fn who_keeps_the_door(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Human, FULL).await;
        let see = async |by: &OwnerCaller| plane.service.door(by, owner.session).await;
        see(&OwnerCaller::Participant(owner.me().await)).await.unwrap();
        see(&OwnerCaller::Machine(plane.machine.clone())).await.unwrap();
        see(&OwnerCaller::Machine(plane.admin.clone())).await.unwrap();
        assert_eq!(code(see(&OwnerCaller::Participant(guest.me().await)).await), "forbidden");
        let link = Link::new(2);
        let ask = crate::rekeys::by_admin(&link, owner.session);
        plane.service.rekey(&plane.admin, owner.session, ask).await.unwrap();
        let back = owner.with_link(link).join(FULL, true).await;
        let by = OwnerCaller::Participant(back.me().await);
        assert_eq!(code(see(&by).await), "forbidden", "after a type 2 re-key there is no owner participant");
        plane.service.end(&plane.machine, owner.session, false).await.unwrap();
        let by = OwnerCaller::Machine(plane.machine.clone());
        let open = SetDoor { state: DoorState::Open, joins_left: None, until: None };
        assert_eq!(code(plane.service.set_door(&by, owner.session, open).await), "session_ended");
    }
}
