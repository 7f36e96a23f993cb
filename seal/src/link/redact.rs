//! Withholding links from text that is shown or logged (`crypto.md` section 4).

use std::borrow::Cow;

/// What stands in place of a token.
pub const WITHHELD: &str = "[session link withheld]";

const PREFIX_LEN: usize = 4;
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
fn token_len(bytes: &[u8]) -> Option<usize> {
    let [b'd' | b'D', b'p' | b'P', b'1', b'f' | b'F' | b'v' | b'V', ..] = bytes else {
        return None;
    };
    let symbols = bytes
        .iter()
        .skip(PREFIX_LEN)
        .take_while(|symbol| matches!(symbol, b'a'..=b'z' | b'A'..=b'Z' | b'2'..=b'7'))
        .count();
    (symbols >= SYMBOLS_MIN).then_some(PREFIX_LEN + symbols)
}
