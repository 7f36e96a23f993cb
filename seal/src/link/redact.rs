//! Withholding links from text that is shown or logged (`crypto.md` section 4).

use std::borrow::Cow;

/// What stands in place of a token.
pub const WITHHELD: &str = "[session link withheld]";

/// `dp`
const PREFIX_LEN: usize = 2;
const SYMBOLS_MIN: usize = 16;

/// Replaces the token of every link in the text, `dp1[fv][a-z2-7]{16,}` in either case, by [`WITHHELD`].
///
/// Remove hidden characters first: a token that a zero-width character splits is none until it is taken out.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(rest) = text.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
        let Some(len) = token_len(rest) else {
            at += 1;
            continue;
        };
        // A token is ASCII, so both of its ends are boundaries of the text.
        out.push_str(text.get(copied..at).unwrap_or_default());
        out.push_str(WITHHELD);
        at += len;
        copied = at;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// The length of the token that the bytes begin with.
///
/// The expression alone would take `dp` of a second token right behind as symbols of the first, and leave the rest of
/// the second: what follows such an ending belongs to the match.
fn token_len(bytes: &[u8]) -> Option<usize> {
    let [b'd' | b'D', b'p' | b'P', rest @ ..] = bytes else {
        return None;
    };
    let mut len = bytes.len() - rest.len();
    let mut tail = rest;
    while let Some(more) = tail_len(tail) {
        len += more;
        let (seen, unseen) = tail.split_at_checked(more)?;
        tail = if matches!(seen, [.., b'd' | b'D', b'p' | b'P']) {
            unseen
        } else {
            &[]
        };
    }
    (len > PREFIX_LEN).then_some(len)
}

/// The length of `1[fv][a-z2-7]{16,}` at the front.
fn tail_len(bytes: &[u8]) -> Option<usize> {
    let [b'1', b'f' | b'F' | b'v' | b'V', symbols @ ..] = bytes else {
        return None;
    };
    let symbols = symbols
        .iter()
        .take_while(|symbol| matches!(symbol, b'a'..=b'z' | b'A'..=b'Z' | b'2'..=b'7'))
        .count();
    (symbols >= SYMBOLS_MIN).then_some(2 + symbols)
}
