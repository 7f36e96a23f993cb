//! What did not work: what is said of it, where, and as which exit code.

use super::output::{self, Form, Output};
use crate::verbs::{self, Failure, code};

/// It did not work, and what is said of it tells what to do.
pub(super) const FAILED: u8 = 1;
/// The command line is wrong.
pub(super) const NOT_UNDERSTOOD: u8 = 2;
/// Whoever keeps the door has not answered.
const NOBODY_YET: u8 = 2;
/// The answer was not a yes, or there was nobody to ask.
const NO_CONSENT: u8 = 3;
/// As shells report an interrupt.
pub(super) const INTERRUPTED: u8 = 130;

/// Says what did not work and what to do: as JSON where that is wanted, else on standard error.
pub(super) fn report(failure: &Failure, output: Output) {
    if output.form() != Form::Json {
        return beside(failure);
    }
    let error = serde_json::json!({
        "error": failure.code(),
        "message": message(failure),
        "command": failure.command().map(verbs::command::line),
        "retry_after_s": failure.knock().map(|knock| knock.retry_after_s),
    });
    if output.json(&error).is_err() {
        beside(failure);
    }
}

/// Says it on standard error, also where JSON is wanted: the one object of an answer may be on standard output already.
pub(super) fn beside(failure: &Failure) {
    output::say(&format!("devpilot-session: {}", message(failure)));
    if let Some(command) = failure.command() {
        output::say(&format!("  {}", verbs::command::line(command)));
    }
}

/// It may repeat a word of the command line.
fn message(failure: &Failure) -> String {
    verbs::repeated(failure.message())
}

/// Reports it. Answers its exit code.
pub(super) fn failed(failure: &Failure, output: Output) -> u8 {
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
