//! One tool call from its arguments to its result.
//!
//! Whatever happens inside becomes a tool result that a model can act on: wrong arguments, a failure, even a panic. A
//! JSON-RPC error would be shown to the model as "internal error", or to nobody.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::delivery::Due;
use super::groups;
use super::host::CallHost;
use super::toolbox::{Entry, Outcome};
use crate::redact;
use crate::verbs::{self, App, Failure, code};

/// Where a failed result's stable code stands in its `_meta`.
const ERROR_CODE: &str = "devpilot.sh/error";

/// A result, and what is due once it is written.
pub(crate) struct Finished {
    /// What the host gets.
    pub(crate) result: CallToolResult,
    /// What is due once it is written.
    pub(crate) due: Option<Due>,
}

/// Runs one call. `closing` makes the verb come to its end soon, so that its answer can still be written.
pub(crate) async fn run(
    entry: &Entry,
    app: Result<Arc<App>, Failure>,
    arguments: Option<JsonObject>,
    host: Arc<CallHost>,
    closing: &CancellationToken,
) -> Finished {
    let started = app.map(|app| entry.start(app, arguments, host.clone()));
    let work = match started {
        Ok(Ok(work)) => work,
        Ok(Err(bad)) => return failed(&Failure::new(code::BAD_ARGUMENT, bad.to_string())),
        Err(failure) => return failed(&failure),
    };
    let mut work = std::pin::pin!(host.progress().beat_while(AssertUnwindSafe(work).catch_unwind()));
    let ended = tokio::select! {
        biased;
        ended = &mut work => ended,
        () = closing.cancelled() => {
            host.wind_up();
            work.await
        }
    };
    match ended {
        Ok(Ok(outcome)) => done(outcome),
        Ok(Err(failure)) if failure.code() == code::CANCELLED && !host.abandoned() => failed(&closing_down()),
        Ok(Err(failure)) => failed(&failure),
        Err(_panic) => failed(&panicked()),
    }
}

fn done(outcome: Outcome) -> Finished {
    let allowed = outcome.revealed.as_deref();
    let mut structured = outcome.structured;
    without_null(&mut structured);
    redact::json_except(&mut structured, allowed);
    let text = redact::text_except(&outcome.text, allowed).into_owned();
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    Finished {
        result,
        due: Some(outcome.due),
    }
}

/// A failure as a tool result: one sentence, with the stable code beside it for programs. Not as structured content:
/// hosts check that against the output schema, and would show the mismatch in place of the sentence.
fn failed(failure: &Failure) -> Finished {
    let mut text = failure.message().to_owned();
    if let Some(command) = failure.command() {
        text.push_str("\nCommand, for your user's own terminal: ");
        text.push_str(&verbs::command::line(command));
    }
    let mut meta = MetaObject::new();
    meta.insert(ERROR_CODE.to_owned(), Value::from(failure.code()));
    // It may repeat a word of the call.
    let text = verbs::repeated(&text);
    Finished {
        result: CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(meta)),
        due: None,
    }
}

/// The answer to a call of a tool that a setting leaves out: a sentence, which a model sees, in place of an error of the
/// protocol, which it may not.
pub(crate) fn left_out(name: &str) -> CallToolResult {
    let text = format!(
        "`{name}` is not among the tools of this server: {} limits it to other groups. Nothing was done; tell your user \
         if it is needed.",
        groups::VARIABLE
    );
    failed(&Failure::new(code::TOOL_LEFT_OUT, text)).result
}

fn panicked() -> Failure {
    Failure::new(
        code::INTERNAL,
        "This call failed by a fault of devpilot-session itself; the server goes on. Call `devpilot_session_read` to \
         see where the session stands before you repeat anything.",
    )
}

fn closing_down() -> Failure {
    Failure::new(
        code::CANCELLED,
        "The connection to devpilot-session is being closed. Nothing was lost; call again after a restart.",
    )
}

/// Absent members are left out: the output schemas know no null.
fn without_null(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}
