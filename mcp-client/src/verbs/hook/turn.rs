//! How an agent's last turn went, from the end of its host's transcript: what it said last, and how its last check ended.
//!
//! The transcript is Claude Code's: one JSON object a line. What is not understood is passed over.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::cockpit::contract::Check;
use serde_json::{Map, Value};

use super::check::is_check;

/// How much of a transcript is read, from its end.
const TAIL: u64 = 2 << 20;
/// How long a host may take to write down what its agent said last: Claude Code calls the hook first, and gathers lines for
/// about a tenth of a second.
pub(super) const WRITTEN_WITHIN: Duration = Duration::from_millis(300);
/// How often the transcript is looked at until then.
const LOOK: Duration = Duration::from_millis(20);

/// A turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// What its agent said last.
    pub(super) said: Option<String>,
    /// The last check that it ran.
    pub(super) check: Option<Check>,
}

/// The last turn of the transcript that a host names; an empty one where there is none that can be read.
///
/// Where the host tells what its agent said last, the transcript is whole once it ends with that; it is waited for, though not
/// longer than [`WRITTEN_WITHIN`].
pub(super) async fn last(members: &Map<String, Value>) -> Turn {
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let Some(path) = text("transcript_path").map(PathBuf::from) else {
        return Turn::default();
    };
    let ends_with = text("last_assistant_message").map(str::trim);
    let until = tokio::time::Instant::now() + WRITTEN_WITHIN;
    loop {
        let path = path.clone();
        let read = tokio::task::spawn_blocking(move || tail(&path).map(|text| turn(&text)));
        let Ok(Some(turn)) = read.await else {
            return Turn::default();
        };
        let whole = ends_with.is_none_or(|text| turn.said.as_deref().map(str::trim) == Some(text));
        if whole || tokio::time::Instant::now() + LOOK > until {
            return turn;
        }
        tokio::time::sleep(LOOK).await;
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

    /// What a host hands to its hook.
    fn handed(path: &Path, said: Option<&str>) -> Map<String, Value> {
        let mut handed = json!({ "transcript_path": path });
        if let Some(said) = said {
            handed["last_assistant_message"] = said.into();
        }
        handed.as_object().unwrap().clone()
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_host_has_not_written_down_yet_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("transcript.jsonl");
        let begun = [prompt("one"), ran("a", "cargo test")];
        std::fs::write(&path, lines(&begun)).unwrap();
        let members = handed(&path, Some("It fails.\n"));
        let looking = tokio::spawn(async move { last(&members).await });
        tokio::time::sleep(WRITTEN_WITHIN / 2).await;
        assert!(!looking.is_finished());
        let rest = [ended("a", true), said("It fails.")];
        std::fs::write(&path, lines(&begun) + &lines(&rest)).unwrap();
        let check = looking.await.unwrap().check.unwrap();
        assert_eq!((check.command.as_str(), check.failed), ("cargo test", true));
    }

    #[tokio::test(start_paused = true)]
    async fn a_transcript_that_ends_otherwise_is_not_waited_for_long_and_one_nobody_told_of_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("transcript.jsonl");
        std::fs::write(
            &path,
            lines(&[ran("a", "make"), ended("a", false), said("Done.")]),
        )
        .unwrap();
        for (told, waits) in [
            (Some("Something else."), true),
            (Some("Done."), false),
            (None, false),
        ] {
            let begun = tokio::time::Instant::now();
            assert!(last(&handed(&path, told)).await.check.is_some());
            let took = begun.elapsed();
            assert_eq!(took > Duration::ZERO, waits, "{told:?} took {took:?}");
            assert!(took <= WRITTEN_WITHIN, "{told:?} took {took:?}");
        }
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
        let soon = Duration::from_secs(10);
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
