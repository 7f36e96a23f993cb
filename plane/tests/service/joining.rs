//! Joining, returning, rejoining, leaving (`crypto.md` section 6.1; `plane-api.md`, Sessions).

use plane::limits::Limits;
use wire::api;
use wire::encoding::{Blob, Secret32};
use wire::event::{Capability, Kind};
use wire::ids::SessionId;

use crate::fixture::*;

const FULL: Capability = Capability::Full;
const VIEW: Capability = Capability::View;

on_both! {
    async fn a_proof_gives_its_capability_and_anything_else_is_bad_proof(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        for capability in [FULL, VIEW] {
            let seat = owner.invite(Kind::Agent, capability).await;
            assert_eq!(seat.me().await.capability, capability);
        }
        let stranger = owner.stranger(Kind::Agent);
        let wrong = stranger.join_with([0; 32], 1, stranger.joining(false)).await;
        assert_eq!(code(wrong), "bad_proof");
        let other_epoch = stranger.join_with(owner.link.full, 2, stranger.joining(false)).await;
        assert_eq!(code(other_epoch), "bad_proof");
        let nowhere = Seat { session: SessionId::from_bytes(random()), ..stranger };
        assert_eq!(code(nowhere.try_join(FULL, false).await), "bad_proof");
    }

    async fn a_known_id_comes_back_by_its_rejoin_secret_alone(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        assert_eq!(code(guest.try_join(FULL, false).await), "participant_exists");
        let thief = Seat { rejoin_secret: random(), ..guest.clone() };
        assert_eq!(code(thief.try_join(FULL, true).await), "participant_exists");
        let head = owner.state().await.head_seq;
        let back = guest.join(FULL, true).await;
        assert_eq!(code(guest.caller().await), "unauthorized", "earlier tokens end");
        assert_eq!(back.state().await.head_seq, head, "the same profile says nothing new");
        let renamed = Seat { profile: sealed(), ..guest.clone() }.join(FULL, true).await;
        assert_eq!(renamed.state().await.head_seq, head + 1);
        let shown = plane.service.participants(&renamed.me().await, Some(1)).await.unwrap();
        let profiles = shown.sealed_profiles.unwrap();
        let mine: Vec<&Blob> = profiles
            .iter()
            .filter(|profile| profile.participant_id == guest.id)
            .map(|profile| &profile.sealed)
            .collect();
        assert_eq!(mine, [&renamed.profile], "the newest profile is served");
    }

    async fn an_unanswered_join_is_repeated_with_the_secret(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let seat = owner.stranger(Kind::Human);
        seat.join(FULL, true).await;
        let again = seat.join(FULL, true).await;
        assert_eq!(again.state().await.head_seq, 3, "one joined in all");
    }

    async fn who_left_is_out_until_it_returns(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        plane.service.leave(&guest.me().await).await.unwrap();
        assert_eq!(code(guest.caller().await), "unauthorized");
        let last = owner.transcript().await.pop().unwrap();
        assert_eq!(last.body.unwrap(), format!(r#"{{"event":"left","participant_id":"{}"}}"#, guest.id));
        let rows = plane.service.participants(&owner.me().await, None).await.unwrap().participants;
        assert!(rows.iter().any(|row| row.participant_id == guest.id && row.left_at.is_some()));
        let head = owner.state().await.head_seq;
        let back = guest.join(FULL, true).await;
        assert_eq!(back.state().await.head_seq, head + 1, "joined again, though with the same profile");
    }

    async fn a_view_participant_may_write_once_it_returned_with_the_full_proof(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let viewer = owner.invite(Kind::Agent, VIEW).await;
        assert_eq!(code(viewer.send(viewer.message()).await), "view_only");
        let full = Seat { profile: sealed(), ..viewer }.join(FULL, true).await;
        full.post().await;
    }

    async fn rejoin_gives_epoch_records_to_those_who_were_here(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let ask = |participant_id, secret, after_epoch| api::Rejoin {
            participant_id,
            rejoin_secret: Secret32::new(secret),
            after_epoch,
        };
        let service = &plane.service;
        let all = service.rejoin(guest.session, ADDRESS, ask(guest.id, guest.rejoin_secret, 0)).await.unwrap();
        assert_eq!(all.epoch_records, std::slice::from_ref(&owner.epoch_record));
        let none = service.rejoin(guest.session, ADDRESS, ask(guest.id, guest.rejoin_secret, 1)).await.unwrap();
        assert_eq!(none.epoch_records, []);
        let wrong = [
            (guest.session, guest.id, [0; 32]),
            (guest.session, owner.stranger(Kind::Agent).id, guest.rejoin_secret),
            (SessionId::from_bytes(random()), guest.id, guest.rejoin_secret),
        ];
        for (session, id, secret) in wrong {
            assert_eq!(code(service.rejoin(session, ADDRESS, ask(id, secret, 0)).await), "bad_proof");
        }
    }

    async fn places_are_counted_among_those_who_are_in_and_were_seen_within_a_day(engine: Engine) {
        let plane = Plane::with(engine, Limits { participants_in: 3, ..wide() }).await;
        let owner = plane.create().await;
        let one = owner.invite(Kind::Agent, FULL).await;
        let two = owner.invite(Kind::Agent, VIEW).await;
        let late = owner.stranger(Kind::Agent);
        assert_eq!(code(late.try_join(FULL, false).await), "quota_exceeded");
        two.join(VIEW, true).await;
        plane.service.leave(&one.me().await).await.unwrap();
        late.join(FULL, false).await;
        plane.advance(24 * 3_600 + 1);
        owner.invite(Kind::Agent, FULL).await;
    }

    async fn new_ids_of_an_epoch_are_limited_and_returns_are_not(engine: Engine) {
        let plane = Plane::with(engine, Limits { new_ids_per_epoch: 2, ..wide() }).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        assert_eq!(code(owner.stranger(Kind::Agent).try_join(FULL, false).await), "quota_exceeded");
        guest.join(FULL, true).await;
    }

    async fn joins_are_counted_alike_for_known_and_unknown_sessions(engine: Engine) {
        let plane = Plane::with(engine, Limits { joins_per_minute_address: 5, ..wide() }).await;
        let owner = plane.create().await;
        let known = owner.stranger(Kind::Agent);
        let unknown = Seat { session: SessionId::from_bytes(random()), ..known.clone() };
        for seat in [known, unknown] {
            let mut codes = Vec::new();
            for _ in 0..7 {
                codes.push(code(seat.join_with([0; 32], 1, seat.joining(false)).await));
            }
            assert_eq!(codes[..5], ["bad_proof"; 5]);
            assert_eq!(codes[5..], ["rate_limited"; 2]);
        }
    }

    async fn view_participants_share_one_quota_of_records_and_may_always_leave(engine: Engine) {
        let plane = Plane::with(engine, Limits { view_records_per_hour: 2, ..wide() }).await;
        let owner = plane.create().await;
        let viewer = owner.invite(Kind::Agent, VIEW).await;
        owner.invite(Kind::Agent, VIEW).await;
        assert_eq!(code(owner.stranger(Kind::Agent).try_join(VIEW, false).await), "rate_limited");
        plane.service.leave(&viewer.me().await).await.unwrap();
        owner.invite(Kind::Agent, FULL).await;
    }

    async fn presence_of_this_process_is_seen_at_once(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        plane.advance(100);
        guest.read(0, 1_000).await;
        let rows = plane.service.participants(&owner.me().await, None).await.unwrap().participants;
        let row = rows.iter().find(|row| row.participant_id == guest.id).unwrap();
        assert_eq!(row.fetched_seq, 3);
        assert_eq!(row.last_seen_at.millis() - row.joined_at.millis(), 100_000);
    }
}
