//! A running MCP server, spoken to one JSON-RPC line at a time.

use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::PATIENCE;

/// A running MCP server and its host's side of the connection.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    next_id: u64,
    meta: Value,
    /// Every line of standard output so far.
    pub(crate) lines: Vec<String>,
}

impl Server {
    /// Starts `command` with pipes.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()).lines(),
            child,
            next_id: 1,
            meta: json!({}),
            lines: Vec::new(),
        }
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// Shakes hands in the way up to 2025-11-25.
    pub(crate) async fn initialize(&mut self, version: &str, capabilities: Value) -> Value {
        let params = json!({
            "protocolVersion": version, "capabilities": capabilities,
            "clientInfo": { "name": "test-host", "version": "1" }
        });
        let answer = self.request("initialize", params).await;
        self.notify("notifications/initialized", json!({})).await;
        answer["result"].clone()
    }

    /// Speaks 2026-07-28 from now on: no handshake, everything in each request.
    pub(crate) fn without_initialize(&mut self, capabilities: Value) {
        self.meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test-host", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities
        });
    }

    /// Sends one message on a line.
    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes()).await;
    }

    /// Sends bytes as they are.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).await.unwrap();
        input.flush().await.unwrap();
    }

    /// Sends a notification.
    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    /// Sends a request without waiting; its id.
    pub(crate) async fn post(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        if let Value::Object(meta) = &self.meta
            && !meta.is_empty()
        {
            for (name, value) in meta {
                params["_meta"][name] = value.clone();
            }
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        id
    }

    /// Starts a tool call; its id.
    pub(crate) async fn start_call(&mut self, tool: &str, arguments: Value) -> u64 {
        let tool = format!("devpilot_session_{tool}");
        self.post("tools/call", json!({ "name": tool, "arguments": arguments }))
            .await
    }

    /// The next line of standard output, which must be JSON-RPC.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(PATIENCE, self.output.next_line())
            .await
            .expect("the server answers")
            .unwrap()?;
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        self.lines.push(line);
        Some(message)
    }

    /// The answer to `id`; what comes before it is passed over.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await.expect("the server is there");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// A request and its answer.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params).await;
        self.answer(id).await
    }

    /// A tool call and its result.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Called {
        let id = self.start_call(tool, arguments).await;
        Called(self.answer(id).await)
    }

    /// Ends the input and waits for the process; what it still answered, how it ended, how long that took.
    pub(crate) async fn close(mut self) -> Closed {
        let started = Instant::now();
        drop(self.input.take());
        let mut answers = Vec::new();
        while let Some(message) = self.next().await {
            answers.push(message);
        }
        let status = self.child.wait().await.unwrap();
        let took = started.elapsed();
        let mut stderr = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .await
            .unwrap();
        Closed {
            answers,
            status,
            took,
            stderr,
            lines: self.lines,
        }
    }

    /// Waits for its end, with the input open.
    pub(crate) async fn wait(mut self) -> ExitStatus {
        tokio::time::timeout(PATIENCE, self.child.wait())
            .await
            .expect("the server ends")
            .unwrap()
    }

    /// Kills it as a crash would.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }
}

/// A server's end.
pub(crate) struct Closed {
    pub(crate) answers: Vec<Value>,
    pub(crate) status: ExitStatus,
    pub(crate) took: Duration,
    pub(crate) stderr: String,
    pub(crate) lines: Vec<String>,
}

impl Server {
    /// The answer to `id`, while a human answers every question with `action`; the questions that were asked.
    pub(crate) async fn answer_asked(&mut self, id: u64, action: &Value) -> (Called, Vec<String>) {
        self.answer_with(id, &json!({ "result": action })).await
    }

    /// As [`Server::answer_asked`], with any JSON-RPC response, without its envelope.
    pub(crate) async fn answer_with(&mut self, id: u64, response: &Value) -> (Called, Vec<String>) {
        let mut questions = Vec::new();
        loop {
            let message = self.next().await.expect("the server is there");
            if message["method"] == "elicitation/create" {
                questions.push(message["params"]["message"].as_str().unwrap().to_owned());
                let mut response = response.clone();
                response["jsonrpc"] = json!("2.0");
                response["id"] = message["id"].clone();
                self.send(&response).await;
            } else if message["id"] == id && message.get("method").is_none() {
                return (Called(message), questions);
            }
        }
    }

    /// A call whose questions are all answered with yes.
    pub(crate) async fn call_agreed(&mut self, tool: &str, arguments: Value) -> (Called, Vec<String>) {
        let id = self.start_call(tool, arguments).await;
        let yes = json!({ "action": "accept", "content": { "confirm": true } });
        self.answer_asked(id, &yes).await
    }
}

/// The answer to a tool call.
pub(crate) struct Called(pub(crate) Value);

impl Called {
    /// Whether it is a tool error.
    pub(crate) fn failed(&self) -> bool {
        self.0["result"]["isError"] == true
    }

    /// The structured form of a success.
    pub(crate) fn structured(&self) -> &Value {
        assert!(!self.failed() && self.0.get("error").is_none(), "{}", self.0);
        &self.0["result"]["structuredContent"]
    }

    /// The text form.
    pub(crate) fn text(&self) -> &str {
        self.0["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("no text: {}", self.0))
    }

    /// The stable code of a tool error.
    pub(crate) fn code(&self) -> &str {
        assert!(self.failed(), "{}", self.0);
        self.0["result"]["_meta"]["devpilot.sh/error"].as_str().unwrap()
    }
}
