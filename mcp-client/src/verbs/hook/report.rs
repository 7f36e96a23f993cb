//! What the cockpit of this user is told of a host's events, if one runs. Nothing of it goes anywhere else.
//!
//! The first line of a prompt, what the agent said last, and how its last check went, with links, tokens and what looks like
//! a credential taken out. No host waits for it long, and none fails by it.

use std::time::Duration;

use ::cockpit::contract::{End, Event as Told, EventKind, Taken};
use ::cockpit::limits;
use serde_json::{Map, Value};

use super::input::{Event, HookInput};
use super::turn::{self, Turn};
use crate::history::Cockpit;
use crate::render;
use crate::verbs::app::App;
use crate::verbs::secrets::repeated;

/// How long the cockpit may take: it is on this machine, and goes on by itself.
const TIME: Duration = Duration::from_millis(300);
/// How long all of it may.
const IN_ALL: Duration = TIME.saturating_add(turn::WRITTEN_WITHIN);
/// Whose events these are.
const HOST: &str = "claude-code";

/// Tells it; silent where no cockpit runs.
pub(super) async fn tell(app: &App, event: Event, input: &HookInput, bytes: &[u8]) {
    let telling = async {
        let cockpit = Cockpit::own(&app.home)?;
        let Ok(Value::Object(members)) = serde_json::from_slice(bytes) else {
            return None;
        };
        let turn = match event {
            Event::Stop | Event::StopFailure => turn::last(&members).await,
            _ => Turn::default(),
        };
        let told = told(event, input, &members, turn)?;
        Some(cockpit.post::<Taken>(&app.http, "/v1/events", &told, TIME).await)
    };
    if let Ok(Some(Err(error))) = tokio::time::timeout(IN_ALL, telling).await {
        tracing::debug!(%error, "the cockpit was not told");
    }
}

/// The event as a cockpit knows it; none for what is no beginning and no end.
fn told(event: Event, input: &HookInput, members: &Map<String, Value>, turn: Turn) -> Option<Told> {
    // An agent inside an agent works for the task of the one around it.
    if input.inside || input.session.is_empty() {
        return None;
    }
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let mut told = Told {
        event: EventKind::TaskEnded,
        host: HOST.to_owned(),
        session: input.session.clone(),
        folder: input.folder.as_ref()?.to_str()?.to_owned(),
        title: None,
        end: None,
        report: None,
        report_bytes: None,
        check: None,
    };
    match event {
        // In the middle of a task.
        Event::SessionStart if input.source.as_deref() == Some("compact") => return None,
        Event::SessionStart => told.event = EventKind::SessionStarted,
        Event::SessionEnd => told.event = EventKind::SessionEnded,
        Event::UserPromptSubmit => {
            told.event = EventKind::TaskStarted;
            let line = text("prompt")?
                .lines()
                .map(str::trim)
                .find(|line| !line.is_empty());
            told.title = line.map(|line| cut(&repeated(line), limits::TITLE).to_owned());
        }
        Event::Stop | Event::StopFailure => {
            told.end = Some(match event {
                Event::Stop => End::Finished,
                _ => End::Error,
            });
            let said = text("last_assistant_message").map(str::to_owned).or(turn.said);
            if let Some(said) = said.filter(|said| !said.trim().is_empty()) {
                let said = repeated(&said);
                told.report = Some(cut(&said, limits::REPORT).to_owned());
                told.report_bytes = Some(said.len() as u64);
            }
            told.check = turn.check.map(|mut check| {
                check.command = cut(&repeated(&check.command), limits::COMMAND).to_owned();
                check
            });
        }
    }
    Some(told)
}

fn cut(text: &str, most: usize) -> &str {
    text.get(render::part(text, 0, most)).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn of(event: Event, mut json: Value) -> Option<Told> {
        json["session_id"] = "s1".into();
        json["cwd"] = "/w/pay".into();
        json["hook_event_name"] = event.name().into();
        let bytes = serde_json::to_vec(&json).unwrap();
        let input = HookInput::parse(event, &bytes).unwrap();
        told(event, &input, json.as_object().unwrap(), Turn::default())
    }

    #[test]
    fn a_prompt_begins_a_task_and_only_its_first_line_is_told_without_links() {
        let prompt =
            "\n  Join https://p.example/s/0b9e#dp1faaaabbbbccccddddeeeeffffgggg now\nsecret second line";
        let told = of(Event::UserPromptSubmit, serde_json::json!({ "prompt": prompt })).unwrap();
        assert_eq!(told.event, EventKind::TaskStarted);
        let title = told.title.unwrap();
        assert!(title.starts_with("Join ") && title.ends_with(" now"), "{title}");
        assert!(!title.contains("dp1f") && !title.contains("second"), "{title}");
    }

    #[test]
    fn no_credential_of_a_prompt_or_a_report_is_told() {
        let key = ["ghp_", "x7Kp2mQ9vR4tW8zB3nF6hJ1cL5dS0gYaE2uo"].concat();
        let prompt = serde_json::json!({ "prompt": format!("Push with {key} now") });
        let title = of(Event::UserPromptSubmit, prompt).unwrap().title.unwrap();
        assert!(
            title.starts_with("Push with ") && title.ends_with(" now"),
            "{title}"
        );
        assert!(!title.contains(&key), "{title}");
        let said = serde_json::json!({ "last_assistant_message": format!("I used {key}.") });
        let report = of(Event::Stop, said).unwrap().report.unwrap();
        assert!(
            report.starts_with("I used ") && !report.contains(&key),
            "{report}"
        );
    }

    #[test]
    fn a_stop_and_a_failure_end_it_with_what_was_said() {
        let said = serde_json::json!({ "last_assistant_message": "All done.", "stop_hook_active": false });
        let told = of(Event::Stop, said).unwrap();
        assert_eq!(
            (told.end, told.report.as_deref()),
            (Some(End::Finished), Some("All done."))
        );
        let failed = of(Event::StopFailure, serde_json::json!({ "error": "rate_limit" })).unwrap();
        assert_eq!((failed.end, failed.report), (Some(End::Error), None));
    }

    #[test]
    fn a_long_report_is_cut_and_its_length_told() {
        let said = "ä".repeat(5_000);
        let told = of(Event::Stop, serde_json::json!({ "last_assistant_message": said })).unwrap();
        assert_eq!(told.report.unwrap().len(), 4_000);
        assert_eq!(told.report_bytes, Some(10_000));
    }

    #[test]
    fn a_session_begins_and_ends_but_not_by_a_compaction_nor_an_agent_inside() {
        let started = of(Event::SessionStart, serde_json::json!({ "source": "resume" })).unwrap();
        assert_eq!(started.event, EventKind::SessionStarted);
        let ended = of(Event::SessionEnd, serde_json::json!({ "reason": "clear" })).unwrap();
        assert_eq!(ended.event, EventKind::SessionEnded);
        assert_eq!(
            of(Event::SessionStart, serde_json::json!({ "source": "compact" })),
            None
        );
        assert_eq!(of(Event::Stop, serde_json::json!({ "agent_id": "a" })), None);
    }
}
