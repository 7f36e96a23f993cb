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
        let waiting = wait(&owner, head);
        tokio::task::yield_now().await;
        guest.set(SettableMode::Observe).await.unwrap();
        let page = waiting.await.unwrap();
        // The wait either began before the change and is answered with it, or after it and is refused.
        match page {
            Ok(page) => {
                assert_eq!(page.state.mode.name, ModeName::Observe);
                assert_eq!(page.records.len(), 1);
            }
            Err(refused) => assert_eq!(refused.to_string(), "mode_observe"),
        }
    }

    async fn a_wait_that_is_over_has_no_records(engine: Engine) {
        let plane = Plane::new(engine).await;
        let human = plane.create().await.invite(Kind::Human, Capability::Full).await;
        let me = human.me().await;
        let page = human.service.wait(&me, 3, 200, Duration::from_millis(1)).await.unwrap();
        assert_eq!(page.records, []);
    }
}
