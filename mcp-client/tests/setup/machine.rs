//! A reader's machine: a checkout with the built programs, and stand-ins for the programs that are not ours.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::stdio::{Machine, Ran, Server, binary};

/// A host: it keeps what it is told to add, and says yes to everything else it is asked.
const HOST: &str = r#"#!/bin/sh
case " $* " in
*" add "* | *" --add-mcp "*) printf '%s\n' "$@" >"$HOME/told" ;;
*) printf '%s\n' "$(basename "$0") $*" >>"$HOME/asked" ;;
esac
"#;

/// The package, once it is published.
const NPX: &str = r#"#!/bin/sh
[ "$1 $2" = "-y @devpilot.sh/mcp-session" ] || exit 9
shift 2
exec "PROGRAM" "$@"
"#;

const NPM: &str = r#"#!/bin/sh
[ "$*" = "install --global @devpilot.sh/mcp-session" ] || exit 9
ln -s "PROGRAM" "$(dirname "$0")/devpilot-session"
"#;

/// The command interpreter of Windows, as far as a host's settings use it.
const CMD: &str = r#"#!/bin/sh
[ "$1" = /c ] || exit 9
shift
exec "$@"
"#;

/// What a reader has before the first step.
pub(crate) struct Reader {
    pub(crate) machine: Machine,
    folder: tempfile::TempDir,
}

impl Reader {
    /// With this home, a checkout in which `make run` has built the programs, and every host installed.
    pub(crate) fn new(machine: Machine) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let reader = Self { machine, folder };
        let release = reader.checkout().join("target/release");
        std::fs::create_dir_all(&release).unwrap();
        std::os::unix::fs::symlink(binary(), release.join("devpilot-session")).unwrap();
        std::fs::create_dir_all(reader.programs()).unwrap();
        for host in ["claude", "codex", "gemini", "opencode", "code"] {
            reader.program(host, HOST);
        }
        for (name, text) in [("npx", NPX), ("npm", NPM), ("cmd", CMD)] {
            reader.program(name, &text.replace("PROGRAM", binary().to_str().unwrap()));
        }
        let path = format!("{}:/usr/bin:/bin", reader.programs().display());
        Self {
            machine: reader.machine.with("PATH", &path),
            folder: reader.folder,
        }
    }

    /// The folder of the checkout.
    pub(crate) fn checkout(&self) -> PathBuf {
        self.folder.path().join("checkout")
    }

    fn programs(&self) -> PathBuf {
        self.folder.path().join("programs")
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.programs().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs a page's commands in the checkout, as one shell does; the first that fails ends it.
    pub(crate) async fn run(&self, script: &str) -> Ran {
        // Starting a plane is the test's part; everything of the page behind it is run.
        let script: String = script
            .lines()
            .filter(|line| *line != "make run")
            .map(|line| format!("{line}\n"))
            .collect();
        let mut command = Command::new("sh");
        command.args(["-e", "-c", &script]);
        self.machine.surround(&mut command);
        let output = command
            .current_dir(self.checkout())
            .stdin(Stdio::null())
            .output()
            .await
            .unwrap();
        let ran = Ran {
            status: output.status,
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(ran.status.success(), "{script}{ran}");
        ran
    }

    /// What the host starts after it was told to add a server `devpilot`; none was told of.
    pub(crate) fn told(&self) -> Option<Vec<String>> {
        let told = std::fs::read_to_string(self.machine.home().join("told")).ok()?;
        let words: Vec<String> = told.lines().map(str::to_owned).collect();
        if words[0] == "--add-mcp" {
            let server: Value = serde_json::from_str(&words[1]).unwrap();
            assert_eq!(server["name"], "devpilot");
            let arguments = server["args"].as_array().unwrap().iter();
            let words = std::iter::once(&server["command"]).chain(arguments);
            return Some(words.map(|word| word.as_str().unwrap().to_owned()).collect());
        }
        assert_eq!(words[..2], ["mcp", "add"]);
        let place = |of: &str| words.iter().position(|word| word == of);
        // Gemini CLI takes the options of the server's program behind a second `--`.
        let name = place("devpilot").unwrap();
        let command = words[name + 1..].iter().filter(|word| *word != "--");
        let mut command: Vec<String> = command.cloned().collect();
        if command[0] == "--scope" {
            command.drain(..2);
        }
        Some(command)
    }

    /// What the hosts were asked beside adding a server, one line each.
    pub(crate) fn asked(&self) -> String {
        std::fs::read_to_string(self.machine.home().join("asked")).unwrap_or_default()
    }

    /// Starts `words` as a host does: no shell, a cleared environment; it lists the tools, as every host does.
    pub(crate) async fn start(&self, words: &[String]) -> Server {
        let placed: Vec<String> = words
            .iter()
            .map(|word| word.replace("/path/to", self.checkout().to_str().unwrap()))
            .collect();
        let mut command = Command::new(self.found(&placed[0]));
        command.args(&placed[1..]);
        self.machine.surround(&mut command);
        let mut server = Server::start(&mut command);
        server
            .initialize("2025-06-18", json!({ "elicitation": {} }))
            .await;
        server.request("tools/list", json!({})).await;
        server
    }

    /// A program by the machine's `PATH`, not by the test's.
    fn found(&self, program: &str) -> PathBuf {
        match Path::new(program).is_absolute() {
            true => PathBuf::from(program),
            false => self.programs().join(program),
        }
    }
}
