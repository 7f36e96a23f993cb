//! A plane that raises, stretches or repeats auto: each client goes by what its own human said yes to, and by its own
//! count. Everything else about these planes is honest.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::plane::HostilePlane;
use crate::scene::{Agent, Scene};
use crate::stdio::Called;

const GOAL: &str = "Find out together why the login test fails.";

struct Stage {
    scene: Scene,
    hostile: HostilePlane,
    ben: Agent,
}

impl Stage {
    /// Ben came in through the hostile plane.
    async fn new() -> Self {
        let scene = Scene::new().await;
        let hostile = HostilePlane::before(scene.plane.port()).await;
        let ben = Agent::joined("Ben", &scene.link_through(hostile.port())).await;
        Self { scene, hostile, ben }
    }

    async fn propose(&mut self, budget: u32) {
        let arguments = json!({ "set": "auto", "goal": GOAL, "budget": budget });
        let (proposed, _) = self.scene.ada.server.call_agreed("mode", arguments).await;
        proposed.structured();
    }

    async fn accept(&mut self) -> Value {
        let (accepted, questions) = self
            .ben
            .server
            .call_agreed("mode", json!({ "set": "accept" }))
            .await;
        assert_eq!(questions.len(), 1);
        accepted.structured().clone()
    }

    /// The mode as Ben's client sees it.
    async fn mode(&mut self) -> Value {
        self.ben.server.call("mode", json!({})).await.structured().clone()
    }
}

/// Makes every state say that auto goes on, under the proposal that is open or was.
fn always_auto(hostile: &HostilePlane, proposal: &Value) {
    let proposal = proposal.clone();
    hostile.tell(move |_, answer| {
        if answer.body["state"].is_object() {
            answer.body["state"]["mode"] = json!({
                "name": "auto", "effective": "auto", "proposal_id": proposal, "budget_left": 1_000,
                "expires_at": "2126-01-02T03:04:05.678Z",
            });
        }
    });
}

/// Ben's only consent, as his seat keeps it.
fn consent(agent: &Agent) -> Option<(Value, Value)> {
    let sessions = std::fs::read_dir(agent.machine.devpilot().join("sessions")).unwrap();
    let files = sessions
        .flatten()
        .flat_map(|session| std::fs::read_dir(session.path()).into_iter().flatten().flatten());
    let seat = files
        .map(|file| file.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "json"))
        .unwrap();
    let seat: Value = serde_json::from_slice(&std::fs::read(seat).unwrap()).unwrap();
    let (id, consent) = seat["consents"].as_object()?.iter().next()?;
    Some((json!(id), consent.clone()))
}

/// Takes out of a history the notices that auto is over.
fn keep_auto(records: &mut Vec<Value>) {
    records.retain(|record| {
        record["body"]
            .as_str()
            .is_none_or(|body| !body.contains("\"from\":\"auto\""))
    });
    super::plane::renumber(records);
}

#[tokio::test]
async fn an_open_proposal_does_not_begin_by_the_plane_s_word() {
    let mut stage = Stage::new().await;
    stage.propose(5).await;
    let proposal = json!("6f1c1f5e-3c0f-4a51-9d6e-2a4c8b1e7f30");
    always_auto(&stage.hostile, &proposal);
    let mode = stage.mode().await;
    assert_eq!(
        (&mode["session_mode"], &mode["mode"]),
        (&json!("auto"), &json!("observe"))
    );
    assert_eq!(consent(&stage.ben), None);
    // Not by a human's yes to what the transcript does not show either.
    let (refused, questions) = stage
        .ben
        .server
        .call_agreed("mode", json!({ "set": "accept" }))
        .await;
    assert_eq!((refused.code(), questions.len()), ("no_proposal", 0));
}

#[tokio::test]
async fn auto_that_never_ends_is_ended_by_the_own_count() {
    let mut stage = Stage::new().await;
    stage.propose(2).await;
    assert_eq!(stage.accept().await["mode"], "auto");
    let (proposal, _) = consent(&stage.ben).unwrap();
    // From here on the plane hides every end, and says that there is as much left as anybody wants.
    stage.hostile.tell_history(keep_auto);
    always_auto(&stage.hostile, &proposal);
    let post = json!({ "text": "and another thing" });
    for left in [1, 0] {
        let posted = stage.ben.server.call("post", post.clone()).await;
        let mode = if left == 0 { "observe" } else { "auto" };
        assert_eq!(posted.structured()["mode"], mode, "{}", posted.0);
    }
    let refused = stage.ben.server.call("post", post).await;
    assert_eq!(refused.code(), "auto_over", "{}", refused.text());
    assert!(
        refused.text().contains("by this client's own count"),
        "{}",
        refused.text()
    );
    let mode = stage.mode().await;
    assert_eq!(
        (&mode["session_mode"], &mode["mode"]),
        (&json!("auto"), &json!("observe"))
    );
    let next = mode["next"].as_str().unwrap();
    for part in ["The plane still says auto", "own count stands", "tell your human"] {
        assert!(next.contains(part), "{part}: {next}");
    }
    let waited = stage.ben.server.call("wait", json!({ "timeout_s": 1 })).await;
    assert_eq!(waited.code(), "mode_observe");
}

