//! What is withheld of secrets that are spelled otherwise, and what stays.

use std::borrow::Cow;

use proptest::prelude::*;

use crate::redact::{holds_link, text};

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
fn the_rest_of_a_secret_goes_that_is_encoded_from_any_symbol_on() {
    let token = "dps_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE";
    let key = format!("dp1v{SYMBOLS}");
    for (secret, withheld) in [
        (token, "[token withheld]"),
        (key.as_str(), "[session link withheld]"),
    ] {
        for at in 0..secret.len() {
            let (before, rest) = secret.split_at(at);
            let (symbol, after) = rest.split_at(1);
            let once = encoded(symbol, true);
            for spelled in [
                format!("{before}{once}{after}"),
                format!("{before}{}{after}", once.replace('%', "%25")),
                format!("{before}{}", encoded(rest, false)),
            ] {
                assert_eq!(text(&format!("Bearer {spelled}.")), format!("Bearer {withheld}."));
            }
        }
    }
}

#[test]
fn a_secret_goes_over_the_soft_breaks_of_mail() {
    let token = "dpm_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE";
    let key = format!("dp1f{SYMBOLS}");
    for (secret, withheld) in [
        (token, "[token withheld]"),
        (key.as_str(), "[session link withheld]"),
    ] {
        for at in 1..secret.len() {
            let (before, after) = secret.split_at(at);
            for soft in ["=\r\n", "=\n"] {
                let note = format!("see {before}{soft}{after}, please=\r\n do");
                assert_eq!(text(&note), format!("see {withheld}, please=\r\n do"));
            }
        }
    }
    // In the middle of what stands for one symbol, and more than once.
    let wrapped = format!("%64p1f%6=\r\n1{}=\r\n{}", &SYMBOLS[1..30], &SYMBOLS[30..]);
    assert_eq!(text(&wrapped), "[session link withheld]");
}

#[test]
fn what_follows_a_whole_secret_stays() {
    let token = "dpa_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE";
    for (secret, withheld) in [
        (token, "[token withheld]"),
        (&format!("dp1f{SYMBOLS}"), "[session link withheld]"),
    ] {
        for after in [
            "%20and%20more",
            "=\r\nand more",
            "|next|",
            "%",
            "=\n",
            "=🙂",
            "\\n",
        ] {
            assert_eq!(text(&format!("{secret}{after}")), format!("{withheld}{after}"));
        }
    }
}

#[test]
fn keys_without_anything_between_all_go() {
    let key = format!("dp1f{SYMBOLS}");
    for between in ["", "%", "=\n"] {
        let shown = text(&[key.as_str(), &key, &key].join(between)).into_owned();
        assert!(!shown.contains("abcdefgh"), "{shown}");
    }
    let cut = &SYMBOLS[..62];
    assert_eq!(text(&format!("dp1f{cut}{key}.")), "[session link withheld].");
}

proptest! {
    #[test]
    fn whatever_is_put_together_shows_no_key_and_stays_as_it_is_shown(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "dp1f", "DP1V", "d", "p1f", "dps_", "abcdefgh", "ABCDEFGH", SYMBOLS, "%64", "%2564", "%", "%e2%80%8b",
                "=\r\n", "=\n", "=", "\r\n", "|", ">", "\\", "é", "🙂", "\u{200b}", "1", "0", "-", "_", " ",
            ]),
            0..24,
        )
    ) {
        let shown = text(&parts.concat()).into_owned();
        prop_assert!(!holds_link(&shown), "{}", shown);
        prop_assert_eq!(text(&shown), shown.as_str());
    }

    #[test]
    fn any_text_can_be_looked_through(given in any::<String>()) {
        prop_assert!(!holds_link(&text(&given)));
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
        // Settings without a value, and mail with its soft breaks.
        "dps_rate=\nLONG_NAME_OF_A_SETTING=1\ndpm_=\r\ndps_=\r\n=\n=",
        "Gr=C3=BC=C3=9Fe, and a line that is wrap=\r\nped where dp1f=\r\n stands=20\r\n",
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
