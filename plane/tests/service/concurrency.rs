//! Many at once, over one process and over two: order, retries, requests given up, locks held elsewhere.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::{join_all, select};
use plane::limits::Limits;
use plane::service::{Outcome, Poster, ServiceError};
use plane::store::StoreUrl;
use sqlx::{Connection as _, PgConnection};
use wire::api::SettableMode;
use wire::event::{Capability, Kind};
use wire::transcript::RecordClass;

use crate::fixture::*;

const FULL: Capability = Capability::Full;

/// Reads like somebody who polls, until `last` is there; each page must go on where the one before ended.
async fn poll(seat: Seat, last: u64) -> usize {
    let me = seat.me().await;
    let (mut after, mut pages) = (0, 0);
    while after < last {
        let page = seat.service.read(&me, after, 1_000).await.unwrap();
        gap_free(&page.records, after + 1);
        after = page.records.last().map_or(after, |record| record.seq);
        pages += 1;
        tokio::task::yield_now().await;
    }
    pages
}

on_both! {
    async fn fifty_writers_and_ten_readers_see_one_order(engine: Engine) {
        const WRITERS: usize = 50;
        const POSTS: usize = 200;
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let last = 2 + (WRITERS * POSTS) as u64;
        let readers: Vec<_> = (0..10).map(|_| tokio::spawn(poll(owner.clone(), last))).collect();
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| {
                let seat = owner.clone();
                tokio::spawn(async move {
                    let mut seqs = Vec::with_capacity(POSTS);
                    for _ in 0..POSTS {
                        seqs.push(seat.post().await.seq);
                    }
                    seqs
                })
            })
            .collect();
        let mut all = BTreeSet::new();
        for writer in writers {
            let seqs = writer.await.unwrap();
            assert!(seqs.is_sorted(), "one writer's posts stand in the order it made them");
            all.extend(seqs);
        }
        assert_eq!(all, (3..=last).collect::<BTreeSet<_>>());
        for reader in readers {
            assert!(reader.await.unwrap() > 0);
        }
    }

    async fn two_processes_write_one_order_and_lose_no_race_for_good(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let second = plane.second(&wide()).await;
        let writers: Vec<_> = (0..16)
            .map(|n| {
                let seat = if n % 2 == 0 { owner.clone() } else { owner.over(&second) };
                tokio::spawn(async move {
                    let mut mine = Vec::new();
                    for _ in 0..25 {
                        let post = seat.message();
                        let id = post.message_id;
                        mine.push((new(seat.send(post).await.unwrap()).seq, id));
                    }
                    mine
                })
            })
            .collect();
        let mut told = BTreeSet::new();
        for writer in writers {
            told.extend(writer.await.unwrap());
        }
        let records = owner.transcript().await;
        gap_free(&records, 1);
        let stored: BTreeSet<_> = records
            .iter()
            .filter_map(|record| record.item_id.map(|id| (record.seq, id)))
            .collect();
        assert_eq!(told.len(), 400);
        assert_eq!(told, stored, "each post stands where its author was told");
    }

    async fn a_retry_at_another_process_finds_the_first(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let second = plane.second(&wide()).await;
        for _ in 0..20 {
            let post = owner.message();
            let (here, there) = (owner.clone(), owner.over(&second));
            let (one, two) = tokio::join!(here.send(post.clone()), there.send(post));
            let (one, two) = (one.unwrap(), two.unwrap());
            let seq = |outcome: &Outcome<wire::api::Posted>| match outcome {
                Outcome::New(posted) | Outcome::Again(posted) => posted.seq,
            };
            assert_eq!(seq(&one), seq(&two));
            assert!(matches!(
                (&one, &two),
                (Outcome::New(_), Outcome::Again(_)) | (Outcome::Again(_), Outcome::New(_))
            ));
        }
        assert_eq!(owner.transcript().await.len(), 22);
    }

    async fn one_refused_post_fails_none_of_its_batch(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let viewer = owner.invite(Kind::Agent, Capability::View).await;
        let known = owner.message();
        owner.send(known.clone()).await.unwrap();
        let posts: Vec<_> = (0..60)
            .map(|n| {
                let (owner, viewer, known) = (owner.clone(), viewer.clone(), known.clone());
                tokio::spawn(async move {
                    match n % 3 {
                        0 => assert_eq!(code(viewer.send(viewer.message()).await), "view_only"),
                        1 => assert_eq!(again(owner.send(known).await.unwrap()).seq, 4),
                        _ => assert!(owner.post().await.seq > 4),
                    }
                })
            })
            .collect();
        for post in posts {
            post.await.unwrap();
        }
        let records = owner.transcript().await;
        gap_free(&records, 1);
        assert_eq!(records.len(), 24);
    }

    async fn requests_that_are_given_up_leave_nothing_half_done(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let mut tasks = Vec::new();
        for n in 0..60_u64 {
            let owner = owner.clone();
            let task = tokio::spawn(async move {
                let seat = owner.stranger(Kind::Agent);
                if let Ok(outcome) = seat.try_join(FULL, false).await {
                    let seat = seat.with_token(&joined(outcome).session_token).await;
                    seat.send(seat.message()).await.ok();
                    seat.set(SettableMode::Relay).await.ok();
                }
            });
            tasks.push(task);
            tokio::time::sleep(Duration::from_micros(n * 40)).await;
            if let Some(one) = tasks.get(tasks.len() / 2) {
                one.abort();
            }
        }
        for task in tasks {
            task.await.ok();
        }
        // What is left of aborted requests is rolled back before the next one gets its connection.
        let records = owner.transcript().await;
        gap_free(&records, 1);
        let state = owner.state().await;
        assert_eq!(state.head_seq, records.last().unwrap().seq);
        let joined: BTreeSet<_> = records
            .iter()
            .filter(|record| record.class == RecordClass::Member)
            .filter_map(|record| record.sender)
            .collect();
        let listed = owner.service.participants(&owner.me().await, None).await.unwrap().participants;
        let listed: BTreeSet<_> = listed.into_iter().map(|row| row.participant_id).collect();
        assert_eq!(joined, listed, "whoever is listed has joined, and the other way round");
    }
}

