//! `join`: takes a link from the argument, the clipboard or the environment, and comes in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::delivered::{Answer, Delivered};
use super::failure::Failure;
use super::host::Host;
use super::items::{IntegrityItem, JoinCard};

/// Where a link is taken from when the argument has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkSource {
    /// The clipboard.
    Clipboard,
    /// `DEVPILOT_SESSION_LINK`.
    Environment,
}

/// How to come in.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinArgs {
    /// The whole note. Better leave out: the clipboard is read, and the link stays out of this conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub link: Option<String>,
    /// Which to use when clipboard and environment differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "source_schema")]
    pub source: Option<LinkSource>,
    /// Name to show to the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub name: Option<String>,
}

impl std::fmt::Debug for JoinArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JoinArgs")
    }
}

fn source_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    super::schema::one_of(&["clipboard", "environment"])
}

/// The join card.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct JoinAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// The name this seat goes by.
    pub me: String,
    /// This seat's participant id.
    pub my_id: String,
    /// argument, clipboard, environment or seat: where the way in came from.
    pub source: String,
    /// False where this machine already had a seat.
    pub joined: bool,
    /// full or view.
    pub capability: String,
    /// Whether this seat may write.
    pub may_write: bool,
    /// The mode as it is for this seat.
    pub mode: String,
    /// Posts left in auto.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub budget_left: Option<u32>,
    /// Who is here, how much there is, the hand-off, pinned, unanswered and latest messages.
    pub card: JoinCard,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// What else to know.
    pub warnings: Vec<String>,
    /// What to do now.
    pub next: String,
}

impl Answer for JoinAnswer {
    fn text(&self) -> String {
        String::new()
    }
}

/// Runs the verb.
///
/// # Errors
/// A [`Failure`] that says what to do next.
pub async fn run(app: &App, args: JoinArgs, host: &dyn Host) -> Result<Delivered<JoinAnswer>, Failure> {
    let _ = (app, args, host);
    Err(Failure::new(
        super::failure::code::INTERNAL,
        "This verb is being built.",
    ))
}
