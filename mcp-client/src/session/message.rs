//! The JSON inside a sealed message (`crypto.md` section 7, kind 1).
//!
//! An object with a string `kind` and, each where it applies: `text` (string), `topic` (string), `to` (participant
//! ids), `reply_to` (seq), `paths` (names of files), `pin` (true), `signal` (`continue`, `done`, `blocked`; the same
//! word is told to the plane beside the message, and readers believe this one). Unknown members are ignored and an
//! unknown kind is shown as the word it is, so that a newer client's messages stay readable.

use serde::{Deserialize, Serialize};

/// The kinds that a caller may choose.
pub const POSTABLE_KINDS: &[&str] = &[
    "chat",
    "note",
    "decision",
    "contract",
    "spec",
    "howto",
    "env-fact",
    "negative-result",
    "question",
    "answer",
    "progress",
];

/// A message's plaintext. Debug hides it.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// What sort of message.
    pub kind: String,
    /// The text.
    #[serde(default)]
    pub text: String,
    /// A topic to file it under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Participant ids it is addressed to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// The seq it replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<u64>,
    /// Names of files it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Kept on the join card.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pin: bool,
    /// What the author says of the work, in auto.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Message")
    }
}
