//! A client as a host runs it: a process, spoken to over standard input and output, one JSON-RPC line at a time.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// How long a client may take to answer anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// A machine with a home of its own.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    program: PathBuf,
    home: PathBuf,
    variables: Vec<(&'static str, String)>,
}

impl Machine {
    /// A machine of this name, in a folder.
    ///
    /// # Errors
    /// The home can't be made.
    pub(crate) fn new(program: &Path, folder: &Path, name: &str) -> Result<Self> {
        let home = folder.join(name);
        std::fs::create_dir_all(&home)?;
        let machine = Self {
            program: program.to_owned(),
            home,
            variables: Vec::new(),
        };
        Ok(machine
            .with("DEVPILOT_CLIPBOARD", "off")
            .with("DEVPILOT_NAME", name))
    }

    /// With one more variable.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Starts the client.
    ///
    /// # Errors
    /// It can't be started.
    pub(crate) fn start(&self) -> Result<Client> {
        let started = Instant::now();
        let mut child = Command::new(&self.program)
            .env_clear()
            .env("HOME", &self.home)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} can't be started", self.program.display()))?;
        let input = child.stdin.take().context("a process without an input")?;
        let output = child.stdout.take().context("a process without an output")?;
        Ok(Client {
            id: child.id().context("the client ended early")?,
            child,
            started,
            input,
            output: BufReader::with_capacity(64 * 1_024, output).lines(),
            next: 1,
        })
    }
}

/// A client that runs. Dropped, it is killed.
#[derive(Debug)]
pub(crate) struct Client {
    child: Child,
    id: u32,
    /// When it was started.
    pub(crate) started: Instant,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    next: u64,
}

impl Client {
    /// Its process id.
    pub(crate) const fn id(&self) -> u32 {
        self.id
    }

    /// Shakes hands, as a host whose human can be asked.
    ///
    /// # Errors
    /// It answers something else.
    pub(crate) async fn initialize(&mut self) -> Result<()> {
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "bench", "version": "1" }
        });
        let number = self.request("initialize", params).await?;
        self.answer(number).await?;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await
    }

    async fn send(&mut self, message: &Value) -> Result<()> {
        self.input.write_all(format!("{message}\n").as_bytes()).await?;
        Ok(())
    }

    /// Sends a request; its number.
    ///
    /// # Errors
    /// The process is gone.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Result<u64> {
        let number = self.next;
        self.next += 1;
        let message = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params });
        self.send(&message).await?;
        Ok(number)
    }

    /// Starts a tool; its number.
    ///
    /// # Errors
    /// The process is gone.
    pub(crate) async fn start(&mut self, tool: &str, arguments: Value) -> Result<u64> {
        let params = json!({ "name": format!("devpilot_session_{tool}"), "arguments": arguments });
        self.request("tools/call", params).await
    }

    /// The next line.
    ///
    /// # Errors
    /// The process is gone.
    pub(crate) async fn line(&mut self) -> Result<String> {
        let line = tokio::time::timeout(PATIENCE, self.output.next_line())
            .await
            .context("the client does not answer")??;
        line.context("the client ended")
    }

    /// The result of a request. Its human says yes to every question meanwhile.
    ///
    /// # Errors
    /// An error instead.
    pub(crate) async fn answer(&mut self, number: u64) -> Result<Value> {
        loop {
            let mut message: Value = serde_json::from_str(&self.line().await?)?;
            if message
                .get("method")
                .is_some_and(|method| method == "elicitation/create")
            {
                let agreed = agreed(&message);
                self.send(&agreed).await?;
            } else if message.get("id").is_some_and(|id| *id == number) && message.get("method").is_none() {
                return match message.get_mut("result") {
                    Some(result) => Ok(result.take()),
                    None => bail!("the client answered {message}"),
                };
            }
        }
    }

    /// What a tool gives.
    ///
    /// # Errors
    /// The tool refused.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        let number = self.start(tool, arguments).await?;
        structured(self.answer(number).await?).with_context(|| tool.to_owned())
    }

    /// Ends it as a host does.
    pub(crate) async fn close(self) {
        let Self { mut child, input, .. } = self;
        drop(input);
        if tokio::time::timeout(PATIENCE, child.wait()).await.is_err() {
            let _gone = child.kill().await;
        }
    }
}

/// The structured content of a tool's result.
///
/// # Errors
/// The tool refused.
pub(crate) fn structured(mut result: Value) -> Result<Value> {
    let failed = result.get("isError").and_then(Value::as_bool).unwrap_or_default();
    ensure!(!failed, "the tool refused: {result}");
    Ok(result
        .get_mut("structuredContent")
        .map(Value::take)
        .unwrap_or_default())
}

/// The first choice of every field of a question.
fn agreed(question: &Value) -> Value {
    let fields = question
        .pointer("/params/requestedSchema/properties")
        .and_then(Value::as_object);
    let content: serde_json::Map<String, Value> = fields
        .into_iter()
        .flatten()
        .map(|(name, field)| {
            (
                name.clone(),
                field.pointer("/enum/0").cloned().unwrap_or(Value::Bool(true)),
            )
        })
        .collect();
    let id = question.get("id").cloned().unwrap_or_default();
    json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "accept", "content": content } })
}
