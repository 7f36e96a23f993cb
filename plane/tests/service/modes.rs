//! Modes through the service; the machine itself is tested where it is.

use plane::store::StoreUrl;
use sqlx::{Connection as _, SqliteConnection};
use wire::api::SettableMode;
use wire::event::{Capability, Kind, ModeName};
use wire::transcript::RecordClass;

use crate::fixture::*;

on_both! {
    async fn setting_a_mode_appends_one_notice_and_setting_it_again_none(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let state = owner.set(SettableMode::Relay).await.unwrap().state;
        assert_eq!((state.mode.name, state.head_seq), (ModeName::Relay, 3));
        assert_eq!(owner.set(SettableMode::Relay).await.unwrap().state.head_seq, 3);
        let last = owner.transcript().await.pop().unwrap();
        assert_eq!((last.class, last.sender), (RecordClass::Notice, None));
        assert_eq!(
            last.body.unwrap(),
            r#"{"event":"mode_changed","from":"observe","to":"relay","cause":"requested"}"#
        );
    }

    async fn a_view_participant_sets_nothing_and_may_stop(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let viewer = owner.invite(Kind::Human, Capability::View).await;
        assert_eq!(code(viewer.set(SettableMode::Relay).await), "view_only");
        assert_eq!(viewer.stop().await.head_seq, 3, "not in auto: nothing appended");
    }

    async fn auto_ends_at_its_time_exactly_once_whoever_sweeps(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        let second = plane.second(&wide()).await;
        owner.start_auto(&guest, 10, 60).await;
        plane.advance(59);
        let posted = owner.post().await;
        assert_eq!(posted.state.mode.budget_left, Some(9));
        plane.advance(1);
        assert_eq!(guest.state().await.mode.name, ModeName::Observe, "readers treat it as over at once");
        let (one, two) = tokio::join!(plane.service.sweep(), second.sweep());
        one.unwrap();
        two.unwrap();
        plane.service.sweep().await.unwrap();
        let exit = r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"ttl_expired","spent":1,"budget":10}"#;
        assert_eq!(owner.notices().await.last().unwrap(), exit);
        assert_eq!(owner.notices().await.iter().filter(|notice| *notice == exit).count(), 1);
    }

    async fn a_post_after_the_time_follows_the_notice_of_its_end(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        owner.start_auto(&guest, 10, 60).await;
        plane.advance(3_600);
        let mut late = owner.message();
        late.expect_mode = Some(wire::api::ExpectMode::Auto);
        assert_eq!(code(owner.send(late).await), "auto_over");
        let posted = owner.post().await;
        let records = owner.transcript().await;
        let [.., notice, message] = &records[..] else { panic!("too short") };
        assert!(notice.body.as_ref().unwrap().contains("ttl_expired"));
        assert_eq!(message.seq, posted.seq);
    }

    async fn leaving_auto_by_leaving_the_session_is_one_transaction(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        owner.start_auto(&guest, 10, 60).await;
        guest.service.leave(&guest.me().await).await.unwrap();
        let records = owner.transcript().await;
        let [.., left, notice] = &records[..] else { panic!("too short") };
        assert!(left.body.as_ref().unwrap().contains(r#""event":"left""#));
        assert!(notice.body.as_ref().unwrap().contains(r#""cause":"left""#));
        assert_eq!(left.at, notice.at);
    }

    async fn who_has_left_consents_to_nothing_that_was_under_way(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        let under_way = guest.me().await;
        let proposal_id = wire::ids::ProposalId::from_bytes(random());
        let ask = |proposal_id| wire::api::Propose {
            proposal_id,
            budget: None,
            ttl_s: None,
            epoch: 1,
            sealed_goal: sealed(),
        };
        plane.service.propose(&owner.me().await, ask(proposal_id)).await.unwrap();
        plane.service.leave(&under_way).await.unwrap();
        let head = owner.state().await.head_seq;
        // What is under way at another process learns of it under the session's lock.
        for service in [&plane.service, &plane.second(&wide()).await] {
            let accept = wire::api::ProposalRef { proposal_id };
            assert_eq!(code(service.accept(&under_way, accept).await), "unauthorized");
            let other = wire::ids::ProposalId::from_bytes(random());
            assert_eq!(code(service.propose(&under_way, ask(other)).await), "unauthorized");
        }
        assert_eq!(owner.state().await.head_seq, head);
        assert_eq!(owner.state().await.mode.name, ModeName::Observe);
    }

    async fn a_clock_that_is_set_back_gives_no_auto_more_time(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        owner.start_auto(&guest, 10, 60).await;
        plane.advance(-3_600);
        plane.advance(59);
        owner.post().await;
        plane.service.sweep().await.unwrap();
        assert_eq!(owner.state().await.mode.budget_left, Some(9));
        plane.advance(1);
        assert_eq!(owner.state().await.mode.name, ModeName::Observe);
        let mut late = guest.message();
        late.expect_mode = Some(wire::api::ExpectMode::Auto);
        assert_eq!(code(guest.send(late).await), "auto_over");
        plane.service.sweep().await.unwrap();
        let exit = r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"ttl_expired","spent":1,"budget":10}"#;
        assert_eq!(owner.notices().await.last().unwrap(), exit);
        plane.advance(3_600);
        plane.service.sweep().await.unwrap();
        assert_eq!(owner.notices().await.iter().filter(|notice| *notice == exit).count(), 1);
    }
}

/// Another process holds the database while the auto ends. Nothing tells when a post waits for it; one that comes only later is
/// refused all the same.
#[tokio::test]
async fn a_post_that_waits_for_the_embedded_database_until_its_auto_is_over_is_not_appended() {
    let plane = Plane::new(Engine::Sqlite).await;
    let owner = plane.create().await;
    let guest = owner.invite(Kind::Agent, Capability::Full).await;
    owner.start_auto(&guest, 5, 60).await;
    let for_auto = || wire::api::Post {
        expect_mode: Some(wire::api::ExpectMode::Auto),
        ..guest.message()
    };
    guest.send(for_auto()).await.unwrap();
    let StoreUrl::Sqlite(path) = &plane.database.direct else {
        unreachable!("the engine is SQLite");
    };
    let mut other = SqliteConnection::connect(&format!("sqlite://{}", path.display()))
        .await
        .unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    plane.advance(59);
    let posting = tokio::spawn({
        let (guest, post) = (guest.clone(), for_auto());
        async move { guest.send(post).await }
    });
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    plane.advance(2);
    sqlx::query("COMMIT").execute(&mut other).await.unwrap();
    assert_eq!(code(posting.await.unwrap()), "auto_over");
}
