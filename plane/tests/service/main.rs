//! The service over real stores: every test runs on SQLite, and on Postgres when `DEVPILOT_TEST_POSTGRES` names a
//! server on which databases may be made.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

#[path = "../support/fixture.rs"]
mod fixture;
#[path = "../support/postgres.rs"]
mod postgres;
#[path = "../support/process.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod process;
#[path = "../support/proxy.rs"]
mod proxy;
#[path = "../support/rekeys.rs"]
mod rekeys;
#[path = "../support/transcripts.rs"]
mod transcripts;

mod audit;
mod concurrency;
mod connecting;
mod create;
mod door;
mod ending;
mod eviction;
mod joining;
mod kill;
mod modes;
mod operator;
mod partitions;
mod plans;
mod posters;
mod posting;
mod reading;
mod rekeying;
mod rekeying_races;
mod schema;
mod silence;
mod streaming;
mod versions;
mod waiting;
mod wakes;
