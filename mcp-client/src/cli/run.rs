//! From a command line to an exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use super::arguments::CommandLine;
use super::output::{self, Form, Output};
use super::report::{FAILED, INTERRUPTED, NOT_UNDERSTOOD, failed, report};
use super::{arguments_guard, commands};
use crate::verbs::{self, Failure, code};

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

/// Whoever ended it knows that it did not work; a program that wants one object gets it.
fn ended(failure: Failure, output: Output) -> u8 {
    if output.form() == Form::Json {
        let failure = match failure.code() {
            code::CANCELLED => failure,
            // What failed because it was to end is not what is wrong.
            _ => Failure::new(code::CANCELLED, "It was interrupted; run the command again."),
        };
        report(&failure, output);
    }
    INTERRUPTED
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
        Err(failure) if cancelled.is_cancelled() => ended(failure, output),
        Err(failure) => failed(&failure, output),
    }
}
