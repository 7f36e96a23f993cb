//! `mode`.

use clap::{Args, ValueEnum};

/// `mode`.
#[derive(Debug, Args)]
pub(crate) struct Mode {
    /// observe and stop count at once; relay asks you to confirm at the terminal.
    #[arg(value_enum)]
    pub(crate) set: Option<SetMode>,
}

/// The modes to set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SetMode {
    /// Agents read, and post when their human asks.
    Observe,
    /// End what runs; the same as observe.
    Stop,
    /// Agents may wait, and post what their human said yes to.
    Relay,
}
