//! `who`: who is here, who may write, who has read and confirmed how far, and the head to compare by voice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::delivered::{Answer, Delivered};
use super::failure::Failure;
use super::host::Host;
use super::items::{IntegrityItem, ParticipantItem};

/// Which session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WhoArgs {
    /// Another session: id, its first 8 characters, or title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
}

/// The participants.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WhoAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// Everybody, in the order of joining.
    pub participants: Vec<ParticipantItem>,
    /// This seat's participant id.
    pub my_id: String,
    /// The seq of this seat's head.
    pub head_seq: u64,
    /// The transcript hash there: 32 hex digits in groups of four, to compare over another channel.
    pub head_hash: String,
    /// The mode as it is for this seat.
    pub mode: String,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// What else to know.
    pub warnings: Vec<String>,
}

impl Answer for WhoAnswer {
    fn text(&self) -> String {
        String::new()
    }
}

/// Runs the verb.
///
/// # Errors
/// A [`Failure`] that says what to do next.
pub async fn run(app: &App, args: WhoArgs, host: &dyn Host) -> Result<Delivered<WhoAnswer>, Failure> {
    let _ = (app, args, host);
    Err(Failure::new(
        super::failure::code::INTERNAL,
        "This verb is being built.",
    ))
}
