//! What a host writes to a hook: one JSON object, of which little is used.

use std::path::PathBuf;

use serde_json::Value;

use crate::verbs::failure::{Failure, code};

/// An event of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Its session begins, goes on, or lost its context.
    SessionStart,
    /// A person has written to the agent.
    UserPromptSubmit,
    /// The agent is about to end its turn.
    Stop,
    /// Its turn was broken off by an error. Nothing is told.
    StopFailure,
    /// Its session is over. Nothing is told.
    SessionEnd,
}

impl Event {
    /// As hosts name it in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::Stop => "Stop",
            Self::StopFailure => "StopFailure",
            Self::SessionEnd => "SessionEnd",
        }
    }
}

/// What is used of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookInput {
    /// The host's own session.
    pub session: String,
    /// The folder it works in.
    pub folder: Option<PathBuf>,
    /// Why a session begins: startup, resume, clear or compact.
    pub source: Option<String>,
    /// Of a stop: whether the agent goes on already because a hook asked it to. Taken for so where it is not said.
    pub goes_on: bool,
    /// Whether an agent inside the agent is meant.
    pub inside: bool,
}

impl HookInput {
    /// What a host wrote at an event.
    ///
    /// # Errors
    /// It is no JSON object, or is about another event.
    pub fn parse(event: Event, bytes: &[u8]) -> Result<Self, Failure> {
        let Ok(Value::Object(members)) = serde_json::from_slice::<Value>(bytes) else {
            return Err(bad(
                "A hook reads one JSON object from its host on standard input, and this is none.",
            ));
        };
        let text = |name: &str| members.get(name).and_then(Value::as_str).map(str::to_owned);
        if text("hook_event_name").is_some_and(|name| name != event.name()) {
            return Err(bad(
                "The host's event is another one than this hook is for: correct the host's list of hooks.",
            ));
        }
        Ok(Self {
            session: text("session_id").unwrap_or_default(),
            folder: text("cwd")
                .map(PathBuf::from)
                .filter(|folder| folder.is_absolute()),
            source: text("source"),
            goes_on: members.get("stop_hook_active") != Some(&Value::Bool(false)),
            inside: members.contains_key("agent_id"),
        })
    }
}

fn bad(text: &str) -> Failure {
    Failure::new(code::BAD_ARGUMENT, text)
}
