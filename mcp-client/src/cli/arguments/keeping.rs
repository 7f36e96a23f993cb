//! `rekey` and `end`: what the keeper of a session does.

use clap::{Args, ValueEnum};

/// `rekey`.
#[derive(Debug, Args)]
pub(crate) struct Rekey {
    /// Who stays, by id or its first 8 characters; who is not named here or in another list is asked for.
    #[arg(long, value_name = "ID", num_args = 1.., conflicts_with = "admin")]
    pub(crate) keep: Vec<String>,
    /// Who stays and reads only from now on.
    #[arg(long, value_name = "ID", num_args = 1.., conflicts_with = "admin")]
    pub(crate) read_only: Vec<String>,
    /// Who is out.
    #[arg(long, value_name = "ID", num_args = 1.., conflicts_with = "admin")]
    pub(crate) drop: Vec<String>,
    /// Whether the new link opens what came before; asked for if not given.
    #[arg(long, value_enum, conflicts_with = "admin")]
    pub(crate) history: Option<HistoryArgument>,
    /// Re-key this session as its administrator, by its whole id; takes no link and no seat.
    #[arg(long, value_name = "SESSION", conflicts_with = "session")]
    pub(crate) admin: Option<String>,
}

/// What the new link opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HistoryArgument {
    /// Everything, with what came before.
    Keep,
    /// Only what comes after.
    Close,
}

/// `end`.
#[derive(Debug, Args)]
pub(crate) struct End {
    /// Delete its records from the plane as well.
    #[arg(long)]
    pub(crate) purge: bool,
}
