//! Two agents on their way into auto.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::pair::Pair;
use super::plane::Plane;
use super::{Called, Machine, Server};

/// What auto is proposed for.
pub(crate) const GOAL: &str = "Find out together why the login test fails.";
/// What the plane and two processes may take beside the time that is waited for.
pub(crate) const AT_ONCE: Duration = Duration::from_secs(3);

/// Proposes auto; its human says yes. The questions.
pub(crate) async fn propose(server: &mut Server, budget: u64) -> Vec<String> {
    let arguments = json!({ "set": "auto", "goal": GOAL, "budget": budget });
    let (proposed, questions) = server.call_agreed("mode", arguments).await;
    assert_eq!(proposed.structured()["proposal"]["mine"], true, "{}", proposed.0);
    assert_eq!(proposed.structured()["mode"], "observe", "one yes is not enough");
    questions
}

/// Accepts; its human says yes. The answer and the questions.
pub(crate) async fn accept(server: &mut Server) -> (Called, Vec<String>) {
    server.call_agreed("mode", json!({ "set": "accept" })).await
}

/// Both in auto.
pub(crate) async fn in_auto(plane: &Plane, budget: u64) -> Pair {
    let mut pair = Pair::new(plane).await;
    propose(&mut pair.ada, budget).await;
    let (accepted, _) = accept(&mut pair.ben).await;
    assert_eq!(accepted.structured()["mode"], "auto", "{}", accepted.0);
    pair.ada.call("read", json!({})).await.structured();
    pair.ben.call("read", json!({})).await.structured();
    pair
}

/// Every proposal that a human of this machine said yes to.
pub(crate) fn consents(machine: &Machine) -> Vec<Value> {
    let mut found = Vec::new();
    for session in std::fs::read_dir(machine.devpilot().join("sessions"))
        .unwrap()
        .flatten()
    {
        for file in std::fs::read_dir(session.path()).into_iter().flatten().flatten() {
            if file
                .path()
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                let seat: Value = serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap();
                found.extend(seat["consents"].as_object().unwrap().values().cloned());
            }
        }
    }
    found
}
/// Waits until somebody else waits.
pub(crate) async fn listening(server: &mut Server) {
    let started = Instant::now();
    loop {
        let who = server.call("who", json!({})).await;
        let others = who.structured()["participants"].as_array().unwrap().iter();
        if others
            .clone()
            .any(|one| one["me"] == false && one["listening"] == true)
        {
            return;
        }
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "nobody waits: {}",
            who.0
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
