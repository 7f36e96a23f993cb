//! Which messages a search means: decided here, over what this machine already opened. Nobody is asked.
//!
//! Pure. A search is over text as it is shown, so that characters nobody sees neither hide a word nor make one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;
use wire::ids::ParticipantId;

use super::failure::{Failure, code};
use super::host::Face;
use crate::render;
use crate::session::view::{Entry, Posted};

/// The longest search, in characters.
const QUERY_MAX: usize = 500;

/// Words that must all be in a message: in its text, its topic or its author's name, each in any of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Query {
    words: Vec<String>,
}

impl Query {
    /// From what somebody typed.
    ///
    /// # Errors
    /// Nothing to look for, or far too much.
    pub(super) fn parse(typed: &str, face: Face) -> Result<Self, Failure> {
        if typed.chars().count() > QUERY_MAX {
            return Err(Failure::new(
                code::BAD_ARGUMENT,
                format!(
                    "{} has at most {QUERY_MAX} characters: a few words that the message contains.",
                    face.argument("query")
                ),
            ));
        }
        let words: Vec<String> = fold(typed).split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            return Err(Failure::new(
                code::BAD_ARGUMENT,
                format!(
                    "{} has no word to look for. Give words that must all be in the message, or leave it out.",
                    face.argument("query")
                ),
            ));
        }
        Ok(Self { words })
    }

    /// The numbers of the messages among `entries` that it means, in order, with authors called as `name` says. What can't
    /// be read is never among them.
    pub(super) fn among(&self, name: impl Fn(&ParticipantId) -> String, entries: &[Entry]) -> Vec<u64> {
        let mut names: BTreeMap<ParticipantId, String> = BTreeMap::new();
        let messages = entries.iter().filter_map(Entry::message);
        messages
            .filter(|(_, posted)| {
                let author = names
                    .entry(posted.author)
                    .or_insert_with(|| fold(&name(&posted.author)).into_owned());
                self.means(posted, author)
            })
            .map(|(entry, _)| entry.seq)
            .collect()
    }

    fn means(&self, posted: &Posted, author: &str) -> bool {
        let Some(message) = posted.text() else {
            return false;
        };
        let text = fold(&message.text);
        let topic = fold(message.topic.as_deref().unwrap_or_default());
        self.words
            .iter()
            .all(|word| text.contains(word) || topic.contains(word) || author.contains(word))
    }
}

/// Text as it is compared: without hidden characters, composed, and without the difference of case.
///
/// Lower, upper and lower again, character by character, folds what one mapping alone leaves apart (`ß` and `SS`, the
/// two small sigmas).
fn fold(text: &str) -> Cow<'_, str> {
    if text.bytes().all(is_plain) {
        return match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => Cow::Owned(text.to_ascii_lowercase()),
            false => Cow::Borrowed(text),
        };
    }
    let folded = render::visible(text)
        .nfkc()
        .flat_map(char::to_lowercase)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfkc()
        .collect();
    Cow::Owned(folded)
}

/// What is shown as it is and has one other case at most.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t')
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write as _;
    use std::time::{Duration, Instant};

    use seal::transcript::Standing;
    use wire::ids::MessageId;
    use wire::timestamp::Timestamp;

    use super::*;
    use crate::session::message::Message;
    use crate::session::view::{Opened, What};

    fn same(one: &str, other: &str) {
        assert_eq!(fold(one), fold(other), "{one} {other}");
    }

    #[test]
    fn case_and_form_make_no_difference() {
        same("Flaky LOGIN test", "flaky login TEST");
        same("STRASSE", "straße");
        same("ΣΊΣΥΦΟΣ", "σίσυφος");
        same("CAFÉ", "cafe\u{301}");
        same("ﬁle", "FILE");
        same("ＡＢＣ", "abc");
        same("ДВЕРЬ", "дверь");
        assert_ne!(fold("cafe"), fold("café"));
    }

    #[test]
    fn characters_that_nobody_sees_hide_nothing() {
        same("pass\u{200B}word", "password");
        same("\u{1B}[31mred", "[31mred");
    }

    /// Messages of a long session, by two in turn.
    fn entries(messages: u64) -> Vec<Entry> {
        let filler =
            "The clock in session.rs is read twice, and the second time it may be the next day. ".repeat(3);
        (1..=messages)
            .map(|seq| {
                let needle = if seq % 1_000 == 7 { "Straße" } else { "" };
                let opened = Opened {
                    message: Message {
                        kind: "chat".to_owned(),
                        text: format!("{seq}: {filler}{needle}"),
                        ..Message::default()
                    },
                    standing: Standing::Unchecked,
                    signal_differs: false,
                };
                Entry {
                    seq,
                    at: Timestamp::from_millis(1_796_000_000_000),
                    epoch: 1,
                    what: What::Message(Box::new(Posted {
                        id: MessageId::from_bytes([0; 16]),
                        author: ParticipantId::from_bytes([u8::from(seq % 2 == 0); 16]),
                        mine: false,
                        content: Ok(opened),
                    })),
                }
            })
            .collect()
    }

    /// Prints what it takes; the budget is for an optimised build, and one without is not held to any.
    #[test]
    fn a_search_over_10_000_messages_takes_at_most_50_ms() {
        const BUDGET: Duration = Duration::from_millis(50);
        let entries = entries(10_000);
        let name = |id: &ParticipantId| if id.as_bytes() == &[0; 16] { "Ada" } else { "Ben" }.to_owned();
        for (typed, found) in [("strasse", 10), ("ADA clock", 5_000), ("twice nowhere", 0)] {
            let query = Query::parse(typed, Face::Tools).unwrap();
            let started = Instant::now();
            let hits = query.among(name, &entries);
            let took = started.elapsed();
            let line = format!("{typed:?} over 10,000 messages: {took:?}, {} found\n", hits.len());
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            assert_eq!(hits.len(), found, "{typed}");
            assert!(hits.is_sorted());
            assert!(cfg!(debug_assertions) || took < BUDGET, "{typed}: {took:?}");
        }
    }

    #[test]
    fn a_search_needs_a_word_and_has_a_limit() {
        for typed in ["", " \n\t ", "\u{200B}"] {
            assert_eq!(
                Query::parse(typed, Face::Tools).unwrap_err().code(),
                code::BAD_ARGUMENT
            );
        }
        assert!(Query::parse(&"a".repeat(QUERY_MAX), Face::Tools).is_ok());
        assert!(Query::parse(&"a".repeat(QUERY_MAX + 1), Face::Tools).is_err());
        assert_eq!(
            Query::parse(" Two  WORDS ", Face::Tools).unwrap().words,
            ["two", "words"]
        );
    }
}
