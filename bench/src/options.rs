//! What is measured, on what, for how long. The scripts say it; see `scripts/bench.sh`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

/// Measures the plane and its client against baselines of the same round.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    /// What is asked for
    #[command(subcommand)]
    pub(crate) task: Task,

    /// The plane's program
    #[arg(long, value_name = "FILE")]
    pub(crate) plane: PathBuf,

    /// The client's program
    #[arg(long, value_name = "FILE")]
    pub(crate) client: PathBuf,

    /// How the plane was built, for the table
    #[arg(long, default_value = "release", value_name = "NAME")]
    pub(crate) plane_profile: String,

    /// How the client was built, for the table
    #[arg(long, default_value = "release", value_name = "NAME")]
    pub(crate) client_profile: String,

    /// A Postgres whose files are on the disk. It is this program's to fill
    #[arg(long, env = "DEVPILOT_BENCH_DISK", value_name = "URL")]
    pub(crate) postgres_disk: String,

    /// A Postgres whose files are on a memory file system
    #[arg(long, env = "DEVPILOT_BENCH_MEMORY", value_name = "URL")]
    pub(crate) postgres_memory: String,

    /// A folder on the disk, for SQLite and the probe of the disk
    #[arg(long, value_name = "FOLDER")]
    pub(crate) disk: PathBuf,

    /// A folder on a memory file system
    #[arg(long, value_name = "FOLDER")]
    pub(crate) memory: PathBuf,

    /// How often every figure is taken, with its baseline
    #[arg(long, default_value_t = 5, value_name = "COUNT")]
    pub(crate) rounds: usize,

    /// How long each part of a round is
    #[arg(long, default_value_t = 2, value_name = "SECONDS")]
    pub(crate) seconds: u64,

    /// A tenth of the records and messages and a fifth of the idle time, for a look
    #[arg(long)]
    pub(crate) brief: bool,

    /// Where what was measured is kept
    #[arg(long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,

    /// What a reader of the table must know, such as that other work was going on
    #[arg(long, value_name = "TEXT")]
    pub(crate) remark: Option<String>,
}

/// What is published, and what the goals are about.
const PUBLISHED: (&str, &str) = ("dist", "client");

impl Options {
    /// Whether what is measured is less than what the goals are about.
    pub(crate) fn is_look(&self) -> bool {
        self.brief || (self.plane_profile.as_str(), self.client_profile.as_str()) != PUBLISHED
    }
}

/// What this program does.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// The table of all figures
    Table {
        /// Only the rows whose name begins so
        #[arg(long, value_name = "ROW")]
        only: Option<String>,

        /// Only on the Postgres whose files are on the disk, or on no Postgres
        #[arg(long)]
        on_disk: bool,
    },
    /// A mixed load for many minutes: does anything grow?
    Soak {
        /// How long
        #[arg(long, default_value_t = 10, value_name = "MINUTES")]
        minutes: u64,
    },
    /// What an append and a page cost with more and more records stored
    Growth,
}

impl Options {
    /// So many stored records or messages, or a tenth of them for a look.
    pub(crate) const fn many(&self, whole: usize) -> usize {
        if self.brief { whole / 10 } else { whole }
    }

    /// So long, or a fifth of it for a look.
    pub(crate) fn long(&self, whole: Duration) -> Duration {
        if self.brief { whole / 5 } else { whole }
    }

    /// How long each part of a round is.
    pub(crate) const fn part(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}
