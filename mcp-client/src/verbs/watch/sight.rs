//! What a watcher sees, piece by piece.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verbs::delivered::Answer;
use crate::verbs::failure::Failure;
use crate::verbs::items::{EventItem, IntegrityItem, MessageItem, ParticipantItem};
use crate::verbs::text::Text;

/// One thing that a watcher sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Sight {
    /// The session, at the beginning.
    Session {
        /// Its id.
        session: String,
        /// Its title.
        title: String,
        /// Who is here.
        participants: Vec<ParticipantItem>,
    },
    /// A message.
    Message(Box<MessageItem>),
    /// What the plane says happened: who came and left, proposals, re-keys.
    Event(EventItem),
    /// The mode as it is for this seat, at the beginning and whenever it changed.
    Mode {
        /// observe, relay or auto.
        mode: String,
        /// Posts left in auto.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget_left: Option<u32>,
        /// When auto ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        auto_ends_at: Option<String>,
    },
    /// Somebody else began or ceased to listen, by the plane's word.
    Listening {
        /// The claimed name.
        name: String,
        /// The first eight hex digits of the id.
        short_id: String,
        /// Whether they listen now.
        listening: bool,
    },
    /// What is wrong with what the plane shows.
    Integrity(IntegrityItem),
    /// What else to know, in our words: the plane is away or back, somebody waits at the door, the session is over.
    Note {
        /// It.
        text: String,
    },
}

/// What came at once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sights {
    /// In order.
    pub seen: Vec<Sight>,
}

impl Answer for Sights {
    fn text(&self) -> String {
        let mut text = Text::bare();
        for sight in &self.seen {
            match sight {
                Sight::Session {
                    session,
                    title,
                    participants,
                } => {
                    text.session(title, session);
                    text.participants(participants);
                }
                Sight::Message(message) => text.message(message),
                Sight::Event(event) => text.event(event),
                Sight::Mode {
                    mode,
                    budget_left,
                    auto_ends_at,
                } => text.mode(mode, *budget_left, auto_ends_at.as_deref()),
                Sight::Listening {
                    name,
                    short_id,
                    listening,
                } => text.line(format_args!("\"{name}\" {short_id} {}.", listens(*listening))),
                Sight::Integrity(integrity) => text.integrity(integrity),
                Sight::Note { text: note } => text.line(note),
            }
        }
        text.finish()
    }
}

/// Whether somebody listens, in words.
pub(crate) fn listens(listening: bool) -> &'static str {
    match listening {
        true => "listens now",
        false => "no longer listens",
    }
}

/// Who is shown it.
pub trait Watcher: Send {
    /// Shows what came. False: nobody looks any more.
    ///
    /// # Errors
    /// It can't be written.
    fn see(&mut self, sights: Sights) -> Result<bool, Failure>;
}

pub(super) fn note(text: impl Into<String>) -> Sight {
    Sight::Note { text: text.into() }
}
