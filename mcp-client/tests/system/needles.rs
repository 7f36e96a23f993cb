//! Looking for something that must not be there, in every form in which it could lie.

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::alphabet::{Alphabet, STANDARD, URL_SAFE};
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::NO_PAD;

/// Shorter ones would be found by chance.
const SHORTEST: usize = 6;

/// Things to look for.
#[derive(Default)]
pub(crate) struct Needles {
    forms: Vec<(String, Vec<u8>)>,
}

impl Needles {
    /// Adds a text: as it is, escaped, percent-encoded, in UTF-16, hex and base64.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        assert!(text.len() >= SHORTEST, "{name} would be found by chance");
        let json = serde_json::to_string(text).unwrap();
        let ascii: String = text.chars().map(escaped).collect();
        let percent: String = text.bytes().map(percent_encoded).collect();
        self.add(name, "JSON", json.trim_matches('"').as_bytes().to_vec());
        self.add(name, "ASCII JSON", ascii.into_bytes());
        self.add(name, "percent", percent.to_lowercase().into_bytes());
        self.add(name, "percent", percent.into_bytes());
        let utf16: Vec<u16> = text.encode_utf16().collect();
        self.add(
            name,
            "UTF-16LE",
            utf16.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
        );
        self.add(
            name,
            "UTF-16BE",
            utf16.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
        );
        self.bytes(name, text.as_bytes());
    }

    /// Adds bytes: as they are, in hex and base64.
    pub(crate) fn bytes(&mut self, name: &str, bytes: &[u8]) {
        assert!(bytes.len() >= SHORTEST, "{name} would be found by chance");
        self.add(name, "as it is", bytes.to_vec());
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.add(name, "HEX", hex.to_uppercase().into_bytes());
        self.add(name, "hex", hex.into_bytes());
        for (form, alphabet) in [("base64", STANDARD), ("base64url", URL_SAFE)] {
            for before in 0..3 {
                self.add(name, form, inner_base64(bytes, &alphabet, before));
            }
        }
    }

    fn add(&mut self, name: &str, form: &str, bytes: Vec<u8>) {
        self.forms.push((format!("{name}, {form}"), bytes));
    }

    /// Which of them are in it.
    pub(crate) fn in_bytes(&self, haystack: &[u8]) -> Vec<&str> {
        let search = AhoCorasick::new(self.forms.iter().map(|(_, bytes)| bytes)).unwrap();
        let mut found: Vec<&str> = search
            .find_overlapping_iter(haystack)
            .map(|hit| self.forms[hit.pattern().as_usize()].0.as_str())
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// None of them is in it.
    #[track_caller]
    pub(crate) fn assert_not_in(&self, place: &str, haystack: &[u8]) {
        let found = self.in_bytes(haystack);
        assert!(found.is_empty(), "{place} holds: {found:?}");
    }

    /// Each of them is in it, in one form or another: the search would have found it.
    #[track_caller]
    pub(crate) fn assert_all_in(&self, place: &str, haystack: &[u8]) {
        let found = self.in_bytes(haystack);
        for (name, _) in &self.forms {
            let (thing, _) = name.rsplit_once(", ").unwrap();
            let there = found.iter().any(|hit| hit.rsplit_once(", ").unwrap().0 == thing);
            assert!(there, "{place} does not hold {thing}: the search sees nothing");
        }
    }
}

/// The symbols of base64 that depend on `bytes` alone, wherever they start in what was encoded.
fn inner_base64(bytes: &[u8], alphabet: &Alphabet, before: usize) -> Vec<u8> {
    let text = GeneralPurpose::new(alphabet, NO_PAD).encode([&vec![0; before], bytes].concat());
    let bits = |count: usize| count * 8;
    text.as_bytes()[bits(before).div_ceil(6)..bits(before + bytes.len()) / 6].to_vec()
}

fn escaped(symbol: char) -> String {
    if symbol.is_ascii() {
        return symbol.to_string();
    }
    let mut units = [0; 2];
    symbol
        .encode_utf16(&mut units)
        .iter()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect()
}

fn percent_encoded(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
        char::from(byte).to_string()
    } else {
        format!("%{byte:02X}")
    }
}

/// Adds to a dump what its runs of hex digits stand for: columns of bytes are dumped that way.
pub(crate) fn with_hex_decoded(dump: &str) -> Vec<u8> {
    let mut all = dump.as_bytes().to_vec();
    for run in dump
        .split(|symbol: char| !symbol.is_ascii_hexdigit())
        .filter(|run| run.len() >= 16)
    {
        let start = if run.len() % 2 == 1 { &run[1..] } else { run };
        all.push(b'\n');
        for pair in start.as_bytes().chunks(2) {
            all.push(u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap());
        }
    }
    all
}

#[test]
fn the_search_finds_each_form() {
    let mut needles = Needles::default();
    needles.text("a secret", "größer & böser");
    let utf16 = |text: &str| {
        text.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>()
    };
    for (haystack, form) in [
        ("so größer & böser so".as_bytes().to_vec(), "a secret, as it is"),
        (br"gr\u00f6\u00dfer & b\u00f6ser".to_vec(), "a secret, ASCII JSON"),
        (
            b"x=gr%C3%B6%C3%9Fer%20%26%20b%C3%B6ser".to_vec(),
            "a secret, percent",
        ),
        (b"6772c3b6c39f6572202620 62".to_vec(), ""),
        (
            b"..6772c3b6c39f657220262062c3b6736572..".to_vec(),
            "a secret, hex",
        ),
        (b"eHggZ3LDtsOfZXIgJiBiw7ZzZXIgeHg=".to_vec(), "a secret, base64"),
        (b"eGdyw7bDn2VyICYgYsO2c2VyeA==".to_vec(), "a secret, base64"),
        (b"eHhncsO2w59lciAmIGLDtnNlcg".to_vec(), "a secret, base64"),
        (utf16("größer & böser"), "a secret, UTF-16LE"),
    ] {
        let found = needles.in_bytes(&haystack);
        match form {
            "" => assert!(found.is_empty(), "{found:?}"),
            form => assert!(found.contains(&form), "{form}: {found:?}"),
        }
    }
    let dump = with_hex_decoded("(1,\"\\\\x6772c3b6c39f657220262062c3b6736572\")");
    assert!(needles.in_bytes(&dump).contains(&"a secret, as it is"));
}
