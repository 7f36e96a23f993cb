//! The binary `devpilot-session`.

use std::io::Write;
use std::process::ExitCode;

use mcp_client::cli::arguments_guard;
use mcp_client::mcp;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let refused = arguments_guard::holds_link(arguments.iter().map(AsRef::as_ref));
    let message = if refused {
        arguments_guard::REFUSAL.to_owned()
    } else {
        match mcp::serve() {
            Ok(()) => return ExitCode::SUCCESS,
            Err(error) => error.to_string(),
        }
    };
    // Nobody is left to tell if standard error is gone.
    let _ = writeln!(std::io::stderr(), "devpilot-session: {message}");
    ExitCode::FAILURE
}
