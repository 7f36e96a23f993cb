//! A machine with a cockpit, an agent's host that runs the hooks, and a repository.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Child;

use crate::stdio::{Called, Machine, Ran, Server};

/// A cockpit process; it dies with the test.
pub(crate) struct Cockpit {
    child: Child,
    /// What it said as it started.
    pub(crate) said: Value,
}

impl Cockpit {
    /// Starts one on a free port.
    pub(crate) async fn start(machine: &Machine) -> Self {
        let mut child = machine
            .command(["cockpit", "--listen", "127.0.0.1:0", "--json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = tokio::time::timeout(Duration::from_secs(30), lines.next_line()).await;
        let line = line.expect("it starts").unwrap().expect("it says where it is");
        Self {
            child,
            said: serde_json::from_str(&line).unwrap(),
        }
    }

    pub(crate) fn url(&self) -> &str {
        self.said["url"].as_str().unwrap()
    }

    /// Kills it as a crash would.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Asks it to end; its exit code.
    #[cfg(unix)]
    pub(crate) async fn terminate(mut self) -> i32 {
        let pid = self.child.id().unwrap().to_string();
        let sent = tokio::process::Command::new("kill")
            .args(["-TERM", &pid])
            .status()
            .await
            .unwrap();
        assert!(sent.success());
        let ended = tokio::time::timeout(Duration::from_secs(8), self.child.wait()).await;
        ended.expect("it ends in time").unwrap().code().unwrap_or(-1)
    }

    /// Runs the hook line that it printed for an event of Claude Code, as the host does.
    pub(crate) async fn hook(&self, machine: &Machine, event: &str, mut input: Value) -> Ran {
        let command = self.said["settings"]["hooks"][event][0]["hooks"][0]["command"]
            .as_str()
            .unwrap();
        input["hook_event_name"] = event.into();
        run_hook(machine, command, &input).await
    }
}

/// Runs a hook's command line in a shell, with the host's JSON.
pub(crate) async fn run_hook(machine: &Machine, command: &str, input: &Value) -> Ran {
    let mut shell = tokio::process::Command::new("sh");
    shell.args(["-c", command]);
    machine.surround(&mut shell);
    let mut child = shell
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.to_string().as_bytes()).await.unwrap();
    drop(stdin);
    let output = tokio::time::timeout(Duration::from_secs(20), child.wait_with_output())
        .await
        .unwrap()
        .unwrap();
    Ran {
        status: output.status,
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A conversation of an agent in a working tree.
pub(crate) struct Agent<'a> {
    pub(crate) cockpit: &'a Cockpit,
    pub(crate) machine: &'a Machine,
    pub(crate) repository: &'a Repository,
    pub(crate) session: &'a str,
}

impl Agent<'_> {
    pub(crate) async fn event(&self, event: &str, mut more: Value) {
        more["session_id"] = self.session.into();
        more["cwd"] = self.repository.top.to_str().unwrap().into();
        let ran = self.cockpit.hook(self.machine, event, more).await;
        assert_eq!(
            (ran.code(), ran.stdout.as_str(), ran.stderr.as_str()),
            (0, "", ""),
            "{event}"
        );
    }

    /// Its person writes to it; what it does comes after the cockpit has looked.
    pub(crate) async fn prompt(&self, text: &str) {
        self.event("UserPromptSubmit", json!({ "prompt": text })).await;
        let settled = history(self.machine, &self.repository.top, &["."]).await;
        assert_eq!(settled.code(), 0, "{settled}");
    }

    pub(crate) async fn stop(&self, said: &str) {
        self.event(
            "Stop",
            json!({ "stop_hook_active": false, "last_assistant_message": said }),
        )
        .await;
    }

    /// Its turn ends after a check that ended so.
    pub(crate) async fn stop_after(&self, command: &str, failed: bool, said: &str) {
        let entries = [
            json!({ "type": "user", "message": { "role": "user", "content": "Do it" } }),
            json!({ "type": "assistant", "message": { "content": [
                { "type": "tool_use", "id": "toolu_1", "name": "Bash", "input": { "command": command } }] } }),
            json!({ "type": "user", "message": { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "toolu_1", "content": "…", "is_error": failed }] } }),
            json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": said }] } }),
        ];
        let transcript = self.machine.home().join(format!("{}.jsonl", self.session));
        let lines: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
        std::fs::write(&transcript, lines).unwrap();
        // As older hosts do it: what was said stands in the transcript alone.
        self.event(
            "Stop",
            json!({ "stop_hook_active": false, "transcript_path": transcript }),
        )
        .await;
    }
}

