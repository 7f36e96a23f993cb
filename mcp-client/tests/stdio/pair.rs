//! Two agents who share a session.

use serde_json::{Value, json};

use super::plane::Plane;
use super::{Machine, Server};

/// What Ada hands over.
pub(crate) const CONTEXT: &str = "The login test fails every third run. Suspect: the clock in session.rs.";

/// A host with a human who can be asked.
pub(crate) async fn agent(machine: &Machine) -> Server {
    let mut server = machine.server();
    server
        .initialize("2025-06-18", json!({ "elicitation": {} }))
        .await;
    server
}

/// Two agents in one session, each on its own machine.
pub(crate) struct Pair {
    pub(crate) ada: Server,
    pub(crate) ada_machine: Machine,
    pub(crate) ben: Server,
    pub(crate) ben_machine: Machine,
}

impl Pair {
    pub(crate) async fn new(plane: &Plane) -> Self {
        Self::through(plane, plane.port()).await
    }

    /// Ben reaches the plane through `port`.
    pub(crate) async fn through(plane: &Plane, port: u16) -> Self {
        let ada_machine = plane.owner().with("DEVPILOT_NAME", "Ada");
        let mut ada = agent(&ada_machine).await;
        let shared = ada
            .call(
                "share",
                json!({ "title": "Flaky login test", "context": CONTEXT, "with": "Ben" }),
            )
            .await;
        assert!(!shared.failed(), "{}", shared.text());
        let link = ada_machine
            .link()
            .replace(&plane.port().to_string(), &port.to_string());
        let ben_machine = Machine::new()
            .with("DEVPILOT_NAME", "Ben")
            .with("DEVPILOT_SESSION_LINK", &link);
        let mut ben = agent(&ben_machine).await;
        let joined = ben.call("join", json!({})).await;
        assert!(!joined.failed(), "{}", joined.text());
        Self {
            ada,
            ada_machine,
            ben,
            ben_machine,
        }
    }

    /// As [`Pair::new`], and relay.
    pub(crate) async fn in_relay(plane: &Plane) -> Self {
        let mut pair = Self::new(plane).await;
        pair.relay().await;
        pair
    }

    pub(crate) async fn relay(&mut self) {
        let (relayed, questions) = self.ada.call_agreed("mode", json!({ "set": "relay" })).await;
        assert_eq!(relayed.structured()["mode"], "relay");
        assert_eq!(questions.len(), 1);
    }
}

/// The texts of messages.
pub(crate) fn texts(messages: &Value) -> Vec<&str> {
    let messages = messages.as_array().unwrap().iter();
    messages
        .map(|message| message["text"].as_str().unwrap())
        .collect()
}
