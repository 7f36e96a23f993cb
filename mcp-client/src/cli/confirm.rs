//! A person's own hand: a word typed at the controlling terminal.
//!
//! Never standard input: whoever starts the command holds that. A process without a controlling terminal can't be
//! asked here, which is what keeps an agent's shell from answering for its human. An agent that drives a terminal as
//! the same user of the system gets past this; the threat model says so.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};

use tokio_util::sync::CancellationToken;

use crate::redact;
use crate::verbs::Ask;

/// The controlling terminal, by the system's name for it.
#[cfg(not(windows))]
const TERMINAL: (&str, &str) = ("/dev/tty", "/dev/tty");

/// The console, by the system's names for it.
#[cfg(windows)]
const TERMINAL: (&str, &str) = ("CONIN$", "CONOUT$");

/// The longest line that is read as an answer.
const ANSWER_AT_MOST: usize = 256;

/// Shows `question` at the terminal and asks for `word`. There is no time limit: somebody is sitting there.
pub(crate) async fn by_word(question: &str, word: &'static str, cancelled: &CancellationToken) -> Ask {
    let Ok((input, output)) = open() else {
        return Ask::CannotAsk;
    };
    let question = redact::text(question).into_owned();
    let asking = tokio::task::spawn_blocking(move || ask(input, output, &question, word));
    tokio::select! {
        answer = asking => match answer {
            Ok(Ok(answer)) => answer,
            _ => Ask::CannotAsk,
        },
        () = cancelled.cancelled() => Ask::Empty,
    }
}

fn open() -> io::Result<(File, File)> {
    let (input, output) = TERMINAL;
    let input = OpenOptions::new().read(true).open(input)?;
    let output = OpenOptions::new().write(true).open(output)?;
    Ok((input, output))
}

fn ask(input: impl io::Read, mut output: impl Write, question: &str, word: &str) -> io::Result<Ask> {
    write!(
        output,
        "{question}\n\nType {word} to confirm, anything else to leave it: "
    )?;
    output.flush()?;
    let mut typed = Vec::new();
    BufReader::new(input.take(ANSWER_AT_MOST as u64)).read_until(b'\n', &mut typed)?;
    Ok(match String::from_utf8_lossy(&typed).trim() {
        "" => Ask::Empty,
        typed if typed == word => Ask::Yes,
        _ => Ask::No,
    })
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
mod tests {
    use super::*;

    fn answer(typed: &str) -> Ask {
        ask(typed.as_bytes(), io::sink(), "Go to relay?", "relay").unwrap()
    }

    #[test]
    fn only_the_word_itself_is_a_yes() {
        assert_eq!(answer("relay\n"), Ask::Yes);
        assert_eq!(answer(" relay \r\n"), Ask::Yes);
        for other in ["yes\n", "y\n", "relay please\n", "RELAY\n"] {
            assert_eq!(answer(other), Ask::No);
        }
        for nothing in ["\n", "", "   \n"] {
            assert_eq!(answer(nothing), Ask::Empty);
        }
    }

    #[test]
    fn the_question_is_shown_before_the_answer_is_read() {
        let mut shown = Vec::new();
        ask(&b""[..], &mut shown, "Go to relay?", "relay").unwrap();
        assert!(String::from_utf8(shown).unwrap().starts_with("Go to relay?\n"));
    }
}
