//! Takes link secrets and tokens out of text: `dp1[fv][a-z2-7]{16,}` in either case (`crypto.md` section 4), and
//! `dps_`, `dpm_`, `dpa_` with what follows (`plane-api.md`, Credentials).

use std::borrow::Cow;

/// A shorter run is a word, not a secret.
const LEAST: usize = 16;

/// A secret at the start of `text`: its length and what stands in its place.
fn secret_at(text: &[u8]) -> Option<(usize, &'static [u8])> {
    let (head, rest) = text.split_at_checked(4)?;
    let run = |part: fn(&u8) -> bool| rest.iter().take_while(|symbol| part(symbol)).count();
    let (length, instead): (usize, &'static [u8]) = match head {
        [b'd' | b'D', b'p' | b'P', b'1', b'f' | b'F' | b'v' | b'V'] => (
            run(|symbol| matches!(symbol, b'a'..=b'z' | b'A'..=b'Z' | b'2'..=b'7')),
            b"[session link withheld]",
        ),
        [b'd', b'p', b's' | b'm' | b'a', b'_'] => (
            run(|symbol| symbol.is_ascii_alphanumeric() || matches!(symbol, b'_' | b'-')),
            b"[token withheld]",
        ),
        _ => return None,
    };
    (length >= LEAST).then_some((head.len() + length, instead))
}

/// Whether a link's secret, or the start of one, stands in the text.
pub fn holds_link_token(text: &str) -> bool {
    let bytes = text.as_bytes();
    (0..bytes.len())
        .filter_map(|at| secret_at(bytes.get(at..)?))
        .any(|(_, instead)| instead.starts_with(b"[session"))
}

/// Whether somewhere stands what all secrets begin with. Each request's line is asked, so the compiler is left free to look
/// at many places at once: there is no early way out.
fn may_hold_secret(text: &[u8]) -> bool {
    let next = text.get(1..).unwrap_or_default();
    let pairs = text.iter().zip(next);
    pairs.fold(false, |found, (first, second)| {
        found | ((first | 0x20 == b'd') & (second | 0x20 == b'p'))
    })
}

/// The text without its secrets.
pub(super) fn redacted(text: &[u8]) -> Cow<'_, [u8]> {
    if !may_hold_secret(text) {
        return Cow::Borrowed(text);
    }
    let begins = |two: &[u8]| matches!(two, [b'd' | b'D', b'p' | b'P']);
    let mut clean = Vec::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(rest) = text.get(at..) {
        let Some(next) = rest.windows(2).position(begins) else {
            break;
        };
        at += next;
        if let Some((length, instead)) = text.get(at..).and_then(secret_at) {
            clean.extend_from_slice(text.get(kept..at).unwrap_or_default());
            clean.extend_from_slice(instead);
            at += length;
            kept = at;
        } else {
            at += 1;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    clean.extend_from_slice(text.get(kept..).unwrap_or_default());
    Cow::Owned(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str) -> String {
        String::from_utf8_lossy(&redacted(text.as_bytes())).into_owned()
    }

    #[test]
    fn secrets_are_taken_out_and_the_rest_stays() {
        let link = format!("dp1f{}", "abcdefgh234567ij".repeat(4));
        assert_eq!(
            clean(&format!("GET /s/x%23{link} end")),
            "GET /s/x%23[session link withheld] end"
        );
        assert_eq!(clean(&link.to_uppercase()), "[session link withheld]");
        let token = format!("dps_{}", "Ab-_".repeat(10));
        assert_eq!(
            clean(&format!("\"{token}\",\"{token}\"")),
            "\"[token withheld]\",\"[token withheld]\""
        );
        for kind in ["dpm_", "dpa_"] {
            assert!(!clean(&token.replace("dps_", kind)).contains("Ab-_"));
        }
    }

    #[test]
    fn a_truncated_secret_is_one_from_sixteen_symbols_on() {
        assert_eq!(clean("dp1vabcdefghabcdefgh"), "[session link withheld]");
        assert_eq!(clean("dp1vabcdefghabcdefg"), "dp1vabcdefghabcdefg");
        assert!(holds_link_token("?x=dp1vabcdefghabcdefgh") && !holds_link_token("dps_abcdefghabcdefgh"));
    }

    #[test]
    fn words_stay() {
        for text in [
            "",
            "dp",
            "dp1",
            "dps_",
            "dpm_short",
            "a line without secrets, ünïcode too",
        ] {
            assert_eq!(clean(text), text);
        }
    }
}
