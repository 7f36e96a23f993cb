//! Appending (`plane-api.md`, POST records).

use wire::api::ExpectMode;
use wire::event::{Capability, Kind};

use crate::fixture::*;

on_both! {
    async fn a_record_comes_back_as_it_was_sent(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let post = owner.message();
        let posted = new(owner.send(post.clone()).await.unwrap());
        assert_eq!((posted.seq, posted.state.head_seq), (3, 3));
        let record = owner.transcript().await.pop().unwrap();
        assert_eq!((record.seq, record.at, record.epoch), (3, posted.at, 1));
        assert_eq!((record.sender, record.item_id), (Some(owner.id), Some(post.message_id)));
        assert_eq!(record.sealed, Some(post.sealed));
    }

    async fn a_retry_has_the_seq_of_the_first_and_appends_nothing(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        let post = owner.message();
        let first = new(owner.send(post.clone()).await.unwrap());
        owner.post().await;
        let retried = again(owner.send(post.clone()).await.unwrap());
        assert_eq!((retried.seq, retried.at), (first.seq, first.at));
        assert_eq!(retried.state.head_seq, first.seq + 1);
        let mut other = owner.message();
        other.message_id = post.message_id;
        assert_eq!(code(owner.send(other).await), "message_id_reused");
        assert_eq!(code(guest.send(post).await), "message_id_reused", "of another author");
    }

    async fn retries_at_once_make_one_record(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let post = owner.message();
        let sends: Vec<_> = (0..12)
            .map(|_| {
                let (owner, post) = (owner.clone(), post.clone());
                tokio::spawn(async move { owner.send(post).await.unwrap() })
            })
            .collect();
        let mut made = 0;
        for send in sends {
            match send.await.unwrap() {
                plane::service::Outcome::New(posted) => {
                    made += 1;
                    assert_eq!(posted.seq, 3);
                }
                plane::service::Outcome::Again(posted) => assert_eq!(posted.seq, 3),
            }
        }
        assert_eq!(made, 1);
        assert_eq!(owner.transcript().await.len(), 3);
    }

    async fn checks_come_in_the_order_of_the_contract(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let viewer = owner.invite(Kind::Agent, Capability::View).await;
        let mut late = viewer.message();
        late.expect_mode = Some(ExpectMode::Auto);
        late.epoch = 7;
        assert_eq!(code(viewer.send(late.clone()).await), "epoch_moved", "before capability");
        late.epoch = 1;
        assert_eq!(code(viewer.send(late).await), "view_only", "before mode");
        let mut post = owner.message();
        new(owner.send(post.clone()).await.unwrap());
        post.expect_mode = Some(ExpectMode::Auto);
        again(owner.send(post).await.unwrap());
        let mut fresh = owner.message();
        fresh.expect_mode = Some(ExpectMode::Auto);
        assert_eq!(code(owner.send(fresh).await), "auto_over");
        assert_eq!(owner.transcript().await.len(), 4, "a refused post leaves no record");
    }

    async fn a_batch_over_many_sessions_appends_what_is_new_and_nothing_twice(engine: Engine) {
        let plane = Plane::new(engine).await;
        let mut sessions = Vec::new();
        for _ in 0..80 {
            let owner = plane.create().await;
            let first = owner.message();
            new(owner.send(first.clone()).await.unwrap());
            sessions.push((owner, first));
        }
        // All of it queues up behind the first of them.
        let settled = sessions.iter().enumerate().map(|(place, (owner, first))| async move {
            let (one, other) = (owner.message(), owner.message());
            let reused = wire::api::Post {
                message_id: first.message_id,
                ..owner.message()
            };
            let (retried, reused, one_sent, other_sent) = tokio::join!(
                owner.send(first.clone()),
                async {
                    if place % 8 == 0 {
                        assert_eq!(code(owner.send(reused).await), "message_id_reused");
                    }
                },
                owner.send(one.clone()),
                owner.send(other.clone()),
            );
            let () = reused;
            assert_eq!(again(retried.unwrap()).seq, 3);
            let mut expected = vec![
                (3, first.sealed.clone()),
                (new(one_sent.unwrap()).seq, one.sealed),
                (new(other_sent.unwrap()).seq, other.sealed),
            ];
            expected.sort_by_key(|(seq, _)| *seq);
            let transcript = owner.transcript().await;
            let found: Vec<_> = transcript
                .into_iter()
                .skip(2)
                .map(|record| (record.seq, record.sealed.unwrap()))
                .collect();
            assert_eq!(found.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), [3, 4, 5]);
            assert_eq!(found, expected);
        });
        futures_util::future::join_all(settled).await;
    }
}
