//! How much of a transcript one answer shows. Counted in UTF-8 bytes as JSON writes them, which is never less than
//! plain text needs: the structured form and the text form each stay within the limit.

use std::ops::Range;

/// One entry of a transcript that may be shown.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// Its cleaned text; empty for an event.
    pub text: &'a str,
    /// Bytes of everything beside the text: ids, names, the block's boundary.
    pub overhead: usize,
}

/// How much an answer may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Entries.
    pub entries: usize,
    /// Bytes.
    pub bytes: usize,
}

/// One entry that is shown, whole or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Which entry, from 0.
    pub index: usize,
    /// The bytes of its text.
    pub range: Range<usize>,
    /// Whether that is all of it.
    pub whole: bool,
}

/// What an answer shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The entries, in order.
    pub shown: Vec<Shown>,
    /// How many entries are shown to their end: the next page starts after them.
    pub finished: usize,
    /// Where in the entry after those the next page starts; none unless that one was begun here.
    pub next_offset: Option<usize>,
    /// Whether there are entries left, or a part of one.
    pub more: bool,
}

/// Chooses what fits, from `offset` bytes into the first entry on.
///
/// Cuts between entries. One that is larger than a whole page is shown in parts, each on a page of its own, so that
/// nothing is ever lost across pages and every page gets further.
pub fn page(entries: &[Entry<'_>], offset: usize, budget: Budget) -> Page {
    let mut shown = Vec::new();
    let mut finished = 0;
    let mut next_offset = None;
    let mut left = budget.bytes;
    for (index, entry) in entries.iter().enumerate().take(budget.entries.max(1)) {
        let start = if index == 0 { floor(entry.text, offset) } else { 0 };
        let rest = entry.text.get(start..).unwrap_or_default();
        let after = left
            .checked_sub(entry.overhead)
            .and_then(|room| room_after(rest, room));
        if let Some(room) = after {
            left = room;
            shown.push(Shown {
                index,
                range: start..entry.text.len(),
                whole: start == 0,
            });
            finished += 1;
            continue;
        }
        if index == 0 {
            let range = part(entry.text, start, left.saturating_sub(entry.overhead));
            next_offset = Some(range.end);
            shown.push(Shown {
                index,
                range,
                whole: false,
            });
        }
        break;
    }
    Page {
        more: finished < entries.len(),
        shown,
        finished,
        next_offset,
    }
}

/// The bytes of `text` from `offset` on that fit, cut between characters; at least one character, so that a reader
/// gets on.
pub fn part(text: &str, offset: usize, bytes: usize) -> Range<usize> {
    let start = floor(text, offset);
    let rest = text.get(start..).unwrap_or_default();
    let mut used = 0_usize;
    let mut end = start;
    for character in rest.chars() {
        used = used.saturating_add(json_len(character));
        if used > bytes && end > start {
            break;
        }
        end += character.len_utf8();
    }
    start..end
}

/// The last boundary between characters at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
}

/// What is left of `room` after a text; none if it does not fit. Looks no further than the room goes.
fn room_after(text: &str, room: usize) -> Option<usize> {
    text.chars()
        .try_fold(room, |left, character| left.checked_sub(json_len(character)))
}

/// What a character of cleaned text takes in JSON.
fn json_len(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\t' => 2,
        other => other.len_utf8(),
    }
}
