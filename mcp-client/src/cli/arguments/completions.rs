//! `completions`.

use clap::Args;
use clap_complete::Shell;

/// `completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}
