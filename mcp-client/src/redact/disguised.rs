//! Secrets that programs on the way have spelled otherwise within a word: percent-encoded, once or again, or with a sign of
//! wrapping between, all of the secret or no more than its end.

use std::borrow::Cow;
use std::ops::Range;

use super::{LINK_SYMBOLS, Secret, TOKEN_SYMBOLS, has_link_key, spans, token_at};

/// The shortest word that can hold a key.
const WORD_MIN: usize = 4 + LINK_SYMBOLS;
/// Bytes of a whole key (`crypto.md` section 4).
const LINK_WHOLE: usize = 4 + 64;
/// Bytes of a whole token: its prefix, and 32 bytes in base64url.
const TOKEN_WHOLE: usize = 4 + 43;

/// Where secrets stand, as they were made or spelled otherwise, from the front.
pub(super) fn with_disguised(bytes: &[u8]) -> Vec<(Range<usize>, Secret)> {
    let mut found = Vec::new();
    let mut from = 0;
    for (span, secret) in spans(bytes) {
        // Taken with the word of the one before.
        if span.start < from {
            continue;
        }
        found.extend(disguised(bytes, from..span.start));
        let span = span.start..end_of_secret(bytes, &span, secret);
        from = span.end;
        found.push((span, secret));
    }
    found.extend(disguised(bytes, from..bytes.len()));
    found
}

/// Where a secret ends whose beginning stands as it was made. Of one that is not whole the rest may follow, spelled otherwise.
fn end_of_secret(bytes: &[u8], span: &Range<usize>, secret: Secret) -> usize {
    let whole = match secret {
        Secret::Link => LINK_WHOLE,
        Secret::Token => TOKEN_WHOLE,
    };
    // Where the last two symbols begin another key, a digit of it follows that no key has.
    let goes_on = bytes.get(span.end).is_some_and(u8::is_ascii_alphanumeric);
    if span.len() == whole && !goes_on {
        span.end
    } else {
        end_of_word(bytes, span.end)
    }
}

/// The words of a part in which a secret is found once their spelling is undone. The whole word goes: where in it the secret
/// begins and ends can't be told.
pub(crate) fn disguised(bytes: &[u8], part: Range<usize>) -> impl Iterator<Item = (Range<usize>, Secret)> {
    let mut at = part.start;
    let bytes = bytes.get(..part.end).unwrap_or_default();
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let span = at..end_of_word(bytes, at);
            // What ends a word is in none.
            at = span.end + 1;
            if let Some(secret) = bytes.get(span.clone()).and_then(secret_in) {
                return Some((span, secret));
            }
        }
        None
    })
}

/// Where a word ends that goes on at `at`: behind the last of its bytes, also over the soft breaks with which mail wraps its
/// lines.
fn end_of_word(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(rest) = bytes.get(end..) {
        end += match rest {
            [b'=', b'\r', b'\n', ..] => 3,
            [b'=', b'\n', ..] => 2,
            [byte, ..] if is_of_a_word(*byte) => 1,
            _ => break,
        };
    }
    end
}

/// A word without its soft breaks.
fn joined(word: &str) -> Cow<'_, str> {
    if word.contains('\n') {
        Cow::Owned(word.replace("=\r\n", "").replace("=\n", ""))
    } else {
        Cow::Borrowed(word)
    }
}

const fn is_of_a_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || is_disguise(byte)
}

/// What stands in no secret, and is undone.
const fn is_disguise(byte: u8) -> bool {
    matches!(byte, b'%' | b'=' | b'>' | b'|' | b'\\')
}

fn secret_in(word: &[u8]) -> Option<Secret> {
    if word.len() < WORD_MIN || !word.iter().any(|byte| is_disguise(*byte)) {
        return None;
    }
    let word = std::str::from_utf8(word).ok()?;
    let joined = joined(word);
    if has_link_key(seal::link::undone(&joined).as_bytes()) {
        return Some(Secret::Link);
    }
    // A token is written in one way: in names of programs its beginning stands in capitals, or behind an arrow.
    let is_encoded = |word: &str| {
        let plain = seal::link::decoded(word);
        plain.as_str() != word && has_token(&plain, 4 + TOKEN_SYMBOLS)
    };
    // Names of settings that lack a value run into the next line's name, and look like a token that was cut.
    let is_wrapped = || joined != word && has_token(&seal::link::decoded(&joined), TOKEN_WHOLE);
    (is_encoded(word) || is_wrapped()).then_some(Secret::Token)
}

/// Whether there is a token of so many bytes or more.
fn has_token(text: &str, least: usize) -> bool {
    let bytes = text.as_bytes();
    (0..bytes.len()).any(|at| token_at(bytes, at).is_some_and(|length| length >= least))
}

#[cfg(test)]
mod tests;