/// What is about the engine that has several writers.
mod postgres_alone {
    use super::*;

    async fn held(plane: &Plane, seat: &Seat) -> PgConnection {
        let StoreUrl::Postgres(url) = &plane.database.direct else {
            panic!("Postgres alone")
        };
        let mut other = PgConnection::connect(url).await.unwrap();
        for statement in [
            "BEGIN",
            "UPDATE sessions SET version = version + 1 WHERE session_id = $1",
        ] {
            let query = sqlx::query(statement);
            let query = if statement == "BEGIN" {
                query
            } else {
                query.bind(seat.session.as_bytes().to_vec())
            };
            query.execute(&mut other).await.unwrap();
        }
        other
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_post_waits_for_a_lock_and_counts_on_what_was_committed_under_it() {
        if !postgres_is_here() {
            return;
        }
        let plane = Plane::new(Engine::Postgres).await;
        let owner = plane.create().await;
        owner.post().await;
        let mut other = held(&plane, &owner).await;
        let seat = owner.clone();
        let posting = tokio::spawn(async move { seat.post().await });
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(!posting.is_finished(), "nobody is answered before the commit");
        assert_eq!(owner.transcript().await.len(), 3, "readers don't wait for it");
        sqlx::query("COMMIT").execute(&mut other).await.unwrap();
        assert_eq!(posting.await.unwrap().seq, 4);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_lock_that_is_never_released_stops_one_session_and_no_other() {
        if !postgres_is_here() {
            return;
        }
        let plane = Plane::new(Engine::Postgres).await;
        let (stuck, free) = (plane.create().await, plane.create().await);
        let other = held(&plane, &stuck).await;
        let seat = stuck.clone();
        let posting = tokio::spawn(async move { seat.send(seat.message()).await });
        tokio::time::sleep(Duration::from_millis(50)).await;
        free.post().await;
        assert_eq!(code(posting.await.unwrap()), "the database failed");
        drop(other);
    }

    /// Half of them are with the database as the process is told to go down, half in the queue. Whether the row was changed
    /// under the lock decides whether they pass at once or are asked again.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_drain_answers_all_posts_that_were_taken_and_the_next_one_is_refused() {
        if !postgres_is_here() {
            return;
        }
        for end in ["ROLLBACK", "COMMIT"] {
            let plane = Plane::new(Engine::Postgres).await;
            let (owner, second) = (plane.create().await, plane.second(&wide()).await);
            owner.post().await;
            let poster: Poster = owner.me().await.into();
            let mut other = held(&plane, &owner).await;
            let posts: Vec<_> = (0..20).map(|_| owner.message()).collect();
            let mut sent: Vec<_> = posts
                .iter()
                .map(|post| Box::pin(plane.service.post(&poster, post.clone())))
                .collect();
            for one in &mut sent {
                assert!(
                    one.as_mut().now_or_never().is_none(),
                    "nobody is answered before the commit"
                );
            }
            let mut drain = Box::pin(plane.service.drain());
            assert!(
                drain.as_mut().now_or_never().is_none(),
                "it waits for what was taken"
            );
            let late = plane.service.post(&poster, owner.message()).await;
            assert_eq!(code(late), "draining");
            sqlx::query(end).execute(&mut other).await.unwrap();
            let (answers, ()) = tokio::join!(join_all(sent), drain);
            let told: BTreeSet<_> = answers
                .into_iter()
                .map(|posted| new(posted.unwrap()).seq)
                .collect();
            assert_eq!(told, (4..24).collect::<BTreeSet<_>>(), "{end}");
            let stored = owner.over(&second).transcript().await;
            gap_free(&stored, 1);
            assert_eq!(stored.len(), 23);
        }
    }

    /// `modes.md`: auto ends within 2 s of its time.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_session_that_is_locked_keeps_no_other_in_auto() {
        if !postgres_is_here() {
            return;
        }
        let plane = Plane::new(Engine::Postgres).await;
        let (stuck, free) = (plane.create().await, plane.create().await);
        for (owner, ttl_s) in [(&stuck, 60), (&free, 61)] {
            let guest = owner.invite(Kind::Agent, FULL).await;
            owner.start_auto(&guest, 10, ttl_s).await;
        }
        let mut other = held(&plane, &stuck).await;
        plane.advance(61);
        let start = Instant::now();
        plane.service.sweep().await.unwrap();
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        let ended = |notices: &[String]| notices.last().unwrap().contains("ttl_expired");
        assert!(ended(&free.notices().await));
        assert!(!ended(&stuck.notices().await));
        sqlx::query("COMMIT").execute(&mut other).await.unwrap();
        plane.service.sweep().await.unwrap();
        assert!(ended(&stuck.notices().await));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_post_at_one_process_answers_a_wait_at_another_before_it_reads_again() {
        if !postgres_is_here() {
            return;
        }
        let plane = Plane::new(Engine::Postgres).await;
        let owner = plane.create().await;
        let second = plane.second(&wide()).await;
        let human = owner.invite(Kind::Human, FULL).await.over(&second);
        let me = human.me().await;
        let service = second.clone();
        let waiting = tokio::spawn(async move { service.wait(&me, 3, 200, Duration::from_secs(50)).await });
        human.until_listening().await;
        let start = Instant::now();
        let seq = owner.post().await.seq;
        let page = waiting.await.unwrap().unwrap();
        assert_eq!(page.records.last().unwrap().seq, seq);
        // The slow look comes every four seconds. That nothing but the telling woke it is seen in `wakes`, where nothing looks.
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_full_queue_refuses_a_post_says_when_to_come_again_and_loses_none() {
        if !postgres_is_here() {
            return;
        }
        // Room for one, which takes its 553 sealed bytes and 512.
        let limits = Limits {
            append_queue_bytes: 1_500,
            ..wide()
        };
        let plane = Plane::with(Engine::Postgres, limits).await;
        let owner = plane.create().await;
        let mut other = held(&plane, &owner).await;
        let (one, two) = (owner.message(), owner.message());
        let (one, two) = (Box::pin(owner.send(one)), Box::pin(owner.send(two)));
        // The other one waits for the lock.
        let (refused, waits) = select(one, two).await.factor_first();
        assert!(
            matches!(
                refused,
                Err(ServiceError::RateLimited {
                    limit: "append_queue_bytes",
                    retry_after_s: 1..
                })
            ),
            "{refused:?}"
        );
        sqlx::query("COMMIT").execute(&mut other).await.unwrap();
        let first = new(waits.await.unwrap()).seq;
        assert_eq!(owner.post().await.seq, first + 1);
    }

    /// What came while the writer was busy is one transaction: rows carry the number of theirs.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn posts_that_come_while_another_is_stored_are_stored_together() {
        if !postgres_is_here() {
            return;
        }
        let plane = Plane::new(Engine::Postgres).await;
        let (stuck, owner) = (plane.create().await, plane.create().await);
        let posters: Vec<_> = join_all((0..40).map(|_| owner.invite(Kind::Human, FULL))).await;
        let head = owner.state().await.head_seq;
        let mut other = held(&plane, &stuck).await;
        let (first, rest, ()) = tokio::join!(
            stuck.send(stuck.message()),
            join_all(posters.iter().map(|poster| poster.send(poster.message()))),
            async {
                // Long enough for all of them to stand in the queue, and shorter than a lock is waited for.
                tokio::time::sleep(Duration::from_secs(1)).await;
                sqlx::query("COMMIT").execute(&mut other).await.unwrap();
            }
        );
        first.unwrap();
        assert!(rest.iter().all(Result::is_ok));
        let transactions: (i64,) = sqlx::query_as(
            "SELECT count(DISTINCT xmin::text) FROM records WHERE session_id = $1 AND seq > $2",
        )
        .bind(owner.session.as_bytes().to_vec())
        .bind(i64::try_from(head).unwrap())
        .fetch_one(&mut other)
        .await
        .unwrap();
        assert!(
            transactions.0 <= 4,
            "{} transactions for 40 posts",
            transactions.0
        );
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn connections_that_are_cut_cost_no_post_and_no_look_up() {
        if !postgres_is_here() {
            return;
        }
        let plane = Plane::new(Engine::Postgres).await;
        let owner = plane.create().await;
        let StoreUrl::Postgres(url) = &plane.database.direct else {
            panic!("Postgres alone")
        };
        let mut other = PgConnection::connect(url).await.unwrap();
        let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid()";
        for round in 1..=3 {
            owner.post().await;
            sqlx::query(cut).execute(&mut other).await.unwrap();
            assert_eq!(owner.post().await.seq, 2 + 2 * round);
        }
    }
}

/// A word that a newer binary writes, say: its session is told so, and no other one.
#[tokio::test]
async fn a_token_that_cannot_be_read_keeps_no_other_from_being_looked_up() {
    if !postgres_is_here() {
        return;
    }
    let plane = Plane::new(Engine::Postgres).await;
    let (unknown, good) = (plane.create().await, plane.create().await);
    let StoreUrl::Postgres(url) = &plane.database.direct else {
        unreachable!("the engine is Postgres");
    };
    let mut conn = PgConnection::connect(url).await.unwrap();
    sqlx::query("UPDATE tokens SET capability = 'comment' WHERE session_id = $1")
        .bind(unknown.session.as_bytes().to_vec())
        .execute(&mut conn)
        .await
        .unwrap();
    for _ in 0..20 {
        // All at once, so that they are looked up together.
        let asked = (0..24).map(async |n: u32| {
            let seat = if n.is_multiple_of(6) { &unknown } else { &good };
            (seat.session == good.session, seat.caller().await.is_ok())
        });
        for (is_good, found) in join_all(asked).await {
            assert_eq!(found, is_good);
        }
    }
}
