//! The real binary, driven over its real standard input and output, one JSON-RPC line at a time.
#![allow(dead_code, unused_imports, reason = "each test file uses its part")]
#![allow(clippy::print_stderr, reason = "what is skipped is said")]

pub(crate) mod auto;
pub(crate) mod caddy;
mod machine;
pub(crate) mod pair;
pub(crate) mod plane;
pub(crate) mod proxy;
#[cfg(target_os = "linux")]
pub(crate) mod room;
pub(crate) mod secret;
mod server;
#[cfg(unix)]
pub(crate) mod shell;
#[cfg(target_os = "linux")]
pub(crate) mod terminal;

use std::path::Path;
use std::time::Duration;

pub(crate) use machine::{Machine, Ran, link_in, ran};
pub(crate) use server::{Called, Server};

/// The longest any single answer may take.
const PATIENCE: Duration = Duration::from_secs(70);

/// The binary under test.
pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_devpilot-session"))
}
