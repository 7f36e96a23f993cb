//! The server over an in-memory connection, with tools made for the test: what no real verb does on purpose.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rmcp::service::serve_server;
use schemars::JsonSchema;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;

use super::delivery::Deliveries;
use super::groups::Shown;
use super::server::SessionServer;
use super::toolbox::{Entry, Hints, Outcome, Toolbox};
use super::transport::Connection;
use crate::verbs::{Ask, Failure, Purpose, Question, code};

#[derive(JsonSchema)]
struct Nothing {}

/// Counts the cursor moves of `moves`.
static MOVED: AtomicU64 = AtomicU64::new(0);

/// Counts the cursor moves of `moves_late`.
static MOVED_LATE: AtomicU64 = AtomicU64::new(0);

const HINTS: Hints = Hints {
    read_only: true,
    destructive: false,
    idempotent: true,
};

fn outcome(structured: Value) -> Outcome {
    Outcome {
        text: structured.to_string(),
        structured,
        revealed: None,
        due: Box::pin(async { Ok(()) }),
    }
}

fn moving(counter: &'static AtomicU64) -> Outcome {
    let mut outcome = outcome(json!({}));
    outcome.due = Box::pin(async {
        counter.fetch_add(1, Ordering::SeqCst);
        Ok(())
    });
    outcome
}

fn toolbox() -> Toolbox {
    let entry = |name, run| Entry::new::<Nothing, Nothing>(name, name, name, HINTS, run);
    Toolbox::new(vec![
        entry("panics", |_, _, _| {
            Box::pin(async { panic!("dp1faaaabbbbccccddddeeeeffffgggg") })
        }),
        entry("leaks", |_, _, _| {
            Box::pin(async {
                Ok(outcome(
                    json!({ "text": "see https://x.example/s/1#dp1faaaabbbbccccddddeeee", "none": null }),
                ))
            })
        }),
        entry("moves", |_, _, _| Box::pin(async { Ok(moving(&MOVED)) })),
        entry("moves_late", |_, _, host| {
            Box::pin(async move {
                host.cancelled().cancelled().await;
                Ok(moving(&MOVED_LATE))
            })
        }),
        entry("waits", |_, _, host| {
            Box::pin(async move {
                host.cancelled().cancelled().await;
                Err(Failure::new(code::CANCELLED, "The call was cancelled."))
            })
        }),
        entry("sleeps", |_, _, _| {
            Box::pin(async {
                tokio::time::sleep(Duration::from_secs(48)).await;
                Ok(outcome(json!({})))
            })
        }),
        entry("asks", |_, _, host| {
            Box::pin(async move {
                let question = Question {
                    purpose: Purpose::Relay,
                    session: "A title".into(),
                    text: "Go to relay?".into(),
                    subject: "relay".into(),
                };
                match host.ask(&question).await {
                    Ask::Deferred => Err(Failure::new(code::ASK_DEFERRED, "asked")),
                    answer => Ok(outcome(json!({ "answer": format!("{answer:?}") }))),
                }
            })
        }),
    ])
    .without(vec!["hidden"])
}

/// The host's side of a connection to a server of the tools above.
struct Client {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    closing: CancellationToken,
}

impl Client {
    fn new() -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(theirs);
        let (deliveries, closing) = (Deliveries::default(), CancellationToken::new());
        let wire = Connection::new(input, output, deliveries.clone(), CancellationToken::new());
        let shown = Shown {
            instructions: String::new(),
            toolbox: toolbox(),
            sessions: false,
        };
        let server = SessionServer::new(shown, deliveries, closing.clone(), CancellationToken::new());
        tokio::spawn(async move { serve_server(server, wire).await.unwrap().waiting().await });
        let (output, input) = tokio::io::split(ours);
        Self {
            input,
            output: BufReader::new(output).lines(),
            closing,
        }
    }

    async fn initialized(capabilities: Value) -> Self {
        let mut client = Self::new();
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" }
        });
        client
            .send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }))
            .await;
        assert_eq!(client.next().await["result"]["protocolVersion"], "2025-06-18");
        client
            .send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        client
    }

    async fn send(&mut self, message: Value) {
        let line = format!("{message}\n");
        self.input.write_all(line.as_bytes()).await.unwrap();
    }

    async fn call(&mut self, id: u64, tool: &str, extra: Value) {
        let mut params = json!({ "name": tool, "arguments": {} });
        for (name, value) in extra.as_object().unwrap() {
            params[name] = value.clone();
        }
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
            .await;
    }

    async fn next(&mut self) -> Value {
        let line = self
            .output
            .next_line()
            .await
            .unwrap()
            .expect("the server answers");
        serde_json::from_str(&line).unwrap()
    }
}

