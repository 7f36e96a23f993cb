//! `watch`, `listen` and `hook`: what wakes an agent, or tells it of something.

use clap::{Args, ValueEnum};

/// `watch`.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// How many messages to begin with [default: 10].
    #[arg(long, value_name = "COUNT")]
    pub(crate) last: Option<u32>,
}

/// `listen`.
#[derive(Debug, Args)]
pub(crate) struct Listen {
    /// Seconds to listen, at most 28800 [default: 28800].
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<u64>,
}

/// `hook`.
#[derive(Debug, Args)]
pub(crate) struct Hook {
    /// The event.
    #[arg(value_enum)]
    pub(crate) event: HookEvent,
}

/// An event of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookEvent {
    /// Its session begins, goes on, or lost its context.
    SessionStart,
    /// A person has written to the agent.
    UserPromptSubmit,
    /// The agent is about to end its turn.
    Stop,
    /// Its turn was broken off by an error.
    StopFailure,
    /// Its session is over.
    SessionEnd,
}
