//! Text made to be slow, and bytes that are no text.

use std::io::Write as _;
use std::time::Duration;

use super::{alnum, rules, symbols};
use crate::guard::scan::scan_by;
use crate::guard::{rules as data, scan};

const MEBIBYTE: usize = 1 << 20;

/// The processor time of a scan: what else the machine does is not counted.
fn took(text: &str) -> Duration {
    let started = used();
    scan("text", text.as_bytes()).unwrap();
    used() - started
}

#[cfg(unix)]
fn used() -> Duration {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(used.tv_sec.try_into().unwrap(), used.tv_nsec.try_into().unwrap())
}

#[cfg(not(unix))]
fn used() -> Duration {
    static STARTED: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    STARTED.elapsed()
}

fn repeated(part: &str, length: usize) -> String {
    part.repeat(length / part.len() + 1)
}

/// Four times the text takes about four times the time, and sixteen times where it grows with the square.
#[test]
fn time_grows_with_the_text_and_no_faster() {
    let keywords: String = data::all()
        .unwrap()
        .iter()
        .flat_map(data::Rule::keywords)
        .collect::<Vec<_>>()
        .join(" ");
    scan("text", keywords.as_bytes()).unwrap();
    for part in [
        keywords.as_str(),
        "-----BEGIN PRIVATE KEY-----\n",
        "a://a:",
        "a://a:a@",
        "://a:a@a",
        "\"auth\":\"aaaaaaaaaaaa",
        "UFJJVkFURSBLRVktLS0tLQ",
        "authorization: bearer ",
        "machine a login a password ",
        "dp1f",
        "d p 1 f a ",
        "eyJhbGciOiJIUzI1NiJ9.",
        "gh\u{200B}p_",
        "%25",
        "&amp;",
        "&#0",
        "&#x0;",
    ] {
        let (short, long) = (repeated(part, MEBIBYTE / 64), repeated(part, MEBIBYTE / 16));
        let least = |text: &str| (0..3).map(|_| took(text)).min().unwrap();
        let (short, long) = (least(&short), least(&long));
        let bound = short * 10 + Duration::from_millis(50);
        assert!(
            long < bound,
            "{part:?}: {short:?}, and {long:?} for four times that"
        );
    }
}

#[test]
fn a_mebibyte_of_findings_is_bounded() {
    let token = ["gh", "p_", &alnum(36), " "].concat();
    let found = scan("text", repeated(&token, MEBIBYTE).as_bytes()).unwrap();
    assert_eq!(found.iter().count(), 256);
    assert_eq!(found.withheld_in("anything"), "[credential withheld]");
    assert!(found.to_string().ends_with("and 251 more"), "{found}");
}

#[test]
fn bytes_that_are_no_text_are_scanned_too() {
    let mut bytes = vec![0xFF, 0xFE, b'\n', 0x00];
    bytes.extend_from_slice(["gh", "p_", &alnum(36)].concat().as_bytes());
    bytes.push(0xC3);
    let found = scan("notes.bin", &bytes).unwrap();
    let places: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        places,
        ["a GitHub personal access token (`notes.bin`, line 2, column 2)"]
    );
}

#[test]
fn a_pattern_is_compiled_when_its_keyword_is_met() {
    let rules = data::Rules::fresh().unwrap();
    let compiled = || -> Vec<&str> {
        let compiled = rules.iter().filter(|rule| rule.is_compiled());
        compiled.map(data::Rule::id).collect()
    };
    scan_by(rules, "text", symbols("xyz \n", 5_000, 1).as_bytes()).unwrap();
    assert_eq!(compiled(), [""; 0]);
    scan_by(rules, "text", b"npm_").unwrap();
    assert_eq!(compiled(), ["npm-access-token"]);
}

#[test]
fn nothing_is_found_in_nothing() {
    assert_eq!(rules(""), [""; 0]);
}

/// What a guarded post costs; printed, since machines differ. `cargo test -- --nocapture guarded_post`.
#[test]
fn what_a_guarded_post_of_64_kib_costs() {
    let words = "The clock in session.rs is mocked by the test, and pattern matching on Asia/Tokyo fails: commit 3f2c9e1. ";
    let text = repeated(words, 65_536);
    let (first, warm) = (took(&text), (0..5).map(|_| took(&text)).min().unwrap());
    writeln!(
        std::io::stderr(),
        "a scan of 64 KiB: first {first:?}, then {warm:?}"
    )
    .unwrap();
    assert!(scan("text", text.as_bytes()).unwrap().is_empty());
}
