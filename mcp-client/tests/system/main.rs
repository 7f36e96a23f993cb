//! The whole system from outside: real client processes, a real plane, and what stands between them.
//!
//! What is asserted here comes from `crypto.md` sections 9 and 16 and from the promises of the README, not from the
//! code: a plane that lies is caught by name, nothing it keeps or logs gives a session away, and nothing that a model
//! or another process sees holds a key.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

#[path = "../stdio/mod.rs"]
mod stdio;

mod needles;
mod outsider;
mod scene;

mod blindness;
mod exported;
mod hostile;
mod leaks;
mod links;
#[cfg(unix)]
mod notes;
mod refusals;
mod tls;
mod two_planes;
mod view_link;
