//! `connect`: what a person does for this machine.

use clap::Args;

/// `connect`.
#[derive(Debug, Args)]
pub(crate) struct Connect {
    /// The plane's address, such as https://plane.example.org
    #[arg(value_name = "URL")]
    pub(crate) plane: String,
    /// Of a plane that is connected already: make it the one to share on
    #[arg(long)]
    pub(crate) default: bool,
    /// Get a new token although there is one that counts
    #[arg(long)]
    pub(crate) replace: bool,
}
