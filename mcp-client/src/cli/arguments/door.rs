//! `door`.

use clap::{Args, Subcommand};

use crate::verbs::Until;

/// `door`.
#[derive(Debug, Args)]
#[command(
    after_help = "Who keeps the door: the session's owner, and administrators of its organisation by its full id."
)]
pub(crate) struct Door {
    /// What to do; without it, shows how the door stands and who knocks.
    #[command(subcommand)]
    pub(crate) action: Option<DoorCommand>,
}

/// What to do at the door.
#[derive(Debug, Subcommand)]
pub(crate) enum DoorCommand {
    /// Let in whoever comes with the link.
    Open(Bounds),
    /// Let those who come with the link knock, and admit or refuse each.
    Ask(Bounds),
    /// Let nobody new in.
    Closed(Unbounded),
    /// Let in somebody who knocks.
    Admit(Who),
    /// Turn away somebody who knocks, until the session is re-keyed.
    Refuse(Who),
}

/// How long it stands so. What is left out is without bound.
#[derive(Debug, Args)]
pub(crate) struct Bounds {
    /// How many may still come in; then it is closed.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) joins: Option<u32>,
    /// Until when; then it is closed. A time (2026-11-30T18:00:00Z) or how long from now (30m, 2h, 1d12h).
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<Until>,
}

/// What a closed door does not have; taken, so that the answer says so.
#[derive(Debug, Args)]
pub(crate) struct Unbounded {
    #[arg(long, hide = true, value_name = "N")]
    pub(crate) joins: Option<u32>,
    #[arg(long, hide = true, value_name = "TIME")]
    pub(crate) until: Option<Until>,
}

/// Somebody who knocks.
#[derive(Debug, Args)]
pub(crate) struct Who {
    /// The id that `door` shows, or its first 8 characters.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}
