//! Many at once against one budget: by two processes over one Postgres, by one over SQLite.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wire::api::Page;
use wire::event::{Capability, Kind, ModeName};
use wire::ids::MessageId;
use wire::transcript::RecordClass;

use crate::fixture::*;
use crate::over_http::Process;
use crate::real::RealPlane;

const BUDGET: u32 = 10;
const POSTERS: usize = 40;
const ROUNDS: usize = 20;

/// A plane within the test, by as many processes as its store takes.
async fn processes(engine: Engine) -> (Plane, Vec<Process>) {
    let plane = Plane::new(engine).await;
    let mut processes = vec![Process::of(&plane.service, &wide()).await];
    if engine == Engine::Postgres {
        processes.push(Process::of(&plane.second(&wide()).await, &wide()).await);
    }
    (plane, processes)
}

fn for_auto() -> Value {
    json!({
        "message_id": MessageId::from_bytes(random()), "epoch": 1, "sealed": sealed(), "expect_mode": "auto",
    })
}

fn exits(notices: &[String]) -> usize {
    notices
        .iter()
        .filter(|notice| notice.contains(r#""from":"auto""#))
        .count()
}

async fn posters_race_for_the_budget(plane: &Plane, processes: &[Process]) {
    let owner = plane.create().await;
    let guest = owner.invite(Kind::Agent, Capability::Full).await;
    for round in 1..=ROUNDS {
        owner.start_auto(&guest, BUDGET, 600).await;
        let posters: Vec<_> = (0..POSTERS)
            .map(|n| {
                let seat = if n % 2 == 0 { owner.clone() } else { guest.clone() };
                let process = processes[n / 2 % processes.len()];
                tokio::spawn(async move { process.call(&seat, "POST", "/records", Some(&for_auto())).await })
            })
            .collect();
        let mut told = Vec::new();
        for poster in posters {
            let answer = poster.await.unwrap();
            match answer.status {
                201 => told.push(answer.json()["seq"].as_u64().unwrap()),
                _ => assert_eq!(answer.problem(409, "auto_over")["mode"], "observe"),
            }
        }
        assert_eq!(told.len(), BUDGET as usize, "round {round}");
        told.sort_unstable();
        let records = owner.transcript().await;
        gap_free(&records, 1);
        let messages = records
            .iter()
            .filter(|record| record.class == RecordClass::Message);
        let seqs: Vec<_> = messages.map(|record| record.seq).collect();
        assert_eq!(
            seqs.len(),
            round * BUDGET as usize,
            "a refused post leaves no record"
        );
        assert_eq!(seqs[(round - 1) * BUDGET as usize..], told);
        let last = records.last().unwrap();
        assert_eq!(
            last.body.as_deref().unwrap(),
            r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"budget_spent","spent":10,"budget":10}"#
        );
        assert_eq!(exits(&owner.notices().await), round, "one notice a round");
        assert_eq!(owner.state().await.mode.name, ModeName::Observe);
    }
}

on_both! {
    async fn of_forty_at_once_as_many_are_stored_as_were_granted_every_time(engine: Engine) {
        let (plane, processes) = processes(engine).await;
        posters_race_for_the_budget(&plane, &processes).await;
    }

    async fn the_same_by_real_processes(engine: Engine) {
        let real = RealPlane::start(engine).await;
        posters_race_for_the_budget(&real.plane, &real.processes).await;
    }

    async fn a_post_that_comes_four_times_is_stored_and_charged_once(engine: Engine) {
        let (plane, processes) = processes(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        owner.start_auto(&guest, BUDGET, 600).await;
        for spent in 1..=BUDGET {
            let post = for_auto();
            let tries = (0..4).map(|n| {
                let (process, seat, post) = (processes[n % processes.len()], &guest, &post);
                async move { process.call(seat, "POST", "/records", Some(post)).await }
            });
            let answers = futures_util::future::join_all(tries).await;
            let mut statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
            statuses.sort_unstable();
            assert_eq!(statuses, [200, 200, 200, 201]);
            assert!(answers.iter().all(|answer| answer.json()["seq"] == answers[0].json()["seq"]));
            let left = owner.state().await.mode.budget_left;
            assert_eq!(left, (spent < BUDGET).then_some(BUDGET - spent));
            if spent == BUDGET {
                // Auto is over by this very post, and its answer may have been lost as well.
                for process in &processes {
                    process.call(&guest, "POST", "/records", Some(&post)).await.ok(200);
                }
            }
        }
        assert_eq!(exits(&owner.notices().await), 1);
        let stored = owner.transcript().await.into_iter().filter(|record| record.class == RecordClass::Message);
        assert_eq!(stored.count(), BUDGET as usize);
    }

    async fn a_stop_that_commits_first_wins_over_a_post(engine: Engine) {
        let (plane, processes) = processes(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        let viewer = owner.invite(Kind::Human, Capability::View).await;
        let last = processes[processes.len() - 1];
        for round in 1..=ROUNDS {
            owner.start_auto(&guest, 200, 600).await;
            let posts: Vec<_> = (0..10)
                .map(|n| {
                    let (seat, process) = (guest.clone(), processes[n % processes.len()]);
                    tokio::spawn(async move { process.call(&seat, "POST", "/records", Some(&for_auto())).await })
                })
                .collect();
            processes[0].call(&viewer, "POST", "/auto/stop", None).await.ok(200);
            last.call(&guest, "POST", "/records", Some(&for_auto())).await.problem(409, "auto_over");
            let mut stored = Vec::new();
            for post in posts {
                let answer = post.await.unwrap();
                if answer.status == 201 {
                    stored.push(answer.json()["seq"].as_u64().unwrap());
                } else {
                    answer.problem(409, "auto_over");
                }
            }
            let records = owner.transcript().await;
            gap_free(&records, 1);
            let stopped = records.iter().rfind(|record| record.class == RecordClass::Notice).unwrap();
            let spent = stored.len();
            let notice = format!(
                r#"{{"event":"mode_changed","from":"auto","to":"observe","cause":"stopped","spent":{spent},"budget":200}}"#
            );
            assert_eq!(stopped.body.as_deref(), Some(&notice[..]), "round {round}");
            assert!(stored.iter().all(|seq| *seq < stopped.seq));
            assert_eq!(records.last().unwrap().seq, stopped.seq, "nothing follows the stop");
        }
    }

    async fn a_wait_is_answered_by_a_stop_at_another_process_at_once(engine: Engine) {
        let (plane, processes) = processes(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        owner.start_auto(&guest, BUDGET, 600).await;
        let head = owner.state().await.head_seq;
        let (seat, process) = (guest.clone(), processes[processes.len() - 1]);
        let tail = format!("/records?after={head}&wait=50");
        let waiting = tokio::spawn(async move { process.get(&seat, &tail).await });
        until(async || {
            let listed = process.get(&owner, "/participants").await;
            let listed = listed["participants"].as_array().unwrap().clone();
            listed.iter().any(|row| row["participant_id"] == json!(guest.id) && row["listening"] == true)
        })
        .await;
        let start = Instant::now();
        processes[0].call(&owner, "POST", "/auto/stop", None).await.ok(200);
        let page: Page = serde_json::from_value(waiting.await.unwrap()).unwrap();
        let took = start.elapsed();
        eprintln!("{engine:?}: answered after {took:?}");
        assert!(took < Duration::from_secs(2), "{took:?}");
        assert_eq!(page.state.mode.effective, ModeName::Observe);
        let texts: Vec<_> = page.records.into_iter().filter_map(|record| record.body).collect();
        assert_eq!(
            texts,
            [r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"stopped","spent":0,"budget":10}"#]
        );
    }

    async fn a_refused_post_leaves_no_record_and_costs_no_budget(engine: Engine) {
        let (plane, processes) = processes(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        let outside = owner.invite(Kind::Agent, Capability::Full).await;
        let viewer = owner.invite(Kind::Human, Capability::View).await;
        owner.start_auto(&guest, BUDGET, 600).await;
        let stored = for_auto();
        processes[0].call(&guest, "POST", "/records", Some(&stored)).await.ok(201);
        let head = owner.state().await.head_seq;
        let changed = |member: &str, value: Value| {
            let mut post = for_auto();
            post[member] = value;
            post
        };
        let refused = [
            (&outside, for_auto(), 409, "auto_over"),
            (&viewer, for_auto(), 403, "view_only"),
            (&guest, changed("epoch", json!(2)), 409, "epoch_moved"),
            (&guest, changed("message_id", stored["message_id"].clone()), 409, "message_id_reused"),
            (&outside, stored.clone(), 409, "message_id_reused"),
            (&guest, changed("sealed", json!("AQ")), 400, "bad_request"),
            (&guest, changed("signal", json!("stop")), 400, "bad_request"),
            (&guest, changed("expect_mode", json!("relay")), 400, "bad_request"),
            (&guest, changed("unknown", json!(1)), 400, "bad_request"),
        ];
        for (seat, post, status, code) in &refused {
            for process in &processes {
                process.call(seat, "POST", "/records", Some(post)).await.problem(*status, code);
            }
        }
        let state = owner.state().await;
        assert_eq!((state.head_seq, state.mode.budget_left), (head, Some(BUDGET - 1)));
    }
}
