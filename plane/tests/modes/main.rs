//! Modes as callers meet them: the whole plane over HTTP, on both stores, by one process and by two over one
//! database. The machine itself is tested where it is.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

#[path = "../support/client.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod client;
#[path = "../support/fixture.rs"]
#[allow(dead_code, unused_imports, reason = "shared with other tests")]
mod fixture;
#[path = "../support/mode_strings/mod.rs"]
mod mode_strings;
#[path = "../support/postgres.rs"]
mod postgres;
#[path = "../support/process.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod process;
#[path = "../support/rekeys.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod rekeys;
#[path = "../support/transcripts.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod transcripts;

mod bounds;
mod over_http;
mod party;
mod races;
mod real;
mod routes;
mod strings;
mod time;
