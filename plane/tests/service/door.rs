//! The door (`plane-api.md`, Door); the decision itself is tested where it is.

use plane::limits::Limits;
use plane::service::{JoinOutcome, OwnerCaller, Service};
use wire::api::{Decide, Door, DoorState, SetDoor};
use wire::epoch_record::EpochType;
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
        let record = link.record(owner.session, None, EpochType::AdminRekey);
        let ask = wire::api::Rekey { epoch_record: record.to_bytes().into(), rejoin_secret: None };
        plane.service.rekey(&plane.machine, owner.session, ask).await.unwrap();
        knock(&Seat { link, ..kim }).await;
    }

    async fn whom_a_type_1_record_did_not_list_is_as_new(engine: Engine) {
        use wire::encoding::Secret32;
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let out = owner.invite(Kind::Agent, FULL).await;
        let link = Link::new(2);
        let record = link.record(owner.session, Some(owner.id), EpochType::OwnerRekey);
        let ask = wire::api::Rekey {
            epoch_record: record.to_bytes().into(),
            rejoin_secret: Some(Secret32::new(owner.rejoin_secret)),
        };
        plane.service.rekey(&plane.machine, owner.session, ask).await.unwrap();
        let by = OwnerCaller::Machine(plane.machine.clone());
        let closed = SetDoor { state: DoorState::Closed, joins_left: None, until: None };
        plane.service.set_door(&by, owner.session, closed).await.unwrap();
        assert_eq!(code(Seat { link, ..out }.try_join(FULL, true).await), "door_closed");
    }
}
