//! Every command that the documents print is tried: what is ours is run, what is not is on a list of known programs.
//!
//! - `real`: the client's commands, in real sessions

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[cfg(target_os = "linux")]
mod real;
#[path = "../stdio/mod.rs"]
mod stdio;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Documents whose fenced shell blocks are read.
const DOCUMENTS: [&str; 16] = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/cockpit.md",
    "docs/deciding.md",
    "docs/hosting.md",
    "docs/releasing.md",
    "docs/setup/README.md",
    "docs/setup/claude-code.md",
    "docs/setup/codex.md",
    "docs/setup/cursor.md",
    "docs/setup/gemini-cli.md",
    "docs/setup/opencode.md",
    "docs/setup/shell.md",
    "docs/setup/troubleshooting.md",
    "docs/setup/vscode.md",
];

/// Programs that are not ours and not run here; `deploy/` and `scripts/` have checks of their own, and the pages under
/// `docs/setup/` are followed by the tests in `setup/`.
const FOREIGN: [&str; 14] = [
    "caddy", "cargo", "cd", "chmod", "claude", "code", "codex", "docker", "export", "gemini", "npm",
    "opencode", "printf", "ssh",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).expect("the document is there")
}

/// The commands of the blocks marked `sh`, one a line, without comments, `sudo` and the way into a container (the body
/// of a here-document is no command); and of ours those that stand in a sentence.
fn commands(document: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut inside, mut here_document) = (false, false);
    for line in document.lines() {
        let command = line.split(" # ").next().unwrap_or_default().trim();
        if line.trim_start().starts_with("```") {
            inside = line.trim() == "```sh";
        } else if here_document {
            here_document = command != "END";
        } else if inside && !command.is_empty() {
            here_document = command.contains("<<'END'");
            let command = command
                .strip_prefix("docker compose exec plane ")
                .unwrap_or(command);
            found.push(command.strip_prefix("sudo ").unwrap_or(command).to_owned());
        } else if !inside {
            found.extend(
                line.split('`')
                    .skip(1)
                    .step_by(2)
                    .filter(|code| is_ours(code))
                    .map(str::to_owned),
            );
        }
    }
    found
}

/// A whole command of ours; with a `|` or `…` it is a list of them or a form.
fn is_ours(code: &str) -> bool {
    let ours = ["devpilot-plane ", "devpilot-session ", "make "]
        .iter()
        .any(|name| code.starts_with(name));
    ours && !code.contains(['|', '…'])
}

/// The binary of this build; the plane's lies beside the client's.
fn program(name: &str) -> PathBuf {
    let client = PathBuf::from(env!("CARGO_BIN_EXE_devpilot-session"));
    let path = client.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.is_file(),
        "{} is not built: cargo build --workspace",
        path.display()
    );
    path
}

/// Runs a command of ours; the client's, and one that would go on for ever, is only parsed.
fn run(command: &str, home: &Path) -> Output {
    let mut words = command.split_whitespace();
    let name = words.next().expect("a command has a name");
    let arguments: Vec<&str> = words.collect();
    let mut process = Command::new(program(name));
    // Somebody has to wait under the code that `approve` takes.
    if name == "devpilot-plane" && arguments.first() == Some(&"admin") && arguments.get(1) != Some(&"approve")
    {
        process.args(&arguments).arg("--data").arg(home.join("plane"));
    } else {
        process.args(&arguments).arg("--help");
    }
    process
        .env_clear()
        .env("HOME", home)
        .output()
        .expect("the program starts")
}

#[test]
fn every_command_in_the_documents_works() {
    let home = tempfile::tempdir().expect("a folder");
    let makefile = read("Makefile");
    for document in DOCUMENTS {
        for command in commands(&read(document)) {
            let name = command.split_whitespace().next().unwrap_or_default();
            match name {
                "devpilot-plane" | "devpilot-session" => {
                    let output = run(&command, home.path());
                    let said = String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "{document}: `{command}` fails: {said}");
                }
                "make" => {
                    let target = command.split_whitespace().nth(1).unwrap_or("help");
                    assert!(
                        makefile.contains(&format!("\n{target}: ##")),
                        "{document}: no target {target}"
                    );
                }
                "install" | "systemctl" | "sh" => {}
                // They are run by the whole of the tests.
                script if script.starts_with("scripts/") => {
                    assert!(root().join(script).is_file(), "{document}: no {script}");
                }
                _ => assert!(
                    FOREIGN.contains(&name),
                    "{document}: `{command}` is not known to this test"
                ),
            }
        }
    }
}

/// Paths of this repository that a document names, as a link or as code.
fn paths(document: &str) -> Vec<&str> {
    let links = document
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let code = document
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|code| code.contains("/tests") || code.starts_with("docs/"));
    links
        .filter(|link| !link.contains(':') && !link.starts_with('#'))
        .chain(code)
        .collect()
}

#[test]
fn every_path_in_the_documents_is_there() {
    for document in DOCUMENTS
        .into_iter()
        .chain(["docs/architecture.md", "docs/decisions/README.md"])
    {
        let text = read(document);
        let folder = root().join(document);
        let folder = folder.parent().expect("a document lies in a folder");
        for path in paths(&text) {
            // A link may lead to a heading of the file.
            let path = path.split('#').next().unwrap_or(path);
            let there = folder.join(path).exists() || root().join(path).exists();
            assert!(there, "{document} names {path}, which is not there");
        }
    }
}

#[test]
fn commands_are_found_where_they_stand() {
    let document = "Try `devpilot-session join`, not `join` or `devpilot-session a | b`.\n```sh\nmake run   # builds\nsudo install x <<'END'\nSECRET=1\nEND\ndocker compose exec plane devpilot-plane \
                    config\n```\n```\nno command\n```\n";
    assert_eq!(
        commands(document),
        [
            "devpilot-session join",
            "make run",
            "install x <<'END'",
            "devpilot-plane config"
        ]
    );
}
