//! `history` and `cockpit` with the real binary: a cockpit process, fed by the hook commands that it prints, in real
//! repositories, and asked over MCP and on the command line.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod answers;
mod faults;
mod hostile;
mod process;
mod scene;
#[path = "../stdio/mod.rs"]
mod stdio;
