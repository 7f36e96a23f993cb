//! `completions`: needs neither a home folder nor a session.

use crate::cli::arguments::{CommandLine, Completions};
use crate::cli::output::Output;
use crate::cli::show::Unwritten;
use crate::verbs::Failure;

/// The program's name in a shell.
const NAME: &str = "devpilot-session";

pub(super) fn completions(completions: &Completions, output: Output) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(completions.shell, &mut CommandLine::offered(), NAME, &mut script);
    let script = String::from_utf8_lossy(&script);
    // The generator cuts a name with a hyphen in one place and not in the other, and then knows no options of a command.
    let script = script.replace("devpilot__subcmd__session", "devpilot__session");
    output
        .text(&script)
        .map(|_| 0)
        .map_err(|error| Unwritten::Looked.because_of(&error))
}
