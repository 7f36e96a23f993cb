//! Who is on stage: a plane, Ada who shared a session on it, and whoever joins.

use std::time::Duration;

use serde_json::{Value, json};

use crate::stdio::plane::{Plane, Store};
use crate::stdio::{Called, Machine, Server};

/// Ada's first message.
pub(crate) const CONTEXT: &str = "The login test fails every third run.";
/// The title.
pub(crate) const TITLE: &str = "Flaky login test";

/// One person's machine and the agent that runs on it.
pub(crate) struct Agent {
    pub(crate) machine: Machine,
    pub(crate) server: Server,
}

impl Agent {
    /// Starts an agent whose host can ask its human.
    pub(crate) async fn on(machine: Machine) -> Self {
        let mut server = machine.server();
        server
            .initialize("2025-06-18", json!({ "elicitation": {} }))
            .await;
        Self { machine, server }
    }

    /// Joins by the environment; the answer to `join`.
    pub(crate) async fn join(name: &str, link: &str) -> (Self, Called) {
        let machine = Machine::new()
            .with("DEVPILOT_NAME", name)
            .with("DEVPILOT_SESSION_LINK", link);
        let mut agent = Self::on(machine).await;
        let joined = agent.server.call("join", json!({})).await;
        (agent, joined)
    }

    /// Joins, and that works.
    pub(crate) async fn joined(name: &str, link: &str) -> Self {
        let (agent, joined) = Self::join(name, link).await;
        joined.structured();
        agent
    }

    /// Reads everything, then posts at that head; the seq. Its human says yes to whatever is asked.
    pub(crate) async fn post(&mut self, text: &str) -> u64 {
        self.server.call("read", json!({})).await.structured();
        let (posted, _) = self.server.call_agreed("post", json!({ "text": text })).await;
        posted.structured()["seq"].as_u64().unwrap()
    }

    /// What a post is answered, while its human says no to whatever is asked.
    pub(crate) async fn try_post(&mut self, text: &str) -> Called {
        let id = self.server.start_call("post", json!({ "text": text })).await;
        let no = json!({ "action": "decline" });
        self.server.answer_asked(id, &no).await.0
    }

    /// Everything from the beginning.
    pub(crate) async fn read_all(&mut self) -> Reading {
        let read = self
            .server
            .call("read", json!({ "since": 0, "limit": 200 }))
            .await;
        Reading(read.structured().clone())
    }

    /// Kills the process and starts another on the same machine.
    pub(crate) async fn restarted(self) -> Self {
        self.server.kill().await;
        Self::on(self.machine).await
    }

    /// This participant's id.
    pub(crate) async fn id(&mut self) -> String {
        let who = self.server.call("who", json!({})).await;
        who.structured()["my_id"].as_str().unwrap().to_owned()
    }
}

/// The structured answer to `read`.
pub(crate) struct Reading(pub(crate) Value);

impl Reading {
    /// The message at a seq.
    pub(crate) fn at(&self, seq: u64) -> &Value {
        let messages = self.0["messages"].as_array().unwrap();
        messages
            .iter()
            .find(|message| message["seq"] == seq)
            .unwrap_or_else(|| panic!("nothing at {seq}: {}", self.0))
    }

    /// What is wrong with the message at a seq, by name.
    pub(crate) fn problem(&self, seq: u64) -> Option<&str> {
        self.at(seq)["problem"].as_str()
    }

    /// A message that can't be read: named, without a text.
    #[track_caller]
    pub(crate) fn assert_unreadable(&self, seq: u64, error: &str) {
        let message = self.at(seq);
        assert_eq!(message["problem"], error, "{message}");
        assert!(message.get("text").is_none_or(Value::is_null), "{message}");
    }

    /// A message that holds.
    #[track_caller]
    pub(crate) fn assert_text(&self, seq: u64, text: &str) {
        let message = self.at(seq);
        assert_eq!(message["text"], text, "{message}");
        assert!(message.get("problem").is_none_or(Value::is_null), "{message}");
    }

    /// `ok`, `warning` or `failed`, and the error.
    pub(crate) fn integrity(&self) -> (&str, &str) {
        let integrity = &self.0["integrity"];
        (
            integrity["state"].as_str().unwrap(),
            integrity["error"].as_str().unwrap_or_default(),
        )
    }
}

/// A plane and a session that Ada shared.
pub(crate) struct Scene {
    pub(crate) plane: Plane,
    pub(crate) ada: Agent,
    link: String,
}

impl Scene {
    /// On SQLite.
    pub(crate) async fn new() -> Self {
        Self::on(Plane::start(Store::Sqlite).await).await
    }

    /// On a plane that is there.
    pub(crate) async fn on(plane: Plane) -> Self {
        let (ada, link) = share(&plane, TITLE, CONTEXT).await;
        Self { plane, ada, link }
    }

    /// The full link.
    pub(crate) fn link(&self) -> &str {
        &self.link
    }

    /// The full link as it leads through `port`: its key says nothing about the host.
    pub(crate) fn link_through(&self, port: u16) -> String {
        self.link
            .replace(&format!(":{}/", self.plane.port()), &format!(":{port}/"))
    }
}

/// Ada shares on a plane; she and the link.
pub(crate) async fn share(plane: &Plane, title: &str, context: &str) -> (Agent, String) {
    let mut ada = Agent::on(plane.owner().with("DEVPILOT_NAME", "Ada")).await;
    let shared = ada
        .server
        .call("share", json!({ "title": title, "context": context }))
        .await;
    shared.structured();
    let link = ada.machine.link();
    (ada, link)
}

/// Runs until `done` says so; fails after 20 s.
pub(crate) async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let started = std::time::Instant::now();
    while !done().await {
        assert!(started.elapsed() < Duration::from_secs(20), "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
