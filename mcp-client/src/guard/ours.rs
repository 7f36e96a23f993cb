//! Our own secrets: keys of session links, whole, cut or taken apart by wrapping, and bearer tokens.

use std::ops::Range;

use seal::Error;

use crate::redact::{self, Secret};

/// What a link is called.
pub(super) const LINK: (&str, &str) = ("devpilot-link", "a DevPilot session link");

/// What a token is called.
pub(super) const TOKEN: (&str, &str) = ("devpilot-token", "a DevPilot token");

/// Symbols of a link's key after `dp1f` or `dp1v` (`crypto.md` section 4).
const KEY_SYMBOLS: usize = 64;

/// Fewest digits among them. Of 64 symbols 12 are digits, more or less; of prose run together hardly any.
const KEY_DIGITS: usize = 5;

/// Most bytes between two symbols that wrapping or quoting can have put there.
const BETWEEN_MAX: usize = 32;

/// The longest text that `seal` searches, and how much of one piece comes again in the next.
const PIECE: usize = 65_536;
const OVERLAP: usize = 4_096;

/// Where keys and tokens stand, and which of the two.
pub(super) fn find(bytes: &[u8]) -> Vec<(Range<usize>, (&'static str, &'static str))> {
    let named = |(span, secret)| match secret {
        Secret::Link => (span, LINK),
        Secret::Token => (span, TOKEN),
    };
    let mut found: Vec<_> = redact::spans(bytes).map(named).collect();
    found.extend(taken_apart(bytes).map(|span| (span, LINK)));
    if found.is_empty() {
        found.extend(mangled(bytes).map(|span| (span, LINK)));
    }
    if found.is_empty() {
        found.extend(redact::disguised(bytes, 0..bytes.len()).map(named));
    }
    found
}

/// Whole keys whose symbols stand apart: on several lines, behind `>`, between quotes.
fn taken_apart(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let starts = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| matches!(byte, b'd' | b'D'));
    starts.filter_map(|(start, _)| key_at(bytes, start).map(|end| start..end))
}

/// The end of a key that begins at `start`.
fn key_at(bytes: &[u8], start: usize) -> Option<usize> {
    let mut symbols = Symbols { bytes, at: start };
    let begins = |next: Option<u8>, wanted: &[u8]| next.filter(|symbol| wanted.contains(symbol));
    begins(symbols.next(), b"d")?;
    begins(symbols.next(), b"p")?;
    begins(symbols.next(), b"1")?;
    begins(symbols.next(), b"fv")?;
    let mut digits = 0;
    for _ in 0..KEY_SYMBOLS {
        match symbols.next()? {
            b'a'..=b'z' => {}
            b'2'..=b'7' => digits += 1,
            _ => return None,
        }
    }
    (digits >= KEY_DIGITS).then_some(symbols.at)
}

/// Letters and digits in lower case, over what wrapping put between them.
struct Symbols<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Iterator for Symbols<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let rest = self.bytes.get(self.at..)?;
        let between = rest
            .iter()
            .take(BETWEEN_MAX)
            .take_while(|byte| !byte.is_ascii_alphanumeric())
            .count();
        let symbol = rest.get(between).filter(|byte| byte.is_ascii_alphanumeric())?;
        self.at += between + 1;
        Some(symbol.to_ascii_lowercase())
    }
}

/// The first link that only `seal` finds, since it is encoded or otherwise disguised: the lines it stands in.
fn mangled(bytes: &[u8]) -> Option<Range<usize>> {
    let text = String::from_utf8_lossy(bytes);
    // Of bytes that are no text the places would be others.
    let exact = matches!(text, std::borrow::Cow::Borrowed(_));
    let mut start = 0;
    loop {
        let end = boundary(&text, (start + PIECE).min(text.len()));
        let piece = text.get(start..end)?;
        if is_link(piece) {
            let lines = lines_of(piece);
            return Some(match exact {
                true => start + lines.start..start + lines.end,
                false => 0..bytes.len(),
            });
        }
        if end == text.len() {
            return None;
        }
        start = boundary(&text, end - OVERLAP);
    }
}

/// The boundary of a character at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or_default()
}

/// Whether there is a link in it, valid or nearly: one that fails its check is still somebody's.
fn is_link(text: &str) -> bool {
    match seal::link::find(text) {
        Ok(_) => true,
        Err(error) => matches!(
            error,
            Error::LinkAmbiguous | Error::LinkInsecure | Error::LinkEpoch | Error::LinkChecksum
        ),
    }
}

/// The lines that a link stands in: the fewest at the front that hold it, less those before that it does not need.
fn lines_of(text: &str) -> Range<usize> {
    let mut ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    ends.push(text.len());
    let holds = |start: usize, end: usize| text.get(start..end).is_some_and(is_link);
    let last = ends.partition_point(|end| !holds(0, *end));
    let end = ends.get(last).copied().unwrap_or(text.len());
    let mut starts = vec![0];
    starts.extend(ends.iter().copied().filter(|start| *start < end));
    let first = starts
        .partition_point(|start| holds(*start, end))
        .saturating_sub(1);
    starts.get(first).copied().unwrap_or_default()..end
}
