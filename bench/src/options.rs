//! What is measured, on what, for how long. The scripts say it; see `scripts/bench.sh`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

/// Measures the plane and its client against baselines of the same round.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    /// The plane's program
    #[arg(long, value_name = "FILE")]
    pub(crate) plane: PathBuf,

    /// The client's program
    #[arg(long, value_name = "FILE")]
    pub(crate) client: PathBuf,

    /// How both were built, for the table
    #[arg(long, default_value = "release", value_name = "NAME")]
    pub(crate) profile: String,

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

    /// Only the rows whose name begins so
    #[arg(long, value_name = "ROW")]
    pub(crate) only: Option<String>,

    /// Where the table is kept
    #[arg(long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,

    /// What a reader of the table must know, such as that other work was going on
    #[arg(long, value_name = "TEXT")]
    pub(crate) remark: Option<String>,
}

impl Options {
    /// How long each part of a round is.
    pub(crate) const fn part(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}
