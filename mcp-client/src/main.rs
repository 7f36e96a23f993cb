//! The binary `devpilot-session`: an MCP server without arguments, a command line with them.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use mcp_client::clipboard::holder;
use mcp_client::home::Environment;
use mcp_client::{cli, logging, mcp, verbs};

fn main() -> ExitCode {
    logging::start(&Environment::process());
    let arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|verb| verb == holder::VERB) {
        return if holder::run(io::stdin()) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    if arguments.len() > 1 {
        return cli::run(arguments);
    }
    if io::stdin().is_terminal() {
        say(&format!(
            "an MCP server for a host to start, waiting for its input. For people: {}",
            verbs::command::line("--help")
        ));
    }
    match mcp::serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn say(line: &str) {
    // Nobody is left to tell if standard error is gone.
    let _ = writeln!(io::stderr(), "devpilot-session: {line}");
}
