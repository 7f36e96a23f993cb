//! From a command line to an exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use tokio_util::sync::CancellationToken;

use super::arguments::CommandLine;
use super::output::{self, Form, Output};
use super::{arguments_guard, commands};
use crate::verbs::{Failure, code};

/// It did not work, and standard error says what to do.
const FAILED: u8 = 1;
/// The command line is wrong.
const NOT_UNDERSTOOD: u8 = 2;
/// Whoever keeps the door has not answered.
const NOBODY_YET: u8 = 2;
/// The answer was not a yes, or there was nobody to ask.
const NO_CONSENT: u8 = 3;
/// As shells report an interrupt.
const INTERRUPTED: u8 = 130;

/// Runs the command line `arguments`, the program's name first.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    // Of a hook, 2 would tell the host to hold back what its person wrote.
    let not_understood = if is_hook(&arguments) { 0 } else { NOT_UNDERSTOOD };
    if arguments_guard::holds_link(arguments.iter().skip(1).map(AsRef::as_ref)) {
        output::say(&format!("devpilot-session: {}", arguments_guard::REFUSAL));
        return ExitCode::from(not_understood);
    }
    let line = match CommandLine::try_parse_from(arguments) {
        Ok(line) => line,
        Err(error) => return ExitCode::from(misunderstood(&error, not_understood)),
    };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        output::say("devpilot-session: the system did not give what a command needs.");
        return ExitCode::from(FAILED);
    };
    let code = runtime.block_on(interruptible(line));
    // A read from a terminal that nobody answers can't be stopped; the end of the process does that.
    runtime.shutdown_background();
    ExitCode::from(code)
}

/// Whether a host runs this at an event, also where the rest can't be understood: a list of hooks may be newer than this.
fn is_hook(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    words.find(|word| !word.starts_with('-')).as_deref() == Some("hook")
}

/// Help and version are answers; everything else is an error.
fn misunderstood(error: &clap::Error, code: u8) -> u8 {
    let text = error.render().to_string();
    if error.use_stderr() {
        output::say(text.trim_end());
        return code;
    }
    match Output::new(false).text(&text) {
        Ok(_) => 0,
        Err(_) => FAILED,
    }
}

async fn interruptible(line: CommandLine) -> u8 {
    let cancelled = CancellationToken::new();
    let watched = cancelled.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            watched.cancel();
        }
    });
    let output = Output::new(line.common.json);
    let executed = commands::execute(line, output, &cancelled).await;
    output::clear_status();
    match executed {
        Ok(code) => code,
        Err(_) if cancelled.is_cancelled() => INTERRUPTED,
        Err(failure) => failed(&failure, output),
    }
}

fn failed(failure: &Failure, output: Output) -> u8 {
    if output.form() == Form::Json {
        let error = serde_json::json!({
            "error": failure.code(), "message": failure.message(), "command": failure.command(),
            "retry_after_s": failure.knock().map(|knock| knock.retry_after_s),
        });
        // The exit code says it as well.
        let _ = output.json(&error);
    } else {
        output::say(&format!("devpilot-session: {}", failure.message()));
        if let Some(command) = failure.command() {
            output::say(&format!("  {command}"));
        }
    }
    match failure.code() {
        code::DECLINED
        | code::DISMISSED
        | code::EMPTY
        | code::TIMED_OUT
        | code::CANNOT_ASK
        | code::NOT_ACKNOWLEDGED => NO_CONSENT,
        code::CANCELLED => INTERRUPTED,
        code::BAD_ARGUMENT => NOT_UNDERSTOOD,
        code::KNOCKING => NOBODY_YET,
        _ => FAILED,
    }
}
