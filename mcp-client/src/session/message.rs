//! The JSON inside a sealed message (`crypto.md` section 7, kind 1).
//!
//! An object with a string `kind` and, each where it applies: `text` (string), `topic` (string), `to` (participant
//! ids), `reply_to` (seq), `paths` (names of files), `pin` (true), `signal` (`continue`, `done`, `blocked`; the same
//! word is told to the plane beside the message, and readers believe this one). Unknown members are ignored, members
//! of another type count as absent, and an unknown kind is shown as the word it is, so that a newer client's messages
//! stay readable.

use serde::Serialize;
use serde_json::Value;

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

/// Those that other sides of a session write beside them.
const OTHER_KINDS: &[&str] = &["claim", "release", "digest"];

/// Whether it is a word of the protocol, and none of its author's own.
pub fn is_known_kind(kind: &str) -> bool {
    POSTABLE_KINDS.contains(&kind) || OTHER_KINDS.contains(&kind)
}

/// A message's plaintext. Debug hides it.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
pub struct Message {
    /// What sort of message.
    pub kind: String,
    /// The text.
    pub text: String,
    /// A topic to file it under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Participant ids it is addressed to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// The seq it replies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<u64>,
    /// Names of files it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Kept on the join card.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pin: bool,
    /// What the author says of the work, in auto.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}

impl Message {
    /// Reads an opened message's JSON; none if it is no object with a string `kind`.
    pub fn parse(json: &str) -> Option<Self> {
        let object = seal::json::object(json.as_bytes()).ok()?;
        let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        let list = |name: &str| {
            let values = object.get(name).and_then(Value::as_array).into_iter().flatten();
            values.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Some(Self {
            kind: text("kind")?,
            text: text("text").unwrap_or_default(),
            topic: text("topic"),
            to: list("to"),
            reply_to: object.get("reply_to").and_then(Value::as_u64),
            paths: list("paths"),
            pin: object.get("pin").and_then(Value::as_bool).unwrap_or_default(),
            signal: text("signal"),
        })
    }

    /// The JSON to seal.
    pub fn to_json(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Message")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::Message;

    #[test]
    fn absent_members_are_left_out() {
        let message = Message {
            kind: "chat".to_owned(),
            text: "hi".to_owned(),
            ..Message::default()
        };
        assert_eq!(message.to_json().unwrap(), r#"{"kind":"chat","text":"hi"}"#);
    }

    #[test]
    fn a_member_of_another_type_counts_as_absent() {
        let json = r#"{"kind":"chat","text":7,"to":["a",1],"reply_to":"x","paths":{},"pin":"yes","more":[]}"#;
        let message = Message::parse(json).unwrap();
        let expected = Message {
            kind: "chat".to_owned(),
            to: vec!["a".to_owned()],
            ..Message::default()
        };
        assert!(message == expected);
        assert!(Message::parse(r#"{"kind":1}"#).is_none());
    }
}
