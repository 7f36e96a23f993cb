//! The one rule about real time: auto ends within two seconds of its time with no request made. It takes as long as
//! the shortest auto there is, so that all of it is one test, which the test runner starts first.

use std::time::Duration;

use serde_json::{Value, json};
use wire::api::{Mode, Page};
use wire::event::{Capability, Kind, ModeName};
use wire::timestamp::Timestamp;
use wire::transcript::RecordClass;

use crate::fixture::{Engine, Seat, random, sealed};
use crate::over_http::Process;
use crate::postgres::postgres_is_here;
use crate::real::RealPlane;

/// The shortest auto, in seconds.
const TTL_S: u32 = 60;
/// How late it may end, in milliseconds.
const LATE_MS: i64 = 2_000;

/// Two who are in auto, and when that ends.
async fn in_auto(real: &RealPlane) -> (Seat, Seat, Timestamp) {
    let owner = real.plane.create().await;
    let guest = owner.invite(Kind::Agent, Capability::Full).await;
    let [first, .., last] = [real.processes[0], real.processes[real.processes.len() - 1]];
    let id = wire::ids::ProposalId::from_bytes(random());
    let propose = json!({
        "proposal_id": id, "budget": 10, "ttl_s": TTL_S, "epoch": 1, "sealed_goal": sealed(),
    });
    first.call(&owner, "POST", "/auto", Some(&propose)).await.ok(200);
    let accepted = last
        .call(
            &guest,
            "POST",
            "/auto/accept",
            Some(&json!({ "proposal_id": id })),
        )
        .await
        .ok(200);
    let mode: Mode = serde_json::from_value(accepted["state"]["mode"].clone()).unwrap();
    assert_eq!(mode.effective, ModeName::Auto);
    (owner, guest, mode.expires_at.unwrap())
}

fn now() -> Timestamp {
    plane::clock::Clock::System.now()
}

/// Waits until auto is over; what the last wait was answered, and when.
async fn wait_for_the_end(process: Process, seat: &Seat, after: u64) -> (Page, Timestamp) {
    loop {
        let tail = format!("/records?after={after}&wait=50");
        let page: Value = process.get(seat, &tail).await;
        let page: Page = serde_json::from_value(page).unwrap();
        if page.state.mode.name != ModeName::Auto {
            return (page, now());
        }
        assert_eq!(page.records, [], "nobody writes here");
    }
}

/// The texts and times of notices by which auto ended.
fn ends(records: &[wire::api::Record]) -> Vec<(String, Timestamp)> {
    let notices = records
        .iter()
        .filter(|record| record.class == RecordClass::Notice);
    let notices = notices.map(|record| (record.body.clone().unwrap(), record.at));
    notices
        .filter(|(body, _)| body.contains(r#""from":"auto""#))
        .collect()
}

const EXPIRED: &str =
    r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"ttl_expired","spent":0,"budget":10}"#;

async fn on(engine: Engine) {
    let real = RealPlane::start(engine).await;
    let (_, idle, idle_until) = in_auto(&real).await;
    let (owner, guest, until) = in_auto(&real).await;
    let head = guest.state().await.head_seq;
    let waits = real.processes.iter().zip([&owner, &guest]);
    let waits = waits.map(|(process, seat)| wait_for_the_end(*process, seat, head));
    for (page, answered) in futures_util::future::join_all(waits).await {
        let late = answered.millis() - until.millis();
        eprintln!("{engine:?}: a waiting request was answered {late} ms after the end");
        assert!((0..=LATE_MS).contains(&late), "answered {late} ms after its time");
        let [(text, at)] = &ends(&page.records)[..] else {
            panic!("with the notice: {page:?}")
        };
        assert_eq!(text, EXPIRED);
        assert!((0..=LATE_MS).contains(&(at.millis() - until.millis())));
        assert_eq!(page.state.mode.effective, ModeName::Observe);
    }
    // Nobody asked for anything in this one; it ended all the same, once.
    tokio::time::sleep(Duration::from_secs(2)).await;
    for (seat, until) in [(&idle, idle_until), (&owner, until)] {
        let [(text, at)] = &ends(&seat.transcript().await)[..] else {
            panic!("exactly one notice")
        };
        assert_eq!(text, EXPIRED);
        let late = at.millis() - until.millis();
        eprintln!("{engine:?}: the notice is of {late} ms after the end");
        assert!((0..=LATE_MS).contains(&late), "ended {late} ms after its time");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn auto_ends_within_two_seconds_of_its_time_with_no_request_made() {
    if postgres_is_here() {
        tokio::join!(on(Engine::Sqlite), on(Engine::Postgres));
    } else {
        on(Engine::Sqlite).await;
    }
}
