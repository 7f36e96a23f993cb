//! Followers over an in-memory connection, told turn by turn without a clock.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use rmcp::ServerHandler;
#[allow(deprecated, reason = "what hosts in use send")]
use rmcp::model::SubscribeRequestParams;
use rmcp::model::{ErrorData, ServerCapabilities, ServerConfig, SubscriptionFilter};
use rmcp::service::{RequestContext, SubscriptionContext, serve_server};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

use super::*;

const SESSION: SessionId = SessionId::from_bytes([7; 16]);

/// Lets whoever asks follow what it names, as the server does for sessions that are there. Of each session it knows
/// everything up to 3.
struct Following(Subscriptions);

impl ServerHandler for Following {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_resources()
                .enable_resources_subscribe()
                .build(),
        )
    }

    #[allow(deprecated, reason = "what hosts in use send")]
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let session = resources::session(&request.uri).unwrap();
        assert!(self.0.subscribe(context.peer, session, 3));
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let wanted = context.accepted().resource_subscriptions.iter().flatten();
        let sessions: Vec<_> = wanted.map(|uri| (resources::session(uri).unwrap(), 3)).collect();
        let _listening = self.0.listen(context.sink().clone(), sessions);
        context.cancelled().await;
        Ok(())
    }
}

/// The host's side.
struct Host {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    subscriptions: Subscriptions,
}

impl Host {
    fn new() -> Self {
        let subscriptions = Subscriptions::default();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = Following(subscriptions.clone());
        let wire = tokio::io::split(theirs);
        tokio::spawn(async move { serve_server(server, wire).await.unwrap().waiting().await });
        let (output, input) = tokio::io::split(ours);
        Self {
            input,
            output: BufReader::new(output).lines(),
            subscriptions,
        }
    }

    async fn send(&mut self, message: Value) {
        self.input
            .write_all(format!("{message}\n").as_bytes())
            .await
            .unwrap();
    }

    async fn next(&mut self) -> Value {
        let line = self.output.next_line().await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Asks something, and what comes up to its answer: news that were sent before come before it.
    async fn until_answered(&mut self, request: Value) -> Vec<Value> {
        let id = request["id"].clone();
        self.send(request).await;
        let mut before = Vec::new();
        loop {
            let message = self.next().await;
            if message["id"] == id {
                return before;
            }
            before.push(message);
        }
    }

    /// A host up to 2025-11-25, which follows the session.
    async fn subscribed() -> Self {
        let mut host = Self::new();
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" }
        });
        host.until_answered(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }))
            .await;
        host.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        let params = json!({ "uri": resources::uri(&SESSION) });
        host.until_answered(
            json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": params }),
        )
        .await;
        host
    }

    /// A request from 2026-07-28 on, with what each of them carries.
    fn later(id: u64, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {}
        });
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
    }

    /// Begins to listen; it is acknowledged.
    async fn listen(&mut self, id: u64) {
        let filter = json!({ "notifications": { "resourceSubscriptions": [resources::uri(&SESSION)] } });
        self.send(Self::later(id, "subscriptions/listen", filter)).await;
        let accepted = self.next().await;
        assert_eq!(accepted["method"], "notifications/subscriptions/acknowledged");
        while self.subscriptions.sessions().is_empty() {
            tokio::task::yield_now().await;
        }
    }

    /// How many news come of a turn in which `newest` is the newest message by others.
    async fn news(&mut self, newest: u64, probe: Value) -> usize {
        self.subscriptions.tell(&SESSION, newest).await;
        let told = self.until_answered(probe).await;
        for message in &told {
            assert_eq!(message["method"], "notifications/resources/updated");
            assert_eq!(message["params"]["uri"], resources::uri(&SESSION));
        }
        told.len()
    }
}

/// Turns come every few seconds, news do not.
#[tokio::test]
async fn each_news_is_told_once_and_not_at_each_turn() {
    let mut host = Host::subscribed().await;
    let mut told = Vec::new();
    for (id, newest) in (2..).zip([3, 4, 4, 4, 9, 9]) {
        let probe = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
        told.push(host.news(newest, probe).await);
    }
    assert_eq!(told, [0, 1, 0, 0, 1, 0], "3 was known when it began to follow");
}

#[tokio::test]
async fn a_listening_request_that_ended_is_told_no_more_and_nothing_is_fetched_for_it() {
    let mut host = Host::new();
    host.listen(1).await;
    let probe = |id| Host::later(id, "tools/list", json!({}));
    assert_eq!(host.news(4, probe(2)).await, 1);
    assert_eq!(host.news(4, probe(3)).await, 0);
    let ended = json!({ "requestId": 1 });
    host.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": ended }))
        .await;
    // Its end is a task of its own. What is still followed is still read from the plane at every turn.
    tokio::time::timeout(std::time::Duration::from_secs(10), async {
        while !host.subscriptions.sessions().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("it is followed no longer");
    assert_eq!(host.news(5, probe(4)).await, 0);
}

/// Two requests on one connection: the end of one leaves the other.
#[tokio::test]
async fn the_end_of_one_listening_request_ends_no_other() {
    let mut host = Host::new();
    host.listen(1).await;
    host.listen(2).await;
    while host.subscriptions.followers().len() < 2 {
        tokio::task::yield_now().await;
    }
    let probe = |id| Host::later(id, "tools/list", json!({}));
    assert_eq!(host.news(4, probe(3)).await, 2);
    let ended = json!({ "requestId": 1 });
    host.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": ended }))
        .await;
    tokio::time::timeout(std::time::Duration::from_secs(10), async {
        while host.subscriptions.followers().len() > 1 {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("one is left");
    assert_eq!(host.news(5, probe(4)).await, 1);
}
