//! Secrets that programs on the way have spelled otherwise within a word: percent-encoded, once or again, or with a sign of
//! wrapping between.

use std::ops::Range;

use super::{LINK_SYMBOLS, Secret, has_link_key, spans, token_at};

/// The shortest word that can hold a key.
const WORD_MIN: usize = 4 + LINK_SYMBOLS;

/// Where secrets stand, as they were made or spelled otherwise, from the front.
pub(super) fn with_disguised(bytes: &[u8]) -> Vec<(Range<usize>, Secret)> {
    let mut found = Vec::new();
    let mut from = 0;
    for (span, secret) in spans(bytes) {
        found.extend(disguised(bytes, from..span.start));
        from = span.end;
        found.push((span, secret));
    }
    found.extend(disguised(bytes, from..bytes.len()));
    found
}

/// The words of a part in which a secret is found once their spelling is undone. The whole word goes: where in it the secret
/// begins and ends can't be told.
pub(crate) fn disguised(bytes: &[u8], part: Range<usize>) -> impl Iterator<Item = (Range<usize>, Secret)> {
    let start = part.start;
    let part = bytes.get(part).unwrap_or_default();
    let mut at = start;
    part.split(|byte| !is_of_a_word(*byte)).filter_map(move |word| {
        let span = at..at + word.len();
        at = span.end + 1;
        Some((span, secret_in(word)?))
    })
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
    if has_link_key(seal::link::undone(word).as_bytes()) {
        return Some(Secret::Link);
    }
    // A token is written in one way: in names of programs its beginning stands in capitals, or behind an arrow.
    let plain = seal::link::decoded(word);
    let decoded = plain.as_str() != word;
    let has_token = || (0..plain.len()).any(|at| token_at(plain.as_bytes(), at).is_some());
    (decoded && has_token()).then_some(Secret::Token)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::{holds_link, text};

    /// Of a link that opens nothing.
    const SYMBOLS: &str = "abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefgh";

    fn encoded(text: &str, upper: bool) -> String {
        text.bytes()
            .map(|byte| {
                if upper {
                    format!("%{byte:02X}")
                } else {
                    format!("%{byte:02x}")
                }
            })
            .collect()
    }

    fn assert_withheld(shown: &str) {
        assert!(shown.contains("[session link withheld]"), "{shown}");
        let plain = seal::link::undone(shown);
        assert!(!plain.contains("abcdefghabcdefgh"), "{shown}");
    }

    /// The page's own cases (`web/tests/unit/text/text.test.ts`).
    #[test]
    fn a_key_goes_however_it_is_spelled() {
        for begun in [
            "#dp1f",
            "#%64p1f",
            "%23dp1f",
            "#%2564p1f",
            "#%252564p%31f",
            "#DP1V",
            "#dp1%E2%80%8Bf",
            "#d=p1f",
        ] {
            for before in ["", "https://plane.example/s/0192f7c04a1b4c2d8e3f5a6b7c8d9e0f"] {
                let note = format!("see {before}{begun}{SYMBOLS}, please");
                assert!(holds_link(&note), "{note}");
                let shown = text(&note);
                assert_withheld(&shown);
                assert!(
                    shown.starts_with("see ") && shown.ends_with(", please"),
                    "{shown}"
                );
            }
        }
    }

    #[test]
    fn a_link_or_its_fragment_goes_encoded_once_and_twice_in_either_case() {
        let fragment = format!("#dp1v{SYMBOLS}");
        let link = format!("https://plane.example/s/0192f7c0-4a1b-4c2d-8e3f-5a6b7c8d9e0f{fragment}");
        for secret in [&fragment, &link] {
            for upper in [true, false] {
                let once = encoded(secret, upper);
                for spelled in [encoded(&once, upper), once.replace('%', "%25"), once] {
                    let shown = text(&spelled);
                    assert_eq!(shown, "[session link withheld]", "{spelled}");
                }
            }
        }
        // As forms and redirects do it: what is no letter or digit alone.
        for spelled in [
            format!("next=https%3A%2F%2Fplane.example%2Fs%2F0192f7c0%2Ddp%2523dp1f{SYMBOLS}&x=1"),
            format!("next=https%3a%2f%2fplane.example%2fs%2f0192f7c0%23%64p1f{SYMBOLS}&x=1"),
        ] {
            let shown = text(&spelled);
            assert_withheld(&shown);
            assert!(shown.ends_with("&x=1"), "{shown}");
        }
    }

    #[test]
    fn a_token_goes_as_well() {
        let token = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE";
        for spelled in [
            format!("%64ps_{token}"),
            format!("dpm%5F{token}"),
            format!("dpa%255f{token}"),
        ] {
            assert_eq!(text(&format!("Bearer {spelled}.")), "Bearer [token withheld].");
        }
    }

    #[test]
    fn what_is_no_secret_stays_encoded_as_it_is() {
        for innocent in [
            // The page's own.
            "a%20b https://example.org/s/0123456789abcdef?dp=1&q=%64p1 x=>y",
            "https://example.org/search?q=%23dp1%20percent%2520encoded%20and%20long",
            "https://plane.example/s/0192f7c0-4a1b-4c2d-8e3f-5a6b7c8d9e0f%23",
            "%64p1f%61%62%63 is too short for a key",
            "flags==DPM_FLAG_SMART_SUSPEND; DPS_TOTAL_DAMAGE_OUT=5%25",
            "cfg->dps_rate>threshold_value_max|dpm=_domain_attach_by_name_",
            "if a>=b|c then x=%d, y=%%, z=%zz and 100%",
            "YWJjZGVmZ2hhYmNkZWZnaGFiY2RlZmdoYWJjZGVmZ2g==",
            "%E2%9C%93%20%C3%9Cbergr%C3%B6%C3%9Fe%20%F0%9F%99%82%20%FF%FE",
        ] {
            assert!(matches!(text(innocent), Cow::Borrowed(_)), "{innocent}");
            assert!(!holds_link(innocent));
        }
    }

    #[test]
    fn only_the_word_that_holds_it_goes() {
        let hidden = encoded(&format!("dp1f{SYMBOLS}"), true);
        let note = format!("a%20b {hidden} c%20d\nÜ={hidden}");
        assert_eq!(
            text(&note),
            "a%20b [session link withheld] c%20d\nÜ[session link withheld]"
        );
    }
}
