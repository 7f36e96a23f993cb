//! What a command reads from standard input: a message, a hand-off, a note.

use std::io::{self, IsTerminal, Read};

use super::output;
use crate::verbs::{Failure, code};

/// More than any message or note may have; the verbs know the exact limits.
const AT_MOST: u64 = 1 << 20;

/// All of standard input, byte for byte. A person at a terminal is told how to end it.
///
/// # Errors
/// It can't be read, is no UTF-8 or is far too long.
pub(crate) async fn text(what: &'static str) -> Result<String, Failure> {
    let reading = tokio::task::spawn_blocking(move || {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            output::say(&format!("Type {what}; end with Ctrl-D on a line of its own."));
        }
        let mut bytes = Vec::new();
        stdin.lock().take(AT_MOST + 1).read_to_end(&mut bytes)?;
        Ok::<_, io::Error>(bytes)
    });
    let bytes = match reading.await {
        Ok(Ok(bytes)) => bytes,
        _ => return Err(refused("Standard input can't be read.")),
    };
    if bytes.len() as u64 > AT_MOST {
        return Err(refused(
            "There is more than 1 MiB on standard input. Nothing was sent.",
        ));
    }
    String::from_utf8(bytes).map_err(|_| refused("Standard input is not UTF-8 text. Nothing was sent."))
}

fn refused(message: &str) -> Failure {
    Failure::new(code::LOCAL_FILE, message)
}
