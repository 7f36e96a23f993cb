//! The real binary, driven over its real standard input and output, one JSON-RPC line at a time.
#![allow(dead_code, unused_imports, reason = "each test file uses its part")]
#![allow(clippy::print_stderr, reason = "what is skipped is said")]

pub(crate) mod plane;
pub(crate) mod proxy;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// The longest any single answer may take.
const PATIENCE: Duration = Duration::from_secs(70);

/// The binary under test.
pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_devpilot-session"))
}

/// One client's machine: a home folder of its own and nothing else in the environment.
pub(crate) struct Machine {
    folder: tempfile::TempDir,
    variables: BTreeMap<String, String>,
}

impl Machine {
    /// With `HOME`, `PATH` and no clipboard.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let machine = Self {
            variables: BTreeMap::new(),
            folder,
        };
        machine.with("DEVPILOT_CLIPBOARD", "off")
    }

    /// With one more variable.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Without one.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.variables.remove(name);
        self
    }

    /// The home folder.
    pub(crate) fn home(&self) -> &Path {
        self.folder.path()
    }

    /// The client's own folder in it.
    pub(crate) fn devpilot(&self) -> PathBuf {
        self.home().join(".devpilot")
    }

    /// The binary with these arguments and exactly this machine's environment, in its home folder.
    pub(crate) fn command<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = Command::new(binary());
        command.args(arguments);
        self.surround(&mut command);
        command
    }

    /// Gives a command this machine's environment and nothing else.
    pub(crate) fn surround(&self, command: &mut Command) {
        command
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(&self.variables)
            .current_dir(self.home())
            .kill_on_drop(true);
    }

    /// What a human does who sends the note on: the link out of the only handoff file there is.
    pub(crate) fn link(&self) -> String {
        let notes: Vec<PathBuf> = std::fs::read_dir(self.devpilot().join("handoffs"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert_eq!(notes.len(), 1, "{notes:?}");
        link_in(&std::fs::read_to_string(&notes[0]).unwrap())
    }

    /// Every secret that this machine keeps in its files: keys, tokens, links.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let mut secrets = Vec::new();
        let mut folders = vec![self.devpilot()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(text) = std::fs::read_to_string(&path) {
                    secrets.extend(secrets_in(&text));
                }
            }
        }
        secrets
    }

    /// Runs a command to its end.
    pub(crate) async fn run<const N: usize>(&self, arguments: [&str; N], input: &[u8]) -> Ran {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A command that reads no input may be gone before it was written.
        let _ = stdin.write_all(input).await;
        drop(stdin);
        let output = tokio::time::timeout(PATIENCE, child.wait_with_output())
            .await
            .expect("the command ends")
            .unwrap();
        Ran {
            status: output.status,
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Starts the MCP server.
    pub(crate) fn server(&self) -> Server {
        Server::start(&mut self.command([]))
    }
}

/// The link in a note: alone on its line.
pub(crate) fn link_in(note: &str) -> String {
    let link = note
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with("http") && line.contains("#dp1"));
    link.unwrap_or_else(|| panic!("no link in the note")).to_owned()
}

/// Link keys, tokens, and the values of members that hold keys, in a file of the client.
fn secrets_in(text: &str) -> Vec<String> {
    let mut secrets = Vec::new();
    for word in text.split(|symbol: char| !(symbol.is_ascii_alphanumeric() || symbol == '_' || symbol == '-'))
    {
        let token = ["dps_", "dpm_", "dpa_", "dp1f", "dp1v"]
            .iter()
            .any(|prefix| word.starts_with(prefix));
        // 32 bytes in base64url; those that are public are told apart by their names.
        if token && word.len() > 20 {
            secrets.push(word.to_owned());
        }
    }
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        named_secrets(&value, &mut secrets);
    }
    secrets
}

fn named_secrets(value: &Value, secrets: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member.as_str() {
                    Some(text)
                        if ["secret", "seed", "sk", "token", "key", "full", "view"]
                            .contains(&name.as_str()) =>
                    {
                        secrets.push(text.to_owned());
                    }
                    _ => named_secrets(member, secrets),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| named_secrets(item, secrets)),
        _ => {}
    }
}

/// What a command left behind.
pub(crate) struct Ran {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// The exit code.
    pub(crate) fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}\nstdout: {}\nstderr: {}",
            self.status, self.stdout, self.stderr
        )
    }
}

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

    /// Sends one line as it is.
    pub(crate) async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(line.as_bytes()).await.unwrap();
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
        let mut questions = Vec::new();
        loop {
            let message = self.next().await.expect("the server is there");
            if message["method"] == "elicitation/create" {
                questions.push(message["params"]["message"].as_str().unwrap().to_owned());
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": action }))
                    .await;
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
