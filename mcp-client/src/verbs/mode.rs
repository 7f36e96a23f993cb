//! `mode`: shows the mode, goes to the safe side at once, and to relay only after this machine's human said yes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::delivered::{Answer, Delivered};
use super::failure::Failure;
use super::host::Host;
use super::items::IntegrityItem;

/// What to set the mode to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SetTo {
    /// Agents read and post at their human's word.
    Observe,
    /// Ends auto; the same as observe elsewhere.
    Stop,
    /// Agents may wait, and post after a yes to each text.
    Relay,
}

/// Which mode; without `set`, shows it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModeArgs {
    /// observe and stop count at once; relay asks the human first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "set_schema")]
    pub set: Option<SetTo>,
    /// Another session: id, its first 8 characters, or title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
}

fn set_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    super::schema::one_of(&["observe", "stop", "relay"])
}

/// The mode.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ModeAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// Whether this call changed it.
    pub changed: bool,
    /// The session's mode.
    pub session_mode: String,
    /// The mode as it is for this seat: the stricter of the session's and this seat's consent.
    pub mode: String,
    /// Posts left in auto.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub budget_left: Option<u32>,
    /// When auto ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub auto_ends_at: Option<String>,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// What the mode means now, and what to do.
    pub next: String,
}

impl Answer for ModeAnswer {
    fn text(&self) -> String {
        String::new()
    }
}

/// Runs the verb.
///
/// # Errors
/// A [`Failure`] that says what to do next.
pub async fn run(app: &App, args: ModeArgs, host: &dyn Host) -> Result<Delivered<ModeAnswer>, Failure> {
    let _ = (app, args, host);
    Err(Failure::new(
        super::failure::code::INTERNAL,
        "This verb is being built.",
    ))
}
