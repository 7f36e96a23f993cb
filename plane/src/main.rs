//! The plane's program. Everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    plane::cli::run()
}
