//! `share`, `join` and `link`: making and taking a way in.

use clap::{Args, ValueEnum};

/// `share`.
#[derive(Debug, Args)]
pub(crate) struct Share {
    /// A short title. It is sealed; the plane never sees it.
    #[arg(long)]
    pub(crate) title: String,
    /// Whom the note is for.
    #[arg(long = "with", value_name = "NAME")]
    pub(crate) with: Option<String>,
    /// A file it is about; repeat for more. Names only, no contents.
    #[arg(long = "path", value_name = "PATH")]
    pub(crate) paths: Vec<String>,
    /// Make a link by which others can read but not write.
    #[arg(long)]
    pub(crate) view_only: bool,
    /// Ask you at the terminal whether what looks like a credential may be sent; without this it is refused.
    #[arg(long)]
    pub(crate) allow_secrets: bool,
}

/// `join`.
#[derive(Debug, Args)]
pub(crate) struct Join {
    /// `-` reads the note or link from standard input.
    #[arg(value_name = "-", value_parser = ["-"])]
    pub(crate) from: Option<String>,
    /// Which link to use when clipboard and environment hold different ones.
    #[arg(long, value_enum)]
    pub(crate) source: Option<Source>,
    /// How others see you.
    #[arg(long)]
    pub(crate) name: Option<String>,
}

/// Where a link comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Source {
    /// The clipboard.
    Clipboard,
    /// `DEVPILOT_SESSION_LINK`.
    Environment,
}

/// `link`.
#[derive(Debug, Args)]
pub(crate) struct Link {
    /// A link by which others can read but not write.
    #[arg(long)]
    pub(crate) view: bool,
}
