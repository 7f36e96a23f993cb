//! Ends, purges, expiry (`plane-api.md`, Ended or expired).

use plane::service::ServiceError;
use wire::event::{Capability, Kind};
use wire::problem::EndCause;

use crate::fixture::*;

const FULL: Capability = Capability::Full;

fn ended<T: std::fmt::Debug>(answer: Result<T, ServiceError>) -> EndCause {
    match answer.expect_err("a refusal") {
        ServiceError::SessionEnded { cause, .. } => cause,
        other => panic!("expected session_ended, got {other}"),
    }
}

on_both! {
    async fn an_ended_session_is_read_and_no_more(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let body = guest.message();
        let seq = new(guest.send(body.clone()).await.unwrap()).seq;
        plane.service.end(&plane.machine, owner.session, false).await.unwrap();
        plane.service.end(&plane.machine, owner.session, false).await.unwrap();
        assert_eq!(ended(guest.send(guest.message()).await), EndCause::Ended);
        assert_eq!(again(guest.send(body).await.unwrap()).seq, seq, "message id comes before ended");
        assert_eq!(ended(guest.set(wire::api::SettableMode::Relay).await), EndCause::Ended);
        assert_eq!(ended(guest.try_join(FULL, true).await), EndCause::Ended);
        assert_eq!(ended(owner.stranger(Kind::Agent).try_join(FULL, false).await), EndCause::Ended);
        assert_eq!(guest.transcript().await.len(), 4);
        plane.service.leave(&guest.me().await).await.unwrap();
        assert_eq!(owner.transcript().await.len(), 4, "leaving an ended session appends nothing");
    }

    async fn a_reader_is_told_that_its_session_is_over_and_why(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        assert_eq!(guest.state().await.ended, None);
        plane.service.end(&plane.machine, owner.session, false).await.unwrap();
        let end = guest.state().await.ended.expect("the state says so");
        assert_eq!(end.cause, EndCause::Ended);
        let shown = serde_json::to_value(guest.state().await).unwrap();
        assert_eq!(shown["ended"]["cause"], "ended");
        assert_eq!(shown["ended"]["at"], serde_json::json!(end.at));
    }

    async fn a_post_looked_up_before_its_author_left_is_not_appended_after(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let under_way = guest.me().await;
        plane.service.leave(&guest.me().await).await.unwrap();
        let refused = plane.service.post(&under_way.into(), guest.message()).await;
        assert!(matches!(refused, Err(ServiceError::Unauthorized)), "{refused:?}");
        assert_eq!(owner.transcript().await.len(), 4, "nothing follows the `left`");
    }

    async fn a_purge_leaves_a_tombstone_for_right_proofs_alone(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        owner.post().await;
        plane.service.end(&plane.machine, owner.session, true).await.unwrap();
        plane.service.end(&plane.machine, owner.session, true).await.unwrap();
        assert_eq!(code(owner.caller().await), "unauthorized");
        let late = owner.stranger(Kind::Agent);
        assert_eq!(ended(late.try_join(FULL, false).await), EndCause::Purged);
        assert_eq!(ended(late.try_join(Capability::View, false).await), EndCause::Purged);
        assert_eq!(code(late.join_with([0; 32], 1, late.joining(false)).await), "bad_proof");
        assert_eq!(code(late.join_with(late.link.full, 2, late.joining(false)).await), "bad_proof");
    }

    async fn who_may_end_a_session(engine: Engine) {
        let plane = Plane::new(engine).await;
        plane.service.admin_create_member("org", "other", plane::service::Role::Member).await.unwrap();
        let scopes = [plane::service::Scope::Share, plane::service::Scope::Rekey];
        let other = token(&plane.service, "other", &scopes).await;
        let share = token(&plane.service, "owner", &scopes[..1]).await;
        let owner = plane.create().await;
        assert_eq!(code(plane.service.end(&other, owner.session, false).await), "not_found");
        assert_eq!(code(plane.service.end(&share, owner.session, false).await), "forbidden");
        plane.service.end(&plane.admin, owner.session, false).await.unwrap();
        assert_eq!(ended(owner.send(owner.message()).await), EndCause::Ended);
        let audit = plane.service.admin_audit("org", None, 10).await.unwrap();
        assert!(audit.iter().any(|entry| entry.action == "session.end"
            && entry.session_id == Some(owner.session)
            && entry.actor == plane.admin.user_id.to_string()));
    }

    async fn a_session_expires_thirty_days_after_its_last_message(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let day = 24 * 3_600;
        plane.advance(20 * day);
        let expires_at = owner.post().await.state.expires_at;
        plane.advance(20 * day);
        let full = owner.join(FULL, true).await;
        full.set(wire::api::SettableMode::Relay).await.unwrap();
        assert_eq!(full.state().await.expires_at, expires_at, "a notice does not move it");
        plane.advance(10 * day);
        assert_eq!(ended(full.send(full.message()).await), EndCause::Expired);
        assert_eq!(ended(owner.stranger(Kind::Agent).try_join(FULL, false).await), EndCause::Expired);
    }

    async fn the_sweeper_ends_purges_and_forgets(engine: Engine) {
        let plane = Plane::new(engine).await;
        let (request, seat) = Seat::creating(&plane, Kind::Agent);
        plane.service.create(&plane.machine, request.clone()).await.unwrap();
        let day = 24 * 3_600;
        plane.advance(30 * day);
        plane.service.sweep().await.unwrap();
        assert_eq!(ended(seat.try_join(FULL, true).await), EndCause::Expired);
        plane.advance(30 * day);
        plane.service.sweep().await.unwrap();
        assert_eq!(ended(seat.try_join(FULL, true).await), EndCause::Expired, "the tombstone says why");
        assert_eq!(code(plane.service.create(&plane.machine, request.clone()).await), "session_exists");
        plane.advance(90 * day);
        plane.service.sweep().await.unwrap();
        assert_eq!(code(seat.try_join(FULL, true).await), "bad_proof");
        new(plane.service.create(&plane.machine, request).await.unwrap());
    }

    async fn a_token_lives_thirty_days_from_its_last_use(engine: Engine) {
        let plane = Plane::with(engine, plane::limits::Limits { session_life_s: 315_360_000, ..wide() }).await;
        let owner = plane.create().await;
        let idle = owner.invite(Kind::Agent, FULL).await;
        let day = 24 * 3_600;
        for _ in 0..4 {
            plane.advance(10 * day);
            owner.me().await;
            plane.service.sweep().await.unwrap();
        }
        assert_eq!(code(idle.caller().await), "unauthorized");
    }
}