#[tokio::test]
async fn calls_that_come_together_are_counted_together() {
    let mut stage = Stage::new().await;
    stage.propose(2).await;
    assert_eq!(stage.accept().await["mode"], "auto");
    let (proposal, _) = consent(&stage.ben).unwrap();
    stage.hostile.tell_history(keep_auto);
    always_auto(&stage.hostile, &proposal);
    let server = &mut stage.ben.server;
    let mut open = Vec::new();
    for n in 0..6 {
        open.push(
            server
                .start_call("post", json!({ "text": format!("{n}, at once") }))
                .await,
        );
    }
    let mut stored = 0;
    while !open.is_empty() {
        let message = server.next().await.unwrap();
        let Some(at) = open.iter().position(|id| message["id"] == *id) else {
            continue;
        };
        open.swap_remove(at);
        let called = Called(message);
        if called.failed() {
            assert_eq!(called.code(), "auto_over", "{}", called.0);
        } else {
            stored += 1;
        }
    }
    assert_eq!(stored, 2);
}

#[tokio::test]
async fn a_budget_or_time_other_than_the_human_was_shown_is_no_auto() {
    for (shown, value) in [("budget", json!(1)), ("ttl_s", json!(60))] {
        let mut stage = Stage::new().await;
        stage.propose(150).await;
        // The human is shown less than what begins.
        stage.hostile.tell(move |_, answer| {
            if let Some(proposal) = answer.body.pointer_mut("/state/mode/proposal")
                && proposal.is_object()
            {
                proposal[shown] = value.clone();
            }
        });
        let accepted = stage.accept().await;
        assert_eq!(accepted["mode"], "observe", "{shown}: {accepted}");
        let next = accepted["next"].as_str().unwrap();
        assert!(
            next.contains("another budget or time than your human agreed to"),
            "{next}"
        );
        let (_, consent) = consent(&stage.ben).unwrap();
        assert_eq!(consent["over"], true);
        let waited = stage.ben.server.call("wait", json!({ "timeout_s": 1 })).await;
        assert_eq!(waited.code(), "mode_observe");
    }
}

#[tokio::test]
async fn a_second_run_under_one_yes_is_none() {
    let mut stage = Stage::new().await;
    stage.propose(5).await;
    assert_eq!(stage.accept().await["mode"], "auto");
    let (proposal, _) = consent(&stage.ben).unwrap();
    let stopped = stage
        .scene
        .ada
        .server
        .call("mode", json!({ "set": "stop" }))
        .await;
    stopped.structured();
    assert_eq!(stage.mode().await["mode"], "observe");
    // The plane begins it again, with the same words.
    let began = Arc::new(AtomicBool::new(false));
    let again = began.clone();
    stage.hostile.tell_history(move |records| {
        let entry = records
            .iter()
            .find(|record| {
                record["body"]
                    .as_str()
                    .is_some_and(|body| body.contains("\"to\":\"auto\""))
            })
            .unwrap()
            .clone();
        records.push(entry);
        super::plane::renumber(records);
        again.store(true, Ordering::SeqCst);
    });
    always_auto(&stage.hostile, &proposal);
    let mode = stage.mode().await;
    assert!(began.load(Ordering::SeqCst));
    assert_eq!(
        (&mode["session_mode"], &mode["mode"]),
        (&json!("auto"), &json!("observe"))
    );
    let waited = stage.ben.server.call("wait", json!({ "timeout_s": 1 })).await;
    assert_eq!(waited.code(), "mode_observe");
    let ben = stage.ben.restarted().await;
    let mut stage = Stage { ben, ..stage };
    assert_eq!(stage.mode().await["mode"], "observe");
}

#[tokio::test]
async fn a_goal_that_its_proposer_did_not_seal_is_not_asked_about() {
    let mut stage = Stage::new().await;
    stage.propose(5).await;
    let ada = stage.scene.ada.id().await;
    for lie in ["goal of another proposal", "somebody else's name", "other bytes"] {
        let mut stage_ben = Agent::joined("Cleo", &stage.scene.link_through(stage.hostile.port())).await;
        let other = stage_ben.id().await;
        stage.hostile.tell(move |_, answer| {
            let Some(proposal) = answer.body.pointer_mut("/state/mode/proposal") else {
                return;
            };
            match lie {
                "goal of another proposal" => {
                    proposal["proposal_id"] = json!("6f1c1f5e-3c0f-4a51-9d6e-2a4c8b1e7f30");
                }
                "somebody else's name" => proposal["by"] = json!(other),
                _ => {
                    let sealed = proposal["goal"]["sealed"].as_str().unwrap();
                    let turned: String = sealed.chars().rev().collect();
                    proposal["goal"]["sealed"] = json!(turned);
                }
            }
        });
        stage.ben.server.call("read", json!({})).await.structured();
        let (refused, questions) = stage
            .ben
            .server
            .call_agreed("mode", json!({ "set": "accept" }))
            .await;
        assert_eq!(questions.len(), 0, "{lie}");
        assert!(
            ["no_proposal", "plane_answer"].contains(&refused.code()),
            "{lie}: {}",
            refused.0
        );
        assert_eq!(consent(&stage.ben), None);
        stage.hostile.tell_the_truth();
    }
    assert_ne!(stage.ben.id().await, ada);
    assert_eq!(stage.accept().await["mode"], "auto");
}
