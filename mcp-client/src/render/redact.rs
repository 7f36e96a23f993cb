//! Withholding links and tokens from everything that is shown or logged: the last wall, not the first.

use std::borrow::Cow;

use wire::token::TokenKind;

const WITHHELD: &str = "[token withheld]";
/// A run of symbols behind a prefix that is as good as a token, cut or not.
const TOKEN_MIN: usize = 16;

/// Replaces the secret part of session links, and whole tokens (`dps_…`, `dpm_…`, `dpa_…`).
pub fn redact(text: &str) -> Cow<'_, str> {
    match seal::link::redact(text) {
        Cow::Borrowed(text) => tokens(text),
        Cow::Owned(text) => Cow::Owned(tokens(&text).into_owned()),
    }
}

fn tokens(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((at, length)) = next_token(rest) {
        kept.push_str(rest.get(..at).unwrap_or_default());
        kept.push_str(WITHHELD);
        rest = rest.get(at + length..).unwrap_or_default();
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Where the first token starts, and its length.
fn next_token(text: &str) -> Option<(usize, usize)> {
    let is_symbol = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    [TokenKind::Session, TokenKind::Machine, TokenKind::Console]
        .into_iter()
        .flat_map(|kind| text.match_indices(kind.prefix()))
        .filter_map(|(at, prefix)| {
            let symbols = text
                .get(at + prefix.len()..)?
                .bytes()
                .take_while(|byte| is_symbol(*byte))
                .count();
            (symbols >= TOKEN_MIN).then_some((at, prefix.len() + symbols))
        })
        .min()
}
