//! Names and titles: claims by their owners, shown short, on one line, and never as ours.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use unicode_security::confusable_detection::skeleton;
use wire::ids::ParticipantId;

use super::hidden::strip;
use crate::redact;

/// The longest name shown, in characters.
const NAME_MAX: usize = 64;
/// The longest title shown, in characters.
const TITLE_MAX: usize = 200;
/// Hex digits of the id beside a name that is not unique.
const ID_DIGITS: usize = 4;

/// Names that only this program, the plane, the host or a model's own transcript would go by.
const RESERVED: [&str; 14] = [
    "system",
    "human",
    "user",
    "assistant",
    "developer",
    "devpilot",
    "host",
    "plane",
    "notice",
    "tool",
    "admin",
    "administrator",
    "moderator",
    "owner",
];

/// How they look.
static SQUEEZED: LazyLock<BTreeSet<String>> = LazyLock::new(|| RESERVED.into_iter().map(squeezed).collect());

/// Stands behind a name like one of ours.
pub const OWN_NAME: &str = "[a participant's own name]";

/// This program.
const OURS: &str = "devpilot-session";

/// A name as it is shown: one line, at most 64 characters, to stand in quotation marks; a name like one of ours says that it is somebody's choice.
pub fn name(raw: &str) -> String {
    name_beside(raw, None)
}

/// A host program's name as it is shown: as [`name`], but ours is no claim to be something else where a program's name
/// stands.
pub fn program(raw: &str) -> String {
    match raw {
        OURS => OURS.to_owned(),
        other => name(other),
    }
}

/// A title as it is shown: one line, at most 200 characters, to stand in quotation marks.
pub fn title(raw: &str) -> String {
    one_line(raw, TITLE_MAX).unwrap_or_else(|| "untitled".to_owned())
}

fn name_beside(raw: &str, host: Option<&str>) -> String {
    let Some(shown) = one_line(raw, NAME_MAX) else {
        return "unnamed".to_owned();
    };
    if claims_to_be_ours(&shown, host) {
        return format!("{shown} {OWN_NAME}");
    }
    shown
}

/// One line, cut at `most` characters; none if nothing can be seen.
fn one_line(raw: &str, most: usize) -> Option<String> {
    let (shown, _) = strip(raw);
    let shown = redact::text(&shown);
    let mut line = String::new();
    for word in shown.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().map(within_quotes));
    }
    if let Some((cut, _)) = line.char_indices().nth(most) {
        let end = line.char_indices().nth(most - 1).map_or(cut, |(at, _)| at);
        line.truncate(end);
        line.push('…');
    }
    Some(line).filter(|line| !line.is_empty())
}

/// A name, title or other short text as it stands beside words of ours: in quotation marks, which it can't close. Without them
/// a name like `Ana (you)` is read as ours.
pub fn in_quotes(shown: &str) -> String {
    let inside: String = shown.chars().map(within_quotes).collect();
    format!("\"{inside}\"")
}

/// Names and titles are shown in quotation marks, which they can't close.
fn within_quotes(character: char) -> char {
    match character {
        '"' | '\u{201C}'..='\u{201F}' | '\u{2033}' | '\u{2036}' | '\u{FF02}' => '\'',
        other => other,
    }
}

/// What two names that look alike have in common (UTS #39), with the usual digits for letters.
fn look(text: &str) -> String {
    let letters: String = text
        .to_lowercase()
        .chars()
        .map(|character| match character {
            '0' => 'o',
            '1' | '|' | '!' => 'l',
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            other => other,
        })
        .collect();
    // Case again: the look of some letters is a capital. `i` and `l` are told apart by nobody.
    let look: String = skeleton(&letters).collect();
    look.to_lowercase().replace('i', "l")
}

fn claims_to_be_ours(shown: &str, host: Option<&str>) -> bool {
    let host = host.map(squeezed);
    let is_reserved = |look: &String| SQUEEZED.contains(look) || host.as_ref() == Some(look);
    let is_ours = |part: &str| {
        let numbered = part.trim_end_matches(|last: char| last.is_ascii_digit());
        is_reserved(&squeezed(part)) || (numbered != part && is_reserved(&squeezed(numbered)))
    };
    is_ours(shown)
        || has_id_digits(shown)
        || shown
            .split(|at: char| !(at.is_alphanumeric() || "|!@$".contains(at)))
            .any(is_ours)
}

/// Whether it carries four digits of an id as we add them, `#79f2` or `(79f2)`: they are ours to add.
fn has_id_digits(shown: &str) -> bool {
    let digits_of = |part: &str| {
        let end = part
            .find(|at: char| !at.is_ascii_hexdigit())
            .unwrap_or(part.len());
        end == ID_DIGITS
    };
    shown
        .split(['#', '(', '['])
        .skip(1)
        .any(|part| digits_of(part.trim_start()))
}

/// The look without what is between letters, so that `S.Y.S.T.E.M` and `[system]` are `system`.
fn squeezed(text: &str) -> String {
    look(text)
        .chars()
        .filter(|character| character.is_alphanumeric())
        .collect()
}

/// The names of a session's participants as they are shown beside each other.
#[derive(Debug, Clone, Default)]
pub struct NameTable {
    shown: BTreeMap<ParticipantId, String>,
}

impl NameTable {
    /// Names as their owners claim them. Where two look alike, each gets the first four hex digits of its id; a name
    /// like one of ours or like `host`, the host program's, is tagged.
    pub fn new<'a>(
        claimed: impl IntoIterator<Item = (&'a ParticipantId, &'a str)>,
        host: Option<&str>,
    ) -> Self {
        let mut shown = BTreeMap::new();
        let mut seen: BTreeMap<String, Vec<ParticipantId>> = BTreeMap::new();
        for (id, raw) in claimed {
            let name = name_beside(raw, host);
            let alike = seen.entry(squeezed(&name)).or_default();
            if !alike.contains(id) {
                alike.push(*id);
            }
            shown.insert(*id, name);
        }
        for id in seen.values().filter(|alike| alike.len() > 1).flatten() {
            if let Some(name) = shown.get_mut(id) {
                *name = format!("{name} #{}", digits(id));
            }
        }
        Self { shown }
    }

    /// How a participant is called; for one whose name is not known, by its id.
    pub fn get(&self, id: &ParticipantId) -> String {
        let unknown = || format!("unknown #{}", digits(id));
        self.shown.get(id).cloned().unwrap_or_else(unknown)
    }
}

fn digits(id: &ParticipantId) -> String {
    id.to_string().chars().take(ID_DIGITS).collect()
}
