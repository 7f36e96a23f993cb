//! Creating a session (`plane-api.md`, POST /v1/sessions).

use wire::api;
use wire::event::{Capability, Kind};
use wire::transcript::RecordClass;

use crate::fixture::*;

on_both! {
    async fn the_first_records_are_the_epoch_record_and_the_creators_joined(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let records = owner.transcript().await;
        gap_free(&records, 1);
        assert_eq!(records.len(), 2);
        assert_eq!(records[0].class, RecordClass::Epoch);
        assert_eq!(records[0].epoch_record.as_ref(), Some(&owner.epoch_record));
        assert_eq!(records[0].sender, Some(owner.id));
        assert_eq!((records[1].class, records[1].sender), (RecordClass::Member, Some(owner.id)));
        let state = owner.state().await;
        assert_eq!((state.epoch, state.head_seq, state.min_seq), (1, 2, 1));
        assert_eq!(state.owner, Some(owner.id));
        assert_eq!(state.capability, Some(Capability::Full));
        let month = 30 * 24 * 3_600 * 1_000;
        assert_eq!(state.expires_at.millis() - state.created_at.millis(), month);
    }

    async fn the_same_create_again_gives_a_further_token_and_another_is_refused(engine: Engine) {
        let plane = Plane::new(engine).await;
        let (request, seat) = Seat::creating(&plane, Kind::Agent);
        let first = new(plane.service.create(&plane.machine, request.clone()).await.unwrap());
        let second = again(plane.service.create(&plane.machine, request.clone()).await.unwrap());
        assert_ne!(first.session_token, second.session_token);
        for token in [&first.session_token, &second.session_token] {
            assert_eq!(seat.clone().with_token(token).await.state().await.head_seq, 2);
        }
        assert_eq!(code(plane.service.create(&plane.admin, request.clone()).await), "forbidden");
        let (other, _) = Seat::creating(&plane, Kind::Agent);
        let mut stolen = other;
        stolen.session_id = seat.session;
        assert_eq!(code(plane.service.create(&plane.machine, stolen).await), "bad_request");
        plane.service.end(&plane.machine, seat.session, true).await.unwrap();
        assert_eq!(code(plane.service.create(&plane.machine, request).await), "session_exists");
    }

    async fn two_creates_of_one_id_at_once_make_one_session(engine: Engine) {
        let plane = Plane::new(engine).await;
        let (request, seat) = Seat::creating(&plane, Kind::Agent);
        let creates = (0..6).map(|_| {
            let (plane, request) = (plane.clone(), request.clone());
            tokio::spawn(async move { plane.service.create(&plane.machine, request).await.unwrap() })
        });
        let mut made = 0;
        let mut token = None;
        for create in creates.collect::<Vec<_>>() {
            match create.await.unwrap() {
                plane::service::Outcome::New(created) => {
                    made += 1;
                    token = Some(created.session_token);
                }
                plane::service::Outcome::Again(_) => {}
            }
        }
        assert_eq!(made, 1);
        let owner = seat.with_token(&token.unwrap()).await;
        assert_eq!(owner.transcript().await.len(), 2);
    }

    async fn the_title_comes_back_as_it_was_set_and_wakes_nobody(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let title = owner.title(1);
        let request = api::SetTitle { title: title.clone() };
        plane.service.set_title(&owner.me().await, request).await.unwrap();
        let view = plane.service.view(&owner.me().await).await.unwrap();
        assert_eq!(view.title, title);
        assert_eq!(view.state.head_seq, 2);
        let later = api::SetTitle { title: owner.title(2) };
        assert_eq!(code(plane.service.set_title(&owner.me().await, later).await), "epoch_moved");
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        let forged = api::SetTitle { title: owner.title(1) };
        assert_eq!(code(plane.service.set_title(&guest.me().await, forged).await), "forbidden");
    }
}
