//! The service over real stores: every test runs on SQLite, and on Postgres when `DEVPILOT_TEST_POSTGRES` names a
//! server on which databases may be made.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

mod fixture;

mod create;
mod ending;
mod joining;
mod modes;
mod posting;
mod reading;
mod waiting;
