//! The last wall before text leaves the process: link keys and bearer tokens are taken out of it.
//!
//! Every layer keeps secrets out of what it makes. This one assumes that one of them failed. It finds the key part
//! of a link by the rule of `crypto.md` section 4 (`dp1[fv][a-z2-7]{16,}` in either case) and tokens by their
//! prefix, also where programs on the way have percent-encoded or wrapped them, whole or in part. It does no I/O and knows
//! nothing of where the text goes.

mod disguised;

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;
use wire::token::TokenKind;

pub(crate) use disguised::disguised;

/// What stands where a link's key was.
const LINK_WITHHELD: &str = "[session link withheld]";

/// What stands where a token was.
const TOKEN_WITHHELD: &str = "[token withheld]";

/// Fewest symbols after `dp1f` or `dp1v` that count as a key (`crypto.md` section 4).
const LINK_SYMBOLS: usize = 16;

/// Fewest symbols after a token's prefix that count as a token. A whole one has 43.
const TOKEN_SYMBOLS: usize = 16;

/// `text` without link keys and tokens; unchanged text is not copied.
pub fn text(text: &str) -> Cow<'_, str> {
    text_except(text, None)
}

/// As [`text`], but one link that its owner asked to see may stay: the whole key of `allowed`, nothing else.
pub fn text_except<'a>(text: &'a str, allowed: Option<&str>) -> Cow<'a, str> {
    let bytes = text.as_bytes();
    let mut clean = String::new();
    let mut copied = 0;
    for (span, secret) in disguised::with_disguised(bytes) {
        let found = text.get(span.clone()).unwrap_or_default();
        if allowed.is_none_or(|link| !link.ends_with(found)) {
            clean.push_str(text.get(copied..span.start).unwrap_or_default());
            clean.push_str(match secret {
                Secret::Link => LINK_WITHHELD,
                Secret::Token => TOKEN_WITHHELD,
            });
            copied = span.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(clean)
}

/// Takes link keys and tokens out of every string of `value`, names of members included.
pub fn json_except(value: &mut Value, allowed: Option<&str>) {
    match value {
        Value::String(string) => {
            if let Cow::Owned(clean) = text_except(string, allowed) {
                *string = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| json_except(item, allowed)),
        Value::Object(members) => {
            let dirty = members.keys().any(|name| matches!(text(name), Cow::Owned(_)));
            if dirty {
                *members = std::mem::take(members)
                    .into_iter()
                    .map(|(name, value)| (text(&name).into_owned(), value))
                    .collect();
            }
            members
                .values_mut()
                .for_each(|member| json_except(member, allowed));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether `text` holds the key of a link, percent-encoded or not. Stricter callers refuse such text instead of cleaning it.
pub fn holds_link(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut disguised = disguised(bytes, 0..bytes.len());
    has_link_key(bytes) || disguised.any(|(_, secret)| secret == Secret::Link)
}

fn has_link_key(bytes: &[u8]) -> bool {
    (0..bytes.len()).any(|at| link_key_at(bytes, at).is_some())
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secret {
    /// The key of a link.
    Link,
    /// A bearer token.
    Token,
}

/// Where link keys and tokens stand as they were made, from the front.
pub(crate) fn spans(bytes: &[u8]) -> impl Iterator<Item = (Range<usize>, Secret)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            if let Some((length, secret)) = secret_at(bytes, at) {
                let start = at;
                at += length;
                return Some((start..at, secret));
            }
            at += 1;
        }
        None
    })
}

/// The length of a secret that starts at `at`, and what it is.
fn secret_at(bytes: &[u8], at: usize) -> Option<(usize, Secret)> {
    link_key_at(bytes, at)
        .map(|length| (length, Secret::Link))
        .or_else(|| token_at(bytes, at).map(|length| (length, Secret::Token)))
}

fn link_key_at(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let (head, symbols) = rest.split_at_checked(4)?;
    let head =
        [head.first()?, head.get(1)?, head.get(2)?, head.get(3)?].map(|byte| byte.to_ascii_lowercase());
    if !matches!(head, [b'd', b'p', b'1', b'f' | b'v']) {
        return None;
    }
    let length = symbols
        .iter()
        .take_while(|byte| matches!(byte.to_ascii_lowercase(), b'a'..=b'z' | b'2'..=b'7'))
        .count();
    (length >= LINK_SYMBOLS).then_some(4 + length)
}

fn token_at(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let prefix = [TokenKind::Session, TokenKind::Machine, TokenKind::Console]
        .into_iter()
        .map(TokenKind::prefix)
        .find(|prefix| rest.starts_with(prefix.as_bytes()))?;
    let length = rest
        .get(prefix.len()..)?
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        .count();
    (length >= TOKEN_SYMBOLS).then_some(prefix.len() + length)
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
mod tests {
    use super::*;

    const KEY: &str = "dp1faaaabbbbccccddddeeeeffffgggghhhhiiiijjjjkkkkllllmmmmnnnnoooopppp";

    #[test]
    fn a_link_loses_its_key_and_nothing_else() {
        let note = format!("open https://plane.example/s/0123#{KEY}, then say hello");
        assert_eq!(
            text(&note),
            "open https://plane.example/s/0123#[session link withheld], then say hello"
        );
    }

    #[test]
    fn keys_are_found_in_upper_case_and_cut_short() {
        assert_eq!(text("DP1VAAAABBBBCCCCDDDD"), LINK_WITHHELD);
        assert_eq!(text("dp1faaaabbbbccccddd"), "dp1faaaabbbbccccddd");
    }

    #[test]
    fn tokens_of_all_three_kinds_are_found() {
        for prefix in ["dps_", "dpm_", "dpa_"] {
            let header = format!("Bearer {prefix}AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE.");
            assert_eq!(text(&header), "Bearer [token withheld].");
        }
    }

    #[test]
    fn text_beside_other_letters_is_kept() {
        let text_of_a_person = "Übergröße dp1 dpm_ dps_short 🙂";
        assert!(matches!(text(text_of_a_person), Cow::Borrowed(_)));
    }

    #[test]
    fn the_link_that_was_asked_for_stays_and_another_goes() {
        let wanted = format!("https://plane.example/s/0123#{KEY}");
        let other = KEY.replace('a', "q");
        let both = format!("{wanted} {other}");
        assert_eq!(
            text_except(&both, Some(&wanted)),
            format!("{wanted} [session link withheld]")
        );
    }

    #[test]
    fn json_is_cleaned_in_members_and_their_names() {
        let mut value = serde_json::json!({ KEY: [{ "deep": KEY }], "kept": 7 });
        json_except(&mut value, None);
        assert_eq!(
            value,
            serde_json::json!({ LINK_WITHHELD: [{ "deep": LINK_WITHHELD }], "kept": 7 })
        );
    }

    /// The vectors of `crypto.md` section 4; the second implementation is that of `seal`.
    #[test]
    fn links_are_withheld_as_the_vectors_have_it() {
        let vectors = include_str!("../../seal/vectors/vectors.json");
        let vectors: Value = serde_json::from_str(vectors).unwrap();
        let cases = vectors["link"]["redact"].as_array().unwrap();
        assert!(cases.len() >= 5);
        for case in cases {
            let given = case["text"].as_str().unwrap();
            assert_eq!(text(given), case["out"].as_str().unwrap());
            assert_eq!(text(given), seal::link::redact(given));
        }
    }
}
