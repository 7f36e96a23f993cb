//! "On every route that writes" (`modes.md`): each route of the table that is no read is looked at here, and the one
//! by which somebody says something spends budget, whoever they are. A route that is new fails until it is looked at.

use std::collections::{BTreeMap, BTreeSet};

use plane::service::OwnerCaller;
use serde_json::{Value, json};
use wire::api::{DoorState, Rejoin, SetDoor};
use wire::encoding::Secret32;
use wire::event::{Capability, Kind};
use wire::ids::{MessageId, ProposalId};
use wire::transcript::RecordClass;

use crate::client::{Answer, Request};
use crate::fixture::*;
use crate::over_http::Process;
use crate::rekeys::by_owner;

/// Every route that is no read, and whether it appends messages, which spend budget. All others append at most what
/// the plane itself writes: events, epoch records, notices.
const ROUTES: [(&str, bool); 17] = [
    ("post /v1/sessions", false),
    ("delete /v1/sessions/{session_id}", false),
    ("put /v1/sessions/{session_id}/title", false),
    ("post /v1/sessions/{session_id}/participants", false),
    ("post /v1/sessions/{session_id}/rejoin", false),
    ("post /v1/sessions/{session_id}/leave", false),
    ("post /v1/sessions/{session_id}/rekey", false),
    ("put /v1/sessions/{session_id}/door", false),
    ("post /v1/sessions/{session_id}/door/{participant_id}", false),
    ("post /v1/sessions/{session_id}/records", true),
    ("post /v1/sessions/{session_id}/mode", false),
    ("post /v1/sessions/{session_id}/auto", false),
    ("post /v1/sessions/{session_id}/auto/accept", false),
    ("post /v1/sessions/{session_id}/auto/decline", false),
    ("post /v1/sessions/{session_id}/auto/stop", false),
    ("post /v1/connect", false),
    ("post /v1/connect/token", false),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_route_that_is_no_read_is_looked_at_here() {
    let plane = Plane::new(Engine::Sqlite).await;
    let process = Process::of(&plane.service, &wide()).await;
    let document = Request::new(process.address(), "GET", "/v1/openapi.json")
        .send()
        .await
        .ok(200);
    let paths: BTreeMap<String, BTreeMap<String, Value>> =
        serde_json::from_value(document["paths"].clone()).unwrap();
    let mounted: BTreeSet<String> = paths
        .into_iter()
        .flat_map(|(path, methods)| methods.into_keys().map(move |method| format!("{method} {path}")))
        .filter(|route| !route.starts_with("get "))
        .collect();
    let known: BTreeSet<String> = ROUTES.iter().map(|(route, _)| (*route).to_owned()).collect();
    assert_eq!(
        mounted, known,
        "look at the new route, and say here and below whether it spends budget"
    );
}

/// A session in auto by two agents, with others around.
struct Scene {
    plane: Plane,
    process: Process,
    owner: Seat,
    guest: Seat,
    human: Seat,
    outside: Seat,
    proposal: ProposalId,
}

impl Scene {
    async fn new(engine: Engine) -> Self {
        let plane = Plane::new(engine).await;
        let process = Process::of(&plane.service, &wide()).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, Capability::Full).await;
        let human = owner.invite(Kind::Human, Capability::Full).await;
        let outside = owner.invite(Kind::Agent, Capability::Full).await;
        let proposal = owner.start_auto(&guest, 10, 600).await;
        Self {
            plane,
            process,
            owner,
            guest,
            human,
            outside,
            proposal,
        }
    }

    async fn call(&self, seat: &Seat, method: &str, tail: &str, body: Value) -> Answer {
        self.process.call(seat, method, tail, Some(&body)).await
    }

    async fn say(&self, seat: &Seat, more: &[(&str, &str)]) {
        let mut post =
            json!({ "message_id": MessageId::from_bytes(random()), "epoch": 1, "sealed": sealed() });
        for (name, value) in more {
            post[*name] = json!(value);
        }
        self.call(seat, "POST", "/records", post).await.ok(201);
    }

    /// The codes of a machine that asks to be connected.
    async fn connecting(&self) -> Value {
        Request::new(self.process.address(), "POST", "/v1/connect")
            .send()
            .await
            .ok(200)
    }

    /// Uses a route as far as it goes in auto; somebody who can read afterwards.
    async fn using(&self, route: &str) -> Seat {
        let Self {
            plane, owner, guest, ..
        } = self;
        let proposal = json!({ "proposal_id": self.proposal });
        match route.rsplit_once("{session_id}").map_or(route, |(_, tail)| tail) {
            "post /v1/sessions" => drop(plane.create().await),
            "" => plane
                .service
                .end(&plane.machine, owner.session, false)
                .await
                .unwrap(),
            "/title" => drop(
                self.call(owner, "PUT", "/title", json!({ "title": owner.title(1) }))
                    .await
                    .ok(200),
            ),
            "/participants" => drop(owner.invite(Kind::Agent, Capability::Full).await),
            "/rejoin" => {
                let ask = Rejoin {
                    participant_id: guest.id,
                    rejoin_secret: Secret32::new(guest.rejoin_secret),
                    after_epoch: 0,
                };
                plane.service.rejoin(guest.session, ADDRESS, ask).await.unwrap();
            }
            "/leave" => drop(
                self.process
                    .call(&self.outside, "POST", "/leave", None)
                    .await
                    .ok(200),
            ),
            "/rekey" => {
                let next = Link::new(2);
                let ask = by_owner(&next, owner, &[owner]);
                plane
                    .service
                    .rekey(&plane.machine, owner.session, ask)
                    .await
                    .unwrap();
                return owner.with_link(next).join(Capability::Full, true).await;
            }
            "/door" => drop(
                self.call(owner, "PUT", "/door", json!({ "state": "ask" }))
                    .await
                    .ok(200),
            ),
            "/door/{participant_id}" => {
                let by = OwnerCaller::Participant(owner.me().await);
                let door = SetDoor {
                    state: DoorState::Ask,
                    joins_left: None,
                    until: None,
                };
                plane.service.set_door(&by, owner.session, door).await.unwrap();
                let kim = owner.stranger(Kind::Human);
                kim.try_join(Capability::Full, false).await.unwrap();
                let tail = format!("/door/{}", kim.id);
                self.call(owner, "POST", &tail, json!({ "admit": false }))
                    .await
                    .ok(200);
            }
            "/records" => self.say(guest, &[]).await,
            "/mode" => drop(
                self.call(guest, "POST", "/mode", json!({ "set": "observe" }))
                    .await
                    .ok(200),
            ),
            "/auto" => {
                let ask = json!({
                    "proposal_id": self.proposal, "budget": 200, "ttl_s": 600, "epoch": 1, "sealed_goal": sealed(),
                });
                self.call(owner, "POST", "/auto", ask).await.ok(200);
            }
            "/auto/accept" => drop(
                self.call(&self.human, "POST", "/auto/accept", proposal)
                    .await
                    .ok(200),
            ),
            "/auto/decline" => {
                self.call(&self.human, "POST", "/auto/decline", proposal)
                    .await
                    .problem(409, "proposal_gone");
            }
            "/auto/stop" => drop(
                self.process
                    .call(&self.human, "POST", "/auto/stop", None)
                    .await
                    .ok(200),
            ),
            "post /v1/connect" => drop(self.connecting().await),
            "post /v1/connect/token" => {
                let codes = self.connecting().await;
                Request::new(self.process.address(), "POST", "/v1/connect/token")
                    .json(&json!({ "device_code": codes["device_code"] }))
                    .send()
                    .await
                    .problem(400, "authorization_pending");
            }
            other => panic!("{other} is not looked at"),
        }
        owner.clone()
    }
}

