//! `export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `export`.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// What to write it as [default: md; json where FILE ends in .json, and with --json
    /// where there is no FILE].
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArgument>,
    /// Only what comes after this number.
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub(crate) since: u64,
    /// Write it to this file, which only you can read, instead of to standard output, which is also `-`.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the file if there is one.
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

/// What a document is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArgument {
    /// Markdown, for people.
    Md,
    /// One JSON object, for programs.
    Json,
}
