//! How an agent's last turn went, from the end of its host's transcript: what it said last, and how its last check ended.
//!
//! The transcript is Claude Code's: one JSON object a line. What is not understood is passed over.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use ::cockpit::contract::Check;
use serde_json::{Map, Value};

use super::check::is_check;

/// How much of a transcript is read, from its end.
const TAIL: u64 = 2 << 20;

/// A turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// What its agent said last.
    pub(super) said: Option<String>,
    /// The last check that it ran.
    pub(super) check: Option<Check>,
}

/// The last turn of the transcript that a host names; an empty one where there is none that can be read.
pub(super) async fn last(members: &Map<String, Value>) -> Turn {
    let Some(path) = members
        .get("transcript_path")
        .and_then(Value::as_str)
        .map(str::to_owned)
    else {
        return Turn::default();
    };
    let read = tokio::task::spawn_blocking(move || tail(Path::new(&path)));
    match read.await {
        Ok(Some(text)) => turn(&text),
        _ => Turn::default(),
    }
}

fn tail(path: &Path) -> Option<String> {
    // A pipe in its place would make the host wait.
    let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut file = std::fs::File::open(path).ok()?;
    file.seek(SeekFrom::Start(metadata.len().saturating_sub(TAIL)))
        .ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads lines. A prompt begins a turn; agents inside the agent do not count.
fn turn(text: &str) -> Turn {
    let mut turn = Turn::default();
    let mut checks: BTreeMap<String, String> = BTreeMap::new();
    for line in text.lines() {
        let Ok(entry) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        if entry.get("isSidechain") == Some(&Value::Bool(true)) {
            continue;
        }
        let content = entry.pointer("/message/content");
        match entry.get("type").and_then(Value::as_str) {
            Some("assistant") => {
                for part in parts(content) {
                    match part.get("type").and_then(Value::as_str) {
                        Some("text") => turn.said = string(part, "text"),
                        Some("tool_use") => {
                            let command = part.pointer("/input/command").and_then(Value::as_str);
                            if let (Some(id), Some(command)) = (string(part, "id"), command)
                                && is_check(command)
                            {
                                checks.insert(id, command.to_owned());
                            }
                        }
                        _ => {}
                    }
                }
            }
            Some("user") => {
                let results: Vec<&Value> = parts(content)
                    .filter(|part| part.get("type").is_some_and(|kind| kind == "tool_result"))
                    .collect();
                if results.is_empty() && entry.get("isMeta") != Some(&Value::Bool(true)) {
                    turn = Turn::default();
                    checks.clear();
                }
                for result in results {
                    let Some(command) = string(result, "tool_use_id").and_then(|id| checks.remove(&id))
                    else {
                        continue;
                    };
                    let failed = result.get("is_error") == Some(&Value::Bool(true));
                    turn.check = Some(Check { command, failed });
                }
            }
            _ => {}
        }
    }
    turn
}

fn parts(content: Option<&Value>) -> impl Iterator<Item = &Value> {
    content.and_then(Value::as_array).into_iter().flatten()
}

fn string(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lines(entries: &[Value]) -> String {
        entries.iter().map(|entry| format!("{entry}\n")).collect()
    }

    fn ran(id: &str, command: &str) -> Value {
        let part = json!({ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } });
        json!({ "type": "assistant", "message": { "role": "assistant", "content": [part] } })
    }

    fn ended(id: &str, failed: bool) -> Value {
        let part = json!({ "type": "tool_result", "tool_use_id": id, "content": "…", "is_error": failed });
        json!({ "type": "user", "message": { "role": "user", "content": [part] } })
    }

    fn prompt(text: &str) -> Value {
        json!({ "type": "user", "message": { "role": "user", "content": text } })
    }

    fn said(text: &str) -> Value {
        json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": text }] } })
    }

    #[test]
    fn the_last_check_of_the_last_turn_counts() {
        let text = lines(&[
            prompt("one"),
            ran("a", "cargo test"),
            ended("a", true),
            said("It fails."),
            prompt("two"),
            ran("b", "cargo test -p pay"),
            ended("b", true),
            ran("c", "cargo test -p pay"),
            ended("c", false),
            ran("d", "ls nowhere"),
            ended("d", true),
            said("It passes."),
        ]);
        let got = turn(&text);
        assert_eq!(got.said.as_deref(), Some("It passes."));
        assert_eq!(
            got.check,
            Some(Check {
                command: "cargo test -p pay".into(),
                failed: false
            })
        );
    }

    #[test]
    fn a_turn_without_a_check_has_none_and_agents_inside_do_not_count() {
        let mut inside = ran("x", "cargo test");
        inside["isSidechain"] = true.into();
        let text = lines(&[
            ran("a", "cargo test"),
            ended("a", true),
            prompt("next"),
            inside,
            ended("x", true),
        ]);
        assert_eq!(turn(&text), Turn::default());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_a_transcript_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("transcript.jsonl");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let (say, said) = std::sync::mpsc::channel();
        std::thread::spawn(move || say.send(tail(&pipe)));
        let soon = std::time::Duration::from_secs(10);
        assert_eq!(said.recv_timeout(soon).unwrap(), None);
    }

    #[test]
    fn what_is_no_transcript_says_nothing() {
        assert_eq!(
            turn("torn {\"type\":\nnull\n[]\n{\"type\":\"user\"}\n"),
            Turn::default()
        );
    }
}
