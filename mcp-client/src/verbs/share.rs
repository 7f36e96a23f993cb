//! `share`: makes a session, seals the hand-off as its first message, and puts the note in the user's hands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::delivered::{Answer, Delivered};
use super::failure::Failure;
use super::host::Host;

/// What to share. Without `session`, `title` and `context` are needed.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShareArgs {
    /// Short title, sealed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub title: Option<String>,
    /// What the other side needs to know; becomes the first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub context: Option<String>,
    /// Name of whoever gets the note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub with: Option<String>,
    /// Names of files it is about; contents are not sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Make the note's link read-only.
    #[serde(default)]
    pub view_only: bool,
    /// Make the note again for this session instead of creating one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
    /// Put the link into the answer. It then goes to the model's provider at every later turn.
    #[serde(default)]
    pub reveal_link: bool,
}

/// A session is shared, and where its note is.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ShareAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// Its mode.
    pub mode: String,
    /// Until when it lives unless somebody writes.
    pub expires_at: String,
    /// Whether a new session was made; false for the same call repeated and for `session`.
    pub created: bool,
    /// full or view: what the note's link allows.
    pub link_allows: String,
    /// confirmed, not_confirmed or none: whether the note is on the clipboard.
    pub clipboard: String,
    /// The file that holds the note. Don't open it; it contains the link.
    pub handoff_file: String,
    /// The link was kept out of this answer.
    pub link_withheld: bool,
    /// The link, only when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub link: Option<String>,
    /// The seq of the hand-off message, if one was posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub seq: Option<u64>,
    /// What else to know, such as that the link opens on this machine only.
    pub warnings: Vec<String>,
    /// What to do now.
    pub next: String,
}

impl Answer for ShareAnswer {
    fn text(&self) -> String {
        String::new()
    }
}

/// Runs the verb.
///
/// # Errors
/// A [`Failure`] that says what to do next.
pub async fn run(app: &App, args: ShareArgs, host: &dyn Host) -> Result<Delivered<ShareAnswer>, Failure> {
    let _ = (app, args, host);
    Err(Failure::new(
        super::failure::code::INTERNAL,
        "This verb is being built.",
    ))
}
