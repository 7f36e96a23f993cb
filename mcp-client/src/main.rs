//! The binary `devpilot-session`: an MCP server without arguments, a command line with them.

use std::io::Write;
use std::process::ExitCode;

use mcp_client::{cli, mcp};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if arguments.len() > 1 {
        return cli::run(arguments);
    }
    match mcp::serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell if standard error is gone.
            let _ = writeln!(std::io::stderr(), "devpilot-session: {error}");
            ExitCode::FAILURE
        }
    }
}
