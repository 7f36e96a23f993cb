//! `wait`: at once when something by others is unread, else until somebody posts, the mode changes or time is up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::delivered::{Answer, Delivered};
use super::failure::Failure;
use super::host::Host;
use super::items::{EventItem, IntegrityItem, MessageItem};

/// How long to wait, and for what.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitArgs {
    /// Seconds, default 45, at most 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub timeout_s: Option<u32>,
    /// Wake only for messages addressed to me.
    #[serde(default)]
    pub for_me: bool,
    /// Another session: id, its first 8 characters, or title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
}

/// Why the wait is over, and what came.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WaitAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// messages, mode_changed, ended or timed_out.
    pub woke_by: String,
    /// Seconds waited.
    pub waited_s: u64,
    /// The messages, oldest first.
    pub messages: Vec<MessageItem>,
    /// What the plane says happened.
    pub events: Vec<EventItem>,
    /// The mode as it is for this seat.
    pub mode: String,
    /// Posts left in auto.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub budget_left: Option<u32>,
    /// When auto ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub auto_ends_at: Option<String>,
    /// Pass this as `since` to `read` to go on.
    pub next_since: u64,
    /// Of a long message that goes on: pass as `offset` to `read`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub next_offset: Option<u64>,
    /// Whether there is more to read.
    pub more: bool,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// What else to know, such as that the time was clamped.
    pub warnings: Vec<String>,
    /// What to do now.
    pub next: String,
}

impl Answer for WaitAnswer {
    fn text(&self) -> String {
        String::new()
    }
}

/// Runs the verb.
///
/// # Errors
/// A [`Failure`] that says what to do next.
pub async fn run(app: &App, args: WaitArgs, host: &dyn Host) -> Result<Delivered<WaitAnswer>, Failure> {
    let _ = (app, args, host);
    Err(Failure::new(
        super::failure::code::INTERNAL,
        "This verb is being built.",
    ))
}
