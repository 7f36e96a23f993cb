//! `history` and `cockpit`: what earlier tasks did to files.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

/// `history`.
#[derive(Debug, Args)]
pub(crate) struct History {
    /// Files or folders, relative to where you are; with --repo of another repository, to its top.
    #[arg(default_value = ".", value_name = "PATH")]
    pub(crate) paths: Vec<String>,
    /// The repository: its folder, origin URL or name [default: DEVPILOT_REPO, else the one you are in].
    #[arg(long)]
    pub(crate) repo: Option<String>,
    /// How many tasks at most, 1 to 50 [default: 10].
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
}

/// `cockpit`.
#[derive(Debug, Args)]
pub(crate) struct Cockpit {
    /// Where it listens: on this machine alone.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:3847")]
    pub(crate) listen: SocketAddr,
    /// The folder of its history [default: cockpit in DEVPILOT_HOME].
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}