#[tokio::test]
async fn a_panic_is_a_tool_error_and_the_server_goes_on() {
    let mut client = Client::initialized(json!({})).await;
    client.call(1, "panics", json!({})).await;
    let answer = client.next().await;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(answer["result"]["_meta"]["devpilot.sh/error"], "internal");
    assert!(!answer.to_string().contains("aaaabbbb"), "{answer}");
    client.call(2, "leaks", json!({})).await;
    assert_eq!(client.next().await["id"], 2);
}

#[tokio::test]
async fn links_and_nulls_stay_out_of_both_forms() {
    let mut client = Client::initialized(json!({})).await;
    client.call(1, "leaks", json!({})).await;
    let result = client.next().await["result"].clone();
    let clean = "see https://x.example/s/1#[session link withheld]";
    assert_eq!(result["structuredContent"], json!({ "text": clean }));
    assert!(
        result["content"][0]["text"].as_str().unwrap().contains(clean),
        "{result}"
    );
    assert!(!result.to_string().contains("aaaabbbb"));
}

#[tokio::test]
async fn a_tool_that_a_setting_leaves_out_is_refused_with_a_sentence() {
    let mut client = Client::initialized(json!({})).await;
    client.call(1, "hidden", json!({})).await;
    let result = client.next().await["result"].clone();
    assert_eq!(result["isError"], true);
    assert_eq!(result["_meta"]["devpilot.sh/error"], "tool_left_out");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("DEVPILOT_MCP_TOOLS limits it to other groups"),
        "{text}"
    );
}

