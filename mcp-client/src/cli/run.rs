//! From a command line to an exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use super::arguments::CommandLine;
use super::output::{self, Form, Output};
use super::{arguments_guard, commands};
use crate::verbs::{self, Failure, code};

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
    let hook = is_hook(&arguments);
    let post = verb_of(&arguments).as_deref() == Some("post");
    let not_understood = if hook { 0 } else { NOT_UNDERSTOOD };
    // What a hook writes on standard output is for its host alone.
    let output = Output::new(!hook && wants_json(&arguments));
    if arguments_guard::holds_link(arguments.iter().skip(1).map(AsRef::as_ref)) {
        report(
            &Failure::new(code::BAD_ARGUMENT, arguments_guard::REFUSAL).with_command("join"),
            output,
        );
        return ExitCode::from(not_understood);
    }
    let line = match CommandLine::read(arguments) {
        Ok(line) => line,
        Err(error) => {
            let misplaced = post && error.kind() == clap::error::ErrorKind::UnknownArgument;
            return ExitCode::from(misunderstood(&error, misplaced, output, not_understood));
        }
    };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        let text = "The system did not give what a command needs.";
        report(&Failure::new(code::INTERNAL, text), output);
        return ExitCode::from(FAILED);
    };
    let code = runtime.block_on(interruptible(line));
    // A read from a terminal that nobody answers can't be stopped; the end of the process does that.
    runtime.shutdown_background();
    ExitCode::from(code)
}

/// Whether a host runs this at an event, also where the rest can't be understood: a list of hooks may be newer than this.
fn is_hook(arguments: &[OsString]) -> bool {
    verb_of(arguments).as_deref() == Some("hook")
}

/// The first word that is no option.
fn verb_of(arguments: &[OsString]) -> Option<std::borrow::Cow<'_, str>> {
    let mut words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    words.find(|word| !word.starts_with('-'))
}

/// Whether JSON is wanted, also of a command line that is wrong elsewhere.
fn wants_json(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1).take_while(|word| *word != "--");
    words.any(|word| word == "--json")
}

/// Help and version are answers, for people; everything else is an error.
/// `misplaced`: it may be a message that came as an argument.
fn misunderstood(error: &clap::Error, misplaced: bool, output: Output, code: u8) -> u8 {
    let mut text = error.render().to_string();
    if misplaced {
        let line = verbs::command::line("post");
        text.push_str(&format!(
            "\n  tip: a message comes on standard input, where other programs do not see it:\n  echo 'Your text' | {line}\n"
        ));
    }
    if error.use_stderr() {
        // It repeats words of the command line.
        let text = verbs::repeated(&text);
        match output.form() {
            Form::Json => report(&Failure::new(code::BAD_ARGUMENT, text.trim_end()), output),
            Form::Person | Form::Quoted => output::say(text.trim_end()),
        }
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
    // It hears Ctrl-C from its first turn on.
    tokio::task::yield_now().await;
    let output = Output::new(line.common.json);
    let executed = commands::execute(line, output, &cancelled).await;
    output::clear_status();
    match executed {
        Ok(code) => code,
        Err(_) if cancelled.is_cancelled() => INTERRUPTED,
        Err(failure) => failed(&failure, output),
    }
}

/// Says what did not work and what to do: as JSON where that is wanted, else on standard error.
fn report(failure: &Failure, output: Output) {
    // It may repeat a word of the command line.
    let message = verbs::repeated(failure.message());
    let command = failure.command().map(verbs::command::line);
    if output.form() == Form::Json {
        let error = serde_json::json!({
            "error": failure.code(), "message": message, "command": command,
            "retry_after_s": failure.knock().map(|knock| knock.retry_after_s),
        });
        // The exit code says it as well.
        let _ = output.json(&error);
    } else {
        output::say(&format!("devpilot-session: {message}"));
        if let Some(command) = command {
            output::say(&format!("  {command}"));
        }
    }
}

fn failed(failure: &Failure, output: Output) -> u8 {
    report(failure, output);
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
