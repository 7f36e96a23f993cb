//! A client's machine, and commands that run on it to their end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::server::Server;
use super::{PATIENCE, binary};

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

    /// The link in the note that was made last.
    pub(crate) fn link_of_the_newest_note(&self) -> String {
        let notes = std::fs::read_dir(self.devpilot().join("handoffs")).unwrap();
        let notes = notes.map(|entry| entry.unwrap().path());
        let newest = notes.max_by_key(|path| path.metadata().unwrap().modified().unwrap());
        link_in(&std::fs::read_to_string(newest.unwrap()).unwrap())
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
        ran(&mut self.command(arguments), input).await
    }

    /// Starts the MCP server.
    pub(crate) fn server(&self) -> Server {
        Server::start(&mut self.command([]))
    }
}

/// Runs a command to its end.
pub(crate) async fn ran(command: &mut Command, input: &[u8]) -> Ran {
    let mut child = command
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
