//! Waiting.

use std::time::Duration;

use wire::api::SettableMode;
use wire::event::{Capability, Kind, ModeName};

use crate::fixture::*;

const LONG: Duration = Duration::from_secs(50);

fn wait(
    seat: &Seat,
    after: u64,
) -> tokio::task::JoinHandle<Result<wire::api::Page, plane::service::ServiceError>> {
    let seat = seat.clone();
    tokio::spawn(async move {
        let me = seat.me().await;
        seat.service.wait(&me, after, 200, LONG).await
    })
}

/// The answer of a wait that what happened has woken: what is waited for is read again after four seconds in any case.
async fn woken(
    waiting: tokio::task::JoinHandle<Result<wire::api::Page, plane::service::ServiceError>>,
) -> wire::api::Page {
    let answer = tokio::time::timeout(Duration::from_millis(1_500), waiting).await;
    answer.expect("nothing woke it").unwrap().unwrap()
}

/// A wait that has begun.
async fn waits(
    seat: &Seat,
    after: u64,
) -> tokio::task::JoinHandle<Result<wire::api::Page, plane::service::ServiceError>> {
    let waiting = wait(seat, after);
    seat.until_listening().await;
    waiting
}

on_both! {
    async fn a_wait_is_answered_by_the_next_record_of_somebody_else(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        let head = owner.set(SettableMode::Relay).await.unwrap().state.head_seq;
        let waiting = wait(&owner, head);
        owner.post().await;
        let seq = guest.post().await.seq;
        let page = waiting.await.unwrap().unwrap();
        assert_eq!(page.records.last().unwrap().seq, seq);
        assert!(page.records.iter().any(|record| record.sender == Some(guest.id)));
    }

    async fn a_post_and_a_change_of_mode_wake_who_waits_by_themselves(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let human = owner.invite(Kind::Human, Capability::Full).await;
        // Three in a row: the slow look falls into one of them at most.
        for _ in 0..3 {
            let head = human.state().await.head_seq;
            let waiting = waits(&human, head).await;
            let seq = owner.post().await.seq;
            assert_eq!(woken(waiting).await.records.last().unwrap().seq, seq);
            for mode in [SettableMode::Relay, SettableMode::Observe] {
                let head = human.state().await.head_seq;
                let waiting = waits(&human, head).await;
                let state = owner.set(mode).await.unwrap().state;
                assert_eq!(woken(waiting).await.state.mode, state.mode);
            }
        }
    }

    async fn agents_in_observe_are_refused_and_humans_wait_in_every_mode(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        assert_eq!(code(wait(&owner, 0).await.unwrap()), "mode_observe");
        let human = owner.invite(Kind::Human, Capability::View).await;
        assert_eq!(wait(&human, 0).await.unwrap().unwrap().records.len(), 3);
    }

    async fn a_fall_to_observe_is_answered_with_its_notice(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        let head = owner.set(SettableMode::Relay).await.unwrap().state.head_seq;
        let waiting = waits(&owner, head).await;
        guest.set(SettableMode::Observe).await.unwrap();
        let page = waiting.await.unwrap().unwrap();
        assert_eq!(page.state.mode.name, ModeName::Observe);
        assert_eq!(page.records.len(), 1);
        assert_eq!(code(wait(&owner, head).await.unwrap()), "mode_observe");
    }

    async fn own_records_alone_do_not_end_a_wait(engine: Engine) {
        let plane = Plane::new(engine).await;
        let human = plane.create().await.invite(Kind::Human, Capability::Full).await;
        let me = human.me().await;
        let soon = human.service.wait(&me, 3, 200, Duration::from_millis(300));
        let (page, _) = tokio::join!(soon, human.post());
        assert_eq!(page.unwrap().records.len(), 1, "its time was over, not the post");
        let waiting = waits(&human, 3).await;
        human.post().await;
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        waiting.abort();
    }

    async fn a_hundred_waits_are_released_by_one_record_with_the_same_answer(engine: Engine) {
        let limits = plane::limits::Limits { waits_per_participant: 100, ..wide() };
        let plane = Plane::with(engine, limits).await;
        let owner = plane.create().await;
        let human = owner.invite(Kind::Human, Capability::Full).await;
        let waiting: Vec<_> = (0..100).map(|n| wait(&human, 3 - n % 2)).collect();
        // What they have before, from seq 3 or 2 on, is their own `joined` alone.
        human.until_listening().await;
        let seq = owner.post().await.seq;
        for (n, one) in waiting.into_iter().enumerate() {
            let page = one.await.unwrap().unwrap();
            let seqs: Vec<_> = page.records.iter().map(|record| record.seq).collect();
            assert_eq!(seqs, if n % 2 == 0 { vec![seq] } else { vec![3, seq] });
            assert!(!page.more);
        }
    }

    async fn a_wait_ends_when_its_token_does(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let human = owner.invite(Kind::Human, Capability::Full).await;
        let waiting = waits(&human, 3).await;
        human.join(Capability::Full, true).await;
        assert_eq!(code(waiting.await.unwrap()), "unauthorized");
    }

    async fn an_end_answers_waits_at_once_and_for_good(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let human = owner.invite(Kind::Human, Capability::Full).await;
        let waiting = waits(&human, 3).await;
        plane.service.end(&plane.machine, owner.session, false).await.unwrap();
        waiting.await.unwrap().unwrap();
        wait(&human, 3).await.unwrap().unwrap();
    }

    async fn a_ninth_wait_is_refused_and_one_that_is_gone_frees_its_place(engine: Engine) {
        let plane = Plane::new(engine).await;
        let human = plane.create().await.invite(Kind::Human, Capability::Full).await;
        let me = human.me().await;
        let held: Vec<_> = (0..9).map(|_| wait(&human, 3)).collect();
        until(async || held.iter().any(|one| one.is_finished())).await;
        let (refused, held): (Vec<_>, Vec<_>) = held.into_iter().partition(|one| one.is_finished());
        assert_eq!(held.len(), 8);
        for one in refused {
            assert_eq!(code(one.await.unwrap()), "rate_limited");
        }
        for one in held {
            one.abort();
        }
        until(async || human.service.wait(&me, 3, 200, Duration::ZERO).await.is_ok()).await;
    }

    async fn draining_ends_waits_and_takes_no_more_posts(engine: Engine) {
        let plane = Plane::new(engine).await;
        let human = plane.create().await.invite(Kind::Human, Capability::Full).await;
        let me = human.me().await;
        let waiting = waits(&human, 3).await;
        plane.service.drain().await;
        assert_eq!(code(waiting.await.unwrap()), "draining");
        assert_eq!(code(plane.service.post(&me.into(), human.message()).await), "draining");
        assert_eq!(code(plane.service.ready().await), "draining");
        plane.service.drain().await;
    }

    async fn a_lapsed_proposal_answers_waits_without_a_notice(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let human = owner.invite(Kind::Human, Capability::Full).await;
        let propose = wire::api::Propose {
            proposal_id: wire::ids::ProposalId::from_bytes(random()),
            budget: None,
            ttl_s: None,
            epoch: 1,
            sealed_goal: sealed(),
        };
        let head = owner.service.propose(&owner.me().await, propose).await.unwrap().state.head_seq;
        let waiting = waits(&human, head).await;
        plane.advance(600);
        plane.service.sweep().await.unwrap();
        let page = waiting.await.unwrap().unwrap();
        assert_eq!(page.records, []);
        assert!(page.state.mode.proposal.is_none());
    }

    async fn a_wait_that_is_over_has_no_records(engine: Engine) {
        let plane = Plane::new(engine).await;
        let human = plane.create().await.invite(Kind::Human, Capability::Full).await;
        let me = human.me().await;
        let page = human.service.wait(&me, 3, 200, Duration::from_millis(1)).await.unwrap();
        assert_eq!(page.records, []);
    }
}
