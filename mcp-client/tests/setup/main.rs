//! How somebody comes to a first shared message: the pages under `docs/setup/`, the plugin for Claude Code and the entry
//! for the MCP registry, each followed as a reader or a host follows it.
//!
//! The hosts are stand-ins that write down what they were told to start. `make hosts` follows the same pages with the
//! real ones.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
#![cfg(unix)]

#[path = "../stdio/mod.rs"]
mod stdio;

mod machine;
mod page;

mod pages;
mod plugin;
mod registry;

use std::path::{Path, PathBuf};

/// A file or folder of this repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A file of this repository as JSON.
fn json_file(path: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(repository(path)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}