#[tokio::test]
async fn without_the_group_of_sessions_there_are_no_prompts_and_no_transcripts() {
    let mut client = Client::initialized(json!({})).await;
    let uri = "devpilot://sessions/00000000-0000-0000-0000-000000000000/transcript";
    let requests = [
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "share" })),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": uri })),
        ("resources/subscribe", json!({ "uri": uri })),
    ];
    for (id, (method, params)) in (1..).zip(requests) {
        client
            .send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        assert_eq!(client.next().await["error"]["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn the_cursor_moves_once_the_answer_is_written() {
    let mut client = Client::initialized(json!({})).await;
    client.call(1, "moves", json!({})).await;
    assert_eq!(client.next().await["id"], 1);
    client.call(2, "leaks", json!({})).await;
    assert_eq!(client.next().await["id"], 2);
    assert_eq!(MOVED.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_has_no_answer_and_the_next_one_has() {
    let mut client = Client::initialized(json!({})).await;
    client.call(1, "waits", json!({})).await;
    let params = json!({ "requestId": 1, "reason": "enough" });
    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    client.call(2, "leaks", json!({})).await;
    assert_eq!(client.next().await["id"], 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_given_up_moves_no_cursor_even_if_it_finished() {
    let mut client = Client::initialized(json!({})).await;
    client.call(1, "moves_late", json!({})).await;
    let params = json!({ "requestId": 1 });
    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    for id in [2, 1] {
        client.call(id, "leaks", json!({})).await;
        assert_eq!(client.next().await["id"], id);
    }
    assert_eq!(MOVED_LATE.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_waiting_call_does_not_hold_up_others_and_answers_when_the_process_ends() {
    let mut client = Client::initialized(json!({})).await;
    client.call(1, "waits", json!({})).await;
    client.call(2, "leaks", json!({})).await;
    assert_eq!(client.next().await["id"], 2);
    client.closing.cancel();
    let answer = client.next().await;
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["result"]["_meta"]["devpilot.sh/error"], "cancelled");
}

#[tokio::test(start_paused = true)]
async fn progress_rises_at_least_every_15_seconds_for_those_who_asked() {
    let mut client = Client::initialized(json!({})).await;
    let started = tokio::time::Instant::now();
    client
        .call(1, "sleeps", json!({ "_meta": { "progressToken": "token" } }))
        .await;
    let (mut last, mut at, mut reports) = (0.0, Duration::ZERO, 0);
    loop {
        let message = client.next().await;
        assert!(started.elapsed() - at <= Duration::from_secs(15));
        at = started.elapsed();
        if message["id"] == 1 {
            break;
        }
        assert_eq!(message["params"]["progressToken"], "token");
        let value = message["params"]["progress"].as_f64().unwrap();
        assert!(value > last, "{value} after {last}");
        (last, reports) = (value, reports + 1);
    }
    assert!(reports >= 3, "{reports}");

    client.call(2, "sleeps", json!({})).await;
    assert_eq!(client.next().await["id"], 2, "nothing before the answer");
}

#[tokio::test(start_paused = true)]
async fn the_human_is_asked_while_the_call_waits() {
    let answers = [
        (
            json!({ "action": "accept", "content": { "confirm": true } }),
            "Yes",
        ),
        (
            json!({ "action": "accept", "content": { "confirm": false } }),
            "No",
        ),
        (json!({ "action": "accept", "content": {} }), "Empty"),
        (json!({ "action": "accept" }), "Empty"),
        (json!({ "action": "decline" }), "No"),
        (json!({ "action": "cancel" }), "Dismissed"),
    ];
    let mut client = Client::initialized(json!({ "elicitation": {} })).await;
    for (id, (answer, read)) in (1..).zip(answers) {
        client.call(id, "asks", json!({})).await;
        let question = client.next().await;
        assert_eq!(question["method"], "elicitation/create");
        assert_eq!(question["params"]["message"], "Go to relay?");
        assert_eq!(
            question["params"]["requestedSchema"]["required"],
            json!(["confirm"])
        );
        client
            .send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }))
            .await;
        assert_eq!(client.next().await["result"]["structuredContent"]["answer"], read);
    }
}

#[tokio::test(start_paused = true)]
async fn an_unanswered_question_times_out_after_45_seconds() {
    let mut client = Client::initialized(json!({ "elicitation": {} })).await;
    let started = tokio::time::Instant::now();
    client.call(1, "asks", json!({})).await;
    assert_eq!(client.next().await["method"], "elicitation/create");
    let answer = loop {
        let message = client.next().await;
        if message["id"] == 1 {
            break message;
        }
    };
    assert_eq!(answer["result"]["structuredContent"]["answer"], "TimedOut");
    assert_eq!(started.elapsed().as_secs(), 45);
}

#[tokio::test]
async fn a_host_without_elicitation_can_t_ask() {
    let mut client = Client::initialized(json!({})).await;
    client.call(1, "asks", json!({})).await;
    assert_eq!(
        client.next().await["result"]["structuredContent"]["answer"],
        "CannotAsk"
    );
}

#[tokio::test]
async fn without_initialize_the_human_is_asked_in_a_second_round() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} }
    });
    let mut client = Client::new();
    client.call(1, "asks", json!({ "_meta": meta })).await;
    let first = client.next().await["result"].clone();
    assert_eq!(first["resultType"], "input_required");
    let asked = &first["inputRequests"]["consent"];
    assert_eq!(asked["method"], "elicitation/create");
    assert_eq!(asked["params"]["message"], "Go to relay?");

    let yes = json!({ "consent": { "action": "accept", "content": { "confirm": true } } });
    let forged = json!({ "_meta": meta, "inputResponses": yes, "requestState": "made up" });
    client.call(2, "asks", forged).await;
    assert_eq!(client.next().await["result"]["resultType"], "input_required");

    let second = json!({ "_meta": meta, "inputResponses": yes, "requestState": first["requestState"] });
    client.call(3, "asks", second.clone()).await;
    assert_eq!(
        client.next().await["result"]["structuredContent"]["answer"],
        "Yes"
    );

    client.call(4, "asks", second).await;
    assert_eq!(client.next().await["result"]["resultType"], "input_required");
}
