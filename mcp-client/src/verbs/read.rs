//! `read`: what is unread, or what a filter asks for, opened locally.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::delivered::{Answer, Delivered};
use super::failure::Failure;
use super::host::Host;
use super::items::{EventItem, IntegrityItem, JoinCard, MessageItem};

/// What to read. Without `since`: what is unread, and the cursor moves.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadArgs {
    /// Show what comes after this seq; 0 starts with the join card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub since: Option<u64>,
    /// Byte of the next message's text to go on from (`next_offset`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub offset: Option<u64>,
    /// Messages, default 50, at most 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub limit: Option<u32>,
    /// Bytes of the answer, default 24000, at most 60000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub max_bytes: Option<u32>,
    /// Only this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub kind: Option<String>,
    /// Only this topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub topic: Option<String>,
    /// Only by this participant: name or id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub from: Option<String>,
    /// Another session: id, its first 8 characters, or title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
}

/// Messages, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ReadAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// With `since: 0`: the join card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "JoinCard")]
    pub card: Option<JoinCard>,
    /// The messages.
    pub messages: Vec<MessageItem>,
    /// What the plane says happened in between.
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
    /// Pass this as `since` to go on.
    pub next_since: u64,
    /// Pass this as `offset` beside `next_since` to go on inside a long message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub next_offset: Option<u64>,
    /// Whether there is more.
    pub more: bool,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// What else to know.
    pub warnings: Vec<String>,
}

impl Answer for ReadAnswer {
    fn text(&self) -> String {
        String::new()
    }
}

/// Runs the verb.
///
/// # Errors
/// A [`Failure`] that says what to do next.
pub async fn run(app: &App, args: ReadArgs, host: &dyn Host) -> Result<Delivered<ReadAnswer>, Failure> {
    let _ = (app, args, host);
    Err(Failure::new(
        super::failure::code::INTERNAL,
        "This verb is being built.",
    ))
}
