//! The guard against what it must find and what it must let pass. No literal here looks like a credential: each is put
//! together when a test runs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod corpus;
mod harmless;
mod hostile;
mod ours;
mod wrapped;

use super::{Findings, scan};

fn found(text: &str) -> Findings {
    scan("text", text.as_bytes()).unwrap()
}

/// The rules that find something in it.
fn rules(text: &str) -> Vec<&'static str> {
    found(text).iter().map(|finding| finding.rule).collect()
}

/// `count` symbols that look random and are the same in every run.
fn symbols(alphabet: &str, count: usize, seed: u64) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap()
    };
    (0..count).map(|_| alphabet[next() % alphabet.len()]).collect()
}

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";
const HEX: &str = "0123456789abcdef";
const BASE32: &str = "abcdefghijklmnopqrstuvwxyz234567";

fn alnum(count: usize) -> String {
    symbols(&format!("{UPPER}{LOWER}{DIGITS}"), count, count as u64 + 7)
}

fn hex(count: usize) -> String {
    symbols(HEX, count, count as u64 + 3)
}

fn base64(count: usize) -> String {
    symbols(&format!("{UPPER}{LOWER}{DIGITS}+/"), count, count as u64 + 11)
}

/// A value inside other symbols that its alphabet has too, as it must not be found.
fn key(kind: &str) -> String {
    format!("dp1{kind}{}", symbols(BASE32, 64, 5))
}

fn pem(kind: &str) -> String {
    let dashes = "-----";
    let body: Vec<String> = (0..4).map(|_| base64(64)).collect();
    let (begin, end) = ("BEGIN", "END");
    format!(
        "{dashes}{begin} {kind}PRIVATE KEY{dashes}\n{}\n{dashes}{end} {kind}PRIVATE KEY{dashes}\n",
        body.join("\n")
    )
}

fn putty() -> String {
    let body: Vec<String> = (0..14).map(|_| base64(64)).collect();
    format!("Private-{}: 14\n{}\n", "Lines", body.join("\n"))
}
