//! `mode`.

use clap::{Args, ValueEnum, value_parser};

use crate::verbs::mode::{BUDGET_MAX, TTL_MINUTES_MAX};

/// `mode`.
#[derive(Debug, Args)]
pub(crate) struct Mode {
    /// observe, stop and decline count at once; relay, auto and accept ask you to confirm at the terminal.
    #[arg(value_enum)]
    pub(crate) set: Option<SetMode>,
    /// For auto: the most messages, by everybody together [default: 20].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = value_parser!(u64).range(1..=BUDGET_MAX))]
    pub(crate) budget: Option<u64>,
    /// For auto: the most minutes [default: 30].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = value_parser!(u64).range(1..=TTL_MINUTES_MAX))]
    pub(crate) ttl_minutes: Option<u64>,
    /// For auto: ask you at the terminal whether what looks like a credential may stand in what the agents are to do.
    #[arg(long)]
    pub(crate) allow_secrets: bool,
}

/// The modes to set, and what to do with a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SetMode {
    /// Agents read, and post when their human asks.
    Observe,
    /// End what runs; the same as observe.
    Stop,
    /// Agents may wait, and post what their human said yes to.
    Relay,
    /// Propose that agents wait and post freely for a while; what they are to do is read from standard input.
    Auto,
    /// Accept such a proposal for your agent on this machine.
    Accept,
    /// Drop the proposal.
    Decline,
}

impl SetMode {
    /// Whether it counts for this machine's agent unless another seat is chosen.
    pub(crate) fn is_for_the_agent(self) -> bool {
        match self {
            Self::Relay | Self::Auto | Self::Accept | Self::Decline => true,
            Self::Observe | Self::Stop => false,
        }
    }
}
