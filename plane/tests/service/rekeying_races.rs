//! Re-keying while others are at it: posts in flight, repeated requests, waits at another process.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use plane::service::{Outcome, Service};
use wire::api::{Record, Rekeyed};
use wire::event::{Capability, Kind};
use wire::transcript::RecordClass;

use crate::fixture::*;
use crate::rekeys::{by_admin, by_owner};

const FULL: Capability = Capability::Full;

/// A second process where the store takes one, else the same.
async fn another(plane: &Plane, engine: Engine) -> Service {
    match engine {
        Engine::Postgres => plane.second(&wide()).await,
        Engine::Sqlite => plane.service.clone(),
    }
}

/// Every row carries the epoch it was appended under: that of the last epoch record.
fn epochs_are_in_force(records: &[Record]) {
    let mut in_force = 0;
    for record in records {
        if record.class == RecordClass::Epoch {
            in_force += 1;
        }
        assert_eq!(record.epoch, in_force, "seq {}", record.seq);
    }
}

on_both! {
    async fn a_post_in_flight_is_stored_once_under_its_own_epoch_or_refused(engine: Engine) {
        const POSTS: usize = 40;
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let second = another(&plane, engine).await;
        let head = owner.state().await.head_seq;
        // Whatever the race brings, there is one of each: one stored before, and one whose caller the plane knew before
        // and that comes after.
        let (early, late) = (owner.message(), guest.message());
        let stored = owner.send(early.clone()).await;
        let (at_second, known) = (guest.over(&second), guest.caller().await.unwrap());
        let posts: Vec<_> = (0..POSTS)
            .map(|n| {
                let seat = if n % 2 == 0 { owner.clone() } else { guest.over(&second) };
                tokio::spawn(async move {
                    let post = seat.message();
                    let answer = seat.send(post.clone()).await;
                    (seat, post, answer)
                })
            })
            .collect();
        let next = Link::new(2);
        let ask = by_owner(&next, &owner, &[&owner, &guest]);
        let made = new(second.rekey(&plane.machine, owner.session, ask).await.unwrap());
        let refused = second.post(&known.clone().into(), late.clone()).await;
        let mut answers = vec![(owner.clone(), early, stored), (at_second, late, refused)];
        for post in posts {
            answers.push(post.await.unwrap());
        }
        let mut told = BTreeMap::new();
        let mut lost = Vec::new();
        for (seat, post, answer) in answers {
            match answer {
                Ok(outcome) => {
                    let posted = new(outcome);
                    assert!(posted.seq < made.seq, "stored before the re-key");
                    told.insert(posted.seq, (seat.id, post));
                }
                Err(refused) => {
                    assert_eq!(code::<()>(Err(refused)), "rekeyed");
                    lost.push((seat.id, post));
                }
            }
        }
        // They follow, and each repeats what it wrote under the old epoch.
        let (owner, guest) = (owner.with_link(next).join(FULL, true).await, guest.with_link(next).join(FULL, true).await);
        let seat = |id| if id == owner.id { owner.clone() } else { guest.over(&second) };
        for (seq, (id, post)) in &told {
            assert_eq!(again(seat(*id).send(post.clone()).await.unwrap()).seq, *seq);
        }
        for (id, post) in &lost {
            assert_eq!(code(seat(*id).send(post.clone()).await), "epoch_moved");
        }
        let records = owner.transcript().await;
        gap_free(&records, 1);
        epochs_are_in_force(&records);
        let stored = records.iter().filter(|record| record.class == RecordClass::Message);
        let stored: BTreeMap<_, _> = stored.map(|record| (record.seq, record.item_id.unwrap())).collect();
        let expected: BTreeMap<_, _> = told.iter().map(|(seq, (_, post))| (*seq, post.message_id)).collect();
        assert_eq!(stored.keys().min(), Some(&(head + 1)));
        let ids = |map: BTreeMap<u64, wire::ids::MessageId>| map.into_values().collect::<Vec<_>>();
        assert_eq!(
            ids(stored.into_iter().map(|(seq, id)| (seq, wire::ids::MessageId::from_bytes(*id.as_bytes()))).collect()),
            ids(expected)
        );
        assert!(told.contains_key(&(head + 1)) && !lost.is_empty(), "both outcomes");
        assert_eq!(told.len() + lost.len(), POSTS + 2);
    }

    async fn a_lost_answer_repeated_at_any_process_and_at_once_is_one_rekey(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let second = another(&plane, engine).await;
        for (epoch, by) in [(2, &plane.machine), (3, &plane.admin)] {
            let link = Link::new(epoch);
            let ask = if epoch == 2 { by_owner(&link, &owner, &[&owner]) } else { by_admin(&link, owner.session) };
            let asked: Vec<_> = (0..6)
                .map(|n| {
                    let service = if n % 2 == 0 { plane.service.clone() } else { second.clone() };
                    let (by, session, ask) = (by.clone(), owner.session, ask.clone());
                    tokio::spawn(async move { service.rekey(&by, session, ask).await.unwrap() })
                })
                .collect();
            let (mut fresh, mut seqs) = (0, Vec::new());
            for one in asked {
                let Rekeyed { epoch: told, seq } = match one.await.unwrap() {
                    Outcome::New(made) => {
                        fresh += 1;
                        made
                    }
                    Outcome::Again(made) => made,
                };
                assert_eq!(told, epoch);
                seqs.push(seq);
            }
            assert_eq!(fresh, 1, "made once");
            seqs.dedup();
            assert_eq!(seqs.len(), 1, "one seq for all: {seqs:?}");
            let later = again(second.rekey(by, owner.session, ask).await.unwrap());
            assert_eq!(later.seq, seqs[0]);
            if epoch == 3 {
                let back = owner.with_link(link).join(FULL, true).await;
                let records = back.transcript().await;
                epochs_are_in_force(&records);
                assert_eq!(records.iter().filter(|record| record.class == RecordClass::Epoch).count(), 3);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_at_another_process_ends_with_the_wake_up_and_delivers_nothing_new() {
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
    let ask = by_admin(&Link::new(2), owner.session);
    plane
        .service
        .rekey(&plane.admin, owner.session, ask)
        .await
        .unwrap();
    assert_eq!(code(waiting.await.unwrap()), "rekeyed");
    assert!(start.elapsed() < Duration::from_secs(4), "before the re-read");
}
