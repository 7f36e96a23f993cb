//! `post`: seals and signs one message, and appends it once however often it is retried.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::delivered::{Answer, Delivered};
use super::failure::Failure;
use super::host::Host;
use super::items::IntegrityItem;

/// What to post.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PostArgs {
    /// The text.
    pub text: String,
    /// Default chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "kind_schema")]
    pub kind: Option<String>,
    /// A topic to file it under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub topic: Option<String>,
    /// Whom it is for: names or ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// Seq of the message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub reply_to: Option<u64>,
    /// Names of files it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Keep it on the join card.
    #[serde(default)]
    pub pin: bool,
    /// In auto: is there more to do for you?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "signal_schema")]
    pub signal: Option<String>,
    /// Another session: id, its first 8 characters, or title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
}

fn kind_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    super::schema::one_of(crate::session::message::POSTABLE_KINDS)
}

fn signal_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    super::schema::one_of(&["continue", "done", "blocked"])
}

/// The message is stored.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PostAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// The message's number.
    pub seq: u64,
    /// The mode as it is for this seat, after the post.
    pub mode: String,
    /// Posts left in auto.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub budget_left: Option<u32>,
    /// When auto ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub auto_ends_at: Option<String>,
    /// Who is listening now.
    pub listening: Vec<String>,
    /// Who is here but not listening: they see it when they next read.
    pub not_listening: Vec<String>,
    /// approved, host_prompt (the host's own permission prompt was the question) or not_needed.
    pub human: String,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// What else to know.
    pub warnings: Vec<String>,
}

impl Answer for PostAnswer {
    fn text(&self) -> String {
        String::new()
    }
}

/// Runs the verb.
///
/// # Errors
/// A [`Failure`] that says what to do next.
pub async fn run(app: &App, args: PostArgs, host: &dyn Host) -> Result<Delivered<PostAnswer>, Failure> {
    let _ = (app, args, host);
    Err(Failure::new(
        super::failure::code::INTERNAL,
        "This verb is being built.",
    ))
}
