//! A cockpit on a free port, and real repositories to tell it of.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use cockpit::address::{self, Address};
use cockpit::{Cockpit, Settings};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A cockpit that serves.
pub(crate) struct Running {
    pub(crate) address: Address,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

/// A folder for one machine's cockpit and repositories.
pub(crate) struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings {
            listen: "127.0.0.1:0".parse().unwrap(),
            folder: self.path().join("cockpit"),
            data: self.path().join("cockpit"),
        }
    }

    pub(crate) async fn start(&self) -> Running {
        let cockpit = Cockpit::start(&self.settings()).await.unwrap();
        let address = address::find(&self.settings().folder).expect("it can be found");
        assert_eq!(address.url, format!("http://{}", cockpit.listens()));
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(cockpit.serve(async move { drop(stopped.await) }));
        Running {
            address,
            stop,
            serving,
        }
    }

    /// A repository with one commit of these files.
    pub(crate) fn repository(&self, name: &str, files: &[(&str, &str)]) -> Repository {
        self.repository_of("sha1", name, files)
    }

    /// The same, with its objects named by this hash.
    pub(crate) fn repository_of(&self, format: &str, name: &str, files: &[(&str, &str)]) -> Repository {
        let repository = Repository {
            top: self.path().join(name),
        };
        std::fs::create_dir_all(&repository.top).unwrap();
        let format = format!("--object-format={format}");
        repository.git(&["init", "--quiet", "--initial-branch=main", &format]);
        for (path, text) in files {
            repository.write(path, text);
        }
        repository.commit("Begin");
        repository
    }
}

/// A working tree.
pub(crate) struct Repository {
    pub(crate) top: PathBuf,
}

impl Repository {
    pub(crate) fn at(top: PathBuf) -> Self {
        Self { top }
    }

    /// Runs git; its output.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let (ok, output) = self.try_git(arguments);
        assert!(ok, "git {arguments:?}: {output}");
        output
    }

    pub(crate) fn try_git(&self, arguments: &[&str]) -> (bool, String) {
        let ran = Command::new("git")
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
        let text = [ran.stdout, ran.stderr].concat();
        (
            ran.status.success(),
            String::from_utf8_lossy(&text).trim().to_owned(),
        )
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.top.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Commits everything; the commit's id.
    pub(crate) fn commit(&self, subject: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", subject]);
        self.git(&["rev-parse", "HEAD"])
    }
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Running {
    /// Sends exactly this.
    pub(crate) async fn raw(&self, request: &str) -> Answer {
        let address = self.address.url.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            body: serde_json::from_str(body).unwrap_or(Value::Null),
            head: head.to_ascii_lowercase(),
        }
    }

    pub(crate) async fn post(&self, route: &str, body: &Value) -> Answer {
        let (body, token) = (body.to_string(), &self.address.token);
        let length = body.len();
        self.raw(&format!(
            "POST {route} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Authorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
        .await
    }

    /// An event of one session in a folder.
    pub(crate) async fn tell(&self, session: &str, folder: &Path, event: &str, more: Value) -> Value {
        let mut body = json!({ "event": event, "host": "test", "session": session, "folder": folder });
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        let answer = self.post("/v1/events", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    /// A task begins; nothing happens to its files before the cockpit has looked at them.
    pub(crate) async fn begin(&self, session: &str, folder: &Path, title: &str) {
        self.tell(session, folder, "task_started", json!({ "title": title }))
            .await;
        self.ask(folder, &["anything"]).await;
    }

    pub(crate) async fn finish(&self, session: &str, folder: &Path, report: &str) {
        self.tell(
            session,
            folder,
            "task_ended",
            json!({ "end": "finished", "report": report }),
        )
        .await;
    }

    pub(crate) async fn ask(&self, folder: &Path, paths: &[&str]) -> Value {
        let answer = self
            .post(
                "/v1/history",
                &json!({ "repo": { "folder": folder }, "paths": paths }),
            )
            .await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    /// Stops it as SIGTERM does.
    pub(crate) async fn stop(self) {
        self.stop.send(()).unwrap();
        self.serving.await.unwrap();
    }
}

/// The titles of the tasks of an answer.
pub(crate) fn titles(history: &Value) -> Vec<&str> {
    history["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["title"].as_str().unwrap())
        .collect()
}

/// The files of a task.
pub(crate) fn files(task: &Value) -> Vec<&str> {
    task["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file.as_str().unwrap())
        .collect()
}
