//! The only file of the command line that writes to standard output and standard error.
//!
//! Answers go to standard output, everything said along the way to standard error. Everything passes the last wall
//! against links and tokens, JSON included. A reader that closed the pipe is not an error, `read | head` is
//! fine, but what it did not get was not shown.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use crate::redact;

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// One JSON object.
    Json,
    /// For a person's eyes: standard output is a terminal.
    Person,
    /// Text for a program or an agent: other people's text stands in quoted blocks.
    Quoted,
}

/// Where a command writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    form: Form,
}

impl Output {
    /// For this process's standard output.
    pub(crate) fn new(json: bool) -> Self {
        let form = match (json, io::stdout().is_terminal()) {
            (true, _) => Form::Json,
            (false, true) => Form::Person,
            (false, false) => Form::Quoted,
        };
        Self { form }
    }

    /// How answers are written.
    pub(crate) fn form(self) -> Form {
        self.form
    }

    /// Writes an answer as one line of JSON. False if the reader has gone.
    ///
    /// # Errors
    /// Standard output can't be written to.
    pub(crate) fn json(self, answer: &impl Serialize) -> io::Result<bool> {
        let mut value = serde_json::to_value(answer)?;
        redact::json_except(&mut value, None);
        put(&format!("{value}\n"))
    }

    /// Writes an answer as text. False if the reader has gone.
    ///
    /// # Errors
    /// Standard output can't be written to.
    pub(crate) fn text(self, answer: &str) -> io::Result<bool> {
        put(&format!("{}\n", redact::text(answer.trim_end_matches('\n'))))
    }
}

/// Says something beside the answer.
pub(crate) fn say(line: &str) {
    // Nobody is left to tell if standard error is gone.
    let _ = writeln!(io::stderr().lock(), "{}", redact::text(line));
}

/// Whether a status stands on the last line.
static STATUS_SHOWN: AtomicBool = AtomicBool::new(false);

/// Shows how far a call is, over the line before, where a person is looking.
pub(crate) fn status(line: &str) {
    let mut stderr = io::stderr().lock();
    if stderr.is_terminal() {
        STATUS_SHOWN.store(true, Ordering::Relaxed);
        let _ = write!(stderr, "\r\x1b[2K{}", redact::text(line)).and_then(|()| stderr.flush());
    }
}

/// Takes a status away again, before something that stays is written.
pub(crate) fn clear_status() {
    if STATUS_SHOWN.swap(false, Ordering::Relaxed) {
        let mut stderr = io::stderr().lock();
        let _ = write!(stderr, "\r\x1b[2K").and_then(|()| stderr.flush());
    }
}

/// Writes a piece of a document as it is. False if the reader has gone.
///
/// # Errors
/// Standard output can't be written to.
pub(crate) fn piece(text: &str) -> io::Result<bool> {
    put(text)
}

fn put(text: &str) -> io::Result<bool> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error),
    }
}