/// What is spent of the budget, by the state, or by the notice once auto is over; and the messages there are.
async fn spent(reader: &Seat) -> (u64, usize) {
    let messages = reader
        .transcript()
        .await
        .into_iter()
        .filter(|record| record.class == RecordClass::Message);
    let messages = messages.count();
    if let Some(left) = reader.state().await.mode.budget_left {
        return (10 - u64::from(left), messages);
    }
    let last = reader.notices().await.pop().unwrap();
    let notice: Value = serde_json::from_str(&last).unwrap();
    assert_eq!(notice["from"], "auto");
    (notice["spent"].as_u64().unwrap(), messages)
}

on_both! {
    async fn a_message_spends_and_nothing_else_does(engine: Engine) {
        for (route, appends_a_message) in ROUTES {
            let scene = Scene::new(engine).await;
            let reader = scene.using(route).await;
            let expected = usize::from(appends_a_message);
            assert_eq!(spent(&reader).await, (expected as u64, expected), "{route}");
        }
    }

    async fn a_message_spends_whoever_wrote_it_and_however(engine: Engine) {
        let scene = Scene::new(engine).await;
        let Scene { owner, guest, human, outside, .. } = &scene;
        let ways: [(&Seat, &[(&str, &str)]); 6] = [
            (owner, &[("expect_mode", "auto")]),
            (guest, &[]),
            (guest, &[("signal", "continue")]),
            (human, &[]),
            (outside, &[]),
            (outside, &[("signal", "blocked")]),
        ];
        for (n, (seat, more)) in ways.into_iter().enumerate() {
            scene.say(seat, more).await;
            assert_eq!(spent(owner).await, (n as u64 + 1, n + 1), "{more:?}");
        }
    }
}
