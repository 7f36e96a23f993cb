//! The vectors of `crypto.md` section 18, one test a case, named after it.
//!
//! `vectors/vectors.json` was made by an independent implementation, so that what is asserted here is not
//! what this crate says of itself.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod attachments;
mod encoding;
mod keys;
mod link;
mod rekey;
mod sealed;
mod signature;
mod support;
mod transcript;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use serde_json::Value;

/// Cases a group, counted in the file by hand: a case that is not replayed must not go unnoticed.
const CASES: [(&str, usize); 9] = [
    ("encoding", 18),
    ("link", 83),
    ("keys", 6),
    ("padding", 37),
    ("signature", 42),
    ("sealed", 106),
    ("transcript", 64),
    ("rekey", 66),
    ("attachments", 18),
];

fn main() -> ExitCode {
    let text = include_str!("../../vectors/vectors.json");
    let file: &'static Value = Box::leak(Box::new(serde_json::from_str(text).unwrap()));
    let groups: [(&str, Vec<Trial>); 9] = [
        ("encoding", encoding::cases(&file["encoding"])),
        ("link", link::cases(&file["link"])),
        ("keys", keys::cases(&file["keys"])),
        ("padding", keys::padding_cases(&file["padding"])),
        ("signature", signature::cases(&file["signature"])),
        ("sealed", sealed::cases(&file["sealed"])),
        ("transcript", transcript::cases(&file["transcript"])),
        ("rekey", rekey::cases(&file["rekey"])),
        ("attachments", attachments::cases(&file["attachments"])),
    ];
    let found: Vec<(&str, usize)> = groups
        .iter()
        .map(|(name, trials)| (*name, trials.len()))
        .collect();
    let known: Vec<&str> = groups.iter().map(|(name, _)| *name).chain(["spec"]).collect();
    let unknown: Vec<&String> = file
        .as_object()
        .unwrap()
        .keys()
        .filter(|name| !known.contains(&name.as_str()))
        .collect();

    let mut trials: Vec<Trial> = groups.into_iter().flat_map(|(_, trials)| trials).collect();
    trials.push(Trial::test("every case is replayed", move || {
        assert_eq!(found, CASES);
        assert!(unknown.is_empty(), "groups that nothing replays: {unknown:?}");
        Ok(())
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
