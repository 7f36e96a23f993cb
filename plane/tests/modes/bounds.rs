//! How far a proposal may reach: what does not fit is refused, what is left out is a default, nothing is unlimited.

use plane::store::StoreUrl;
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection, SqliteConnection};
use wire::event::{Capability, Kind};
use wire::ids::ProposalId;

use crate::client::Answer;
use crate::fixture::*;
use crate::over_http::Process;

/// Asks for auto with the budget and the time as they stand in the text of the request; empty: left out.
async fn propose(process: Process, by: &Seat, budget: &str, ttl_s: &str) -> Answer {
    let id = ProposalId::from_bytes(random());
    let mut text = format!(
        r#"{{"proposal_id":"{id}","epoch":1,"sealed_goal":{}"#,
        json!(sealed())
    );
    for (name, value) in [("budget", budget), ("ttl_s", ttl_s)] {
        if !value.is_empty() {
            text += &format!(r#","{name}":{value}"#);
        }
    }
    process.post_text(by, "/auto", &(text + "}")).await
}

fn terms(answer: &Answer) -> (Value, Value) {
    let proposal = &answer.ok(200)["state"]["mode"]["proposal"];
    (proposal["budget"].clone(), proposal["ttl_s"].clone())
}

async fn sql(plane: &Plane, statement: &'static str) {
    match &plane.database.direct {
        StoreUrl::Postgres(url) => {
            let mut conn = PgConnection::connect(url).await.unwrap();
            sqlx::query(statement).execute(&mut conn).await.unwrap();
        }
        StoreUrl::Sqlite(path) => {
            let mut conn = SqliteConnection::connect(path.to_str().unwrap()).await.unwrap();
            sqlx::query(statement).execute(&mut conn).await.unwrap();
        }
    }
}

on_both! {
    async fn a_budget_or_time_that_does_not_fit_is_refused(engine: Engine) {
        let plane = Plane::new(engine).await;
        let process = Process::of(&plane.service, &wide()).await;
        let owner = plane.create().await;
        let odd = [
            "0", "-1", "-0", "4294967296", "4294967297", "9223372036854775807", "9223372036854775808",
            "18446744073709551616", "1e99", "1.5", "\"ten\"", "\"10\"", "null", "true", "[10]", "{}",
        ];
        for budget in odd.into_iter().chain(["201"]) {
            propose(process, &owner, budget, "600").await.problem(400, "bad_request");
        }
        for ttl_s in odd.into_iter().chain(["1", "59", "28801"]) {
            propose(process, &owner, "10", ttl_s).await.problem(400, "bad_request");
        }
        let doubled = propose(process, &owner, r#"10,"budget":200"#, "600").await;
        doubled.problem(400, "bad_request");
        let state = owner.state().await;
        assert_eq!((state.head_seq, state.mode.proposal.is_none()), (2, true), "nothing of it is stored");
        for (budget, limit) in [("0", "min_budget"), ("201", "max_budget")] {
            assert_eq!(propose(process, &owner, budget, "").await.json()["limit"], limit);
        }
        for (ttl_s, limit) in [("59", "min_ttl_s"), ("28801", "max_ttl_s")] {
            assert_eq!(propose(process, &owner, "", ttl_s).await.json()["limit"], limit);
        }
    }

    async fn what_is_left_out_is_a_default_and_the_edges_fit(engine: Engine) {
        let plane = Plane::new(engine).await;
        let process = Process::of(&plane.service, &wide()).await;
        let owner = plane.create().await;
        let asked = [
            ("", "", 20, 1_800), ("1", "60", 1, 60), ("200", "28800", 200, 28_800), ("", "60", 20, 60), ("7", "", 7, 1_800),
        ];
        for (budget, ttl_s, granted, seconds) in asked {
            let answer = propose(process, &owner, budget, ttl_s).await;
            assert_eq!(terms(&answer), (json!(granted), json!(seconds)));
        }
    }

    async fn the_orgs_policy_is_the_narrower_bound_for_the_default_as_well(engine: Engine) {
        let plane = Plane::new(engine).await;
        let process = Process::of(&plane.service, &wide()).await;
        let owner = plane.create().await;
        sql(&plane, "UPDATE orgs SET max_budget = 3, max_ttl_s = 120").await;
        assert_eq!(terms(&propose(process, &owner, "", "").await), (json!(3), json!(120)));
        propose(process, &owner, "4", "").await.problem(400, "bad_request");
        propose(process, &owner, "", "121").await.problem(400, "bad_request");
        sql(&plane, "UPDATE orgs SET max_budget = 100000, max_ttl_s = 1000000").await;
        propose(process, &owner, "201", "").await.problem(400, "bad_request");
        propose(process, &owner, "", "28801").await.problem(400, "bad_request");
    }

    async fn the_time_of_an_auto_is_what_was_granted_and_no_more(engine: Engine) {
        let plane = Plane::new(engine).await;
        let process = Process::of(&plane.service, &wide()).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        let asked = propose(process, &owner, "200", "28800").await.ok(200);
        let id = asked["state"]["mode"]["proposal"]["proposal_id"].clone();
        process.call(&guest, "POST", "/auto/accept", Some(&json!({ "proposal_id": id }))).await.ok(200);
        plane.advance(28_799);
        assert_eq!(process.get(&owner, "").await["state"]["mode"]["budget_left"], 200);
        plane.advance(1);
        assert_eq!(process.get(&owner, "").await["state"]["mode"]["name"], "observe");
    }
}
