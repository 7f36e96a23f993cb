//! `devpilot-plane`: the command line of the plane, for its operator.
//!
//! One file a verb; [`output`] alone writes to standard output and error.

mod admin;
mod config;
mod credentials;
mod healthcheck;
mod local;
mod migrate;
mod output;
mod serve;
mod stop;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::config::{ConfigError, ServeSettings, StoreSettings};
use crate::logging;
use crate::service::ServiceError;
use crate::store::StoreError;
use output::Output;

/// The server of DevPilot session: puts sealed messages in order and passes them on. It can't read them.
///
/// `devpilot-plane serve` starts one for this machine, with a database of its own and a token for your client.
/// For a team set DATABASE_URL (Postgres) and --public-url; docs/hosting.md goes through it.
#[derive(Debug, Parser)]
#[command(
    name = "devpilot-plane",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
struct CommandLine {
    #[command(flatten)]
    store: StoreSettings,

    /// Answer in JSON, for programs
    #[arg(long, global = true, help_heading = "Output")]
    json: bool,

    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Start the plane
    Serve(Box<ServeSettings>),
    /// Bring the database's schema up to date and stop
    Migrate,
    /// Look after orgs, members, machine tokens and sessions, while the plane runs or not
    Admin(AdminArguments),
    /// Print what is in force, secrets hidden
    Config(Box<ServeSettings>),
    /// Ask a running plane whether it can serve; exits with 1 if not
    Healthcheck(healthcheck::Arguments),
}

#[derive(Debug, Args)]
struct AdminArguments {
    #[command(subcommand)]
    what: admin::What,
}

/// Why a verb failed. What is shown says what to do next.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("{} {}", .0, causes(.0))]
    Store(#[from] StoreError),
    #[error("{}", admin::said(.0))]
    Service(#[from] ServiceError),
    #[error(transparent)]
    Credentials(#[from] credentials::CredentialsError),
    #[error("{listen} is in use. Stop what listens there, or choose another address with --{flag}.")]
    AddressTaken {
        listen: std::net::SocketAddr,
        flag: &'static str,
    },
    #[error("can't listen on {listen}: {error}. Choose another address with --{flag}.")]
    Address {
        listen: std::net::SocketAddr,
        flag: &'static str,
        error: std::io::Error,
    },
    #[error("{0}")]
    Unhealthy(String),
    #[error("nothing was approved. To refuse the machine at once, add --deny.")]
    NotApproved,
    #[error(
        "nothing was approved: there is no terminal to ask at. Compare the code and the machine with what its owner tells you, \
         then run the same with --yes."
    )]
    NobodyToAsk,
    #[error("{0}")]
    System(#[from] std::io::Error),
}

/// What stands behind a fault of the store, for the operator's eyes.
fn causes(error: &dyn std::error::Error) -> String {
    let causes: Vec<String> = std::iter::successors(error.source(), |cause| cause.source())
        .map(ToString::to_string)
        .collect();
    if causes.is_empty() {
        String::new()
    } else {
        format!("({})", causes.join(": "))
    }
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let line = CommandLine::parse();
    let output = Output::new(line.json);
    let done = carry_out(line, &output);
    logging::flush();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output.failure(&failure.to_string());
            ExitCode::FAILURE
        }
    }
}

fn carry_out(line: CommandLine, output: &Output) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match line.verb {
            Verb::Serve(settings) => serve::run(line.store, *settings, output).await,
            Verb::Migrate => migrate::run(line.store, output).await,
            Verb::Admin(arguments) => admin::run(line.store, arguments.what, output).await,
            Verb::Config(settings) => config::run(line.store, *settings, output),
            Verb::Healthcheck(arguments) => healthcheck::run(line.store, arguments, output).await,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_fits_together() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn settings_of_the_store_may_stand_before_or_after_the_verb() {
        for line in [
            ["devpilot-plane", "--data", "/d", "admin", "org", "list"],
            ["devpilot-plane", "admin", "--data", "/d", "org", "list"],
            ["devpilot-plane", "admin", "org", "list", "--data", "/d"],
        ] {
            let parsed = CommandLine::try_parse_from(line).unwrap();
            assert_eq!(parsed.store.data.as_deref(), Some(std::path::Path::new("/d")));
        }
    }
}