/// `history` on the command line, in a folder.
pub(crate) async fn history(machine: &Machine, folder: &Path, paths: &[&str]) -> Ran {
    let mut command = machine.command(["history", "--json"]);
    let output = command
        .args(paths)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    Ran {
        status: output.status,
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// An MCP server in a folder.
pub(crate) async fn server(machine: &Machine, folder: &Path) -> Server {
    let mut server = Server::start(machine.command([]).current_dir(folder));
    server.initialize("2025-11-25", json!({})).await;
    server
}

/// Calls the tool.
pub(crate) async fn ask(server: &mut Server, arguments: Value) -> Called {
    let call = json!({ "name": "devpilot_history", "arguments": arguments });
    let id = server.post("tools/call", call).await;
    Called(server.answer(id).await)
}

/// A working tree.
pub(crate) struct Repository {
    pub(crate) top: PathBuf,
}

impl Repository {
    /// With one commit of these files.
    pub(crate) fn new(machine: &Machine, name: &str, files: &[(&str, &str)]) -> Self {
        let repository = Self {
            top: machine.home().canonicalize().unwrap().join(name),
        };
        std::fs::create_dir_all(&repository.top).unwrap();
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        files.iter().for_each(|(path, text)| repository.write(path, text));
        repository.commit("Begin");
        repository
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let (ok, said) = self.try_git(arguments);
        assert!(ok, "git {arguments:?}: {said}");
        said
    }

    pub(crate) fn try_git(&self, arguments: &[&str]) -> (bool, String) {
        let ran = std::process::Command::new("git")
            .args([
                "-c",
                "user.name=Ada",
                "-c",
                "user.email=ada@example.org",
                "-c",
                "commit.gpgSign=false",
            ])
            .args(arguments)
            .current_dir(&self.top)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat())
            .trim()
            .to_owned();
        (ran.status.success(), said)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.top.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn commit(&self, subject: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", subject]);
        self.git(&["rev-parse", "HEAD"])
    }
}

/// Something that listens, answers every request the same and keeps what it was sent.
pub(crate) struct Listener {
    pub(crate) url: String,
    heard: std::sync::Arc<std::sync::Mutex<Vec<String>>>,
}

impl Listener {
    pub(crate) async fn start(answer: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let keep = heard.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let request = answered(stream, &answer).await;
                keep.lock().unwrap().push(request);
            }
        });
        Self { url, heard }
    }

    /// With a status line, a media type and a body.
    pub(crate) async fn answering(status: &str, media: &str, body: &str) -> Self {
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        Self::start((head + body).into_bytes()).await
    }

    /// Every request so far.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

async fn answered(mut stream: TcpStream, answer: &[u8]) -> String {
    let mut request = Vec::new();
    let mut chunk = [0; 4_096];
    loop {
        let read = stream.read(&mut chunk).await.unwrap_or(0);
        request.extend_from_slice(&chunk[..read]);
        let text = String::from_utf8_lossy(&request).to_ascii_lowercase();
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            body.len() >= length.map_or(0, |length| length.parse().unwrap())
        });
        if read == 0 || whole {
            break;
        }
    }
    // Who asked may not take all of it.
    let _ = stream.write_all(answer).await;
    let _ = stream.shutdown().await;
    String::from_utf8_lossy(&request).into_owned()
}
