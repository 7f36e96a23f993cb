//! The controlling terminal: where a person's own hand is, as opposed to standard input, which belongs to whoever
//! started the process.
//!
//! A process without a controlling terminal can't be answered here, which is what keeps an agent's shell from answering
//! for its human. An agent that drives a terminal as the same user of the system gets past this; the threat model says
//! so.
//!
//! Source: `mcp-client.md`, What needs a human's own hand.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};

use crate::render;

/// The controlling terminal, by the system's name for it: to read from and to write to.
#[cfg(not(windows))]
const NAMES: (&str, &str) = ("/dev/tty", "/dev/tty");

/// The console, by the system's names for it. Not run in our tests.
#[cfg(windows)]
const NAMES: (&str, &str) = ("CONIN$", "CONOUT$");

/// The longest line that is read as an answer.
const ANSWER_MAX: u64 = 256;

/// Nobody can be asked at a terminal.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// This process has no controlling terminal.
    #[error(
        "This needs a person's own hand, and there is no terminal here. Run it in a terminal of this machine."
    )]
    None,
    /// The terminal went away.
    #[error("The terminal can't be used: {0}.")]
    Io(#[from] io::Error),
}

/// What a person typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// The word that was asked for.
    Word,
    /// Something else.
    Other,
    /// Nothing.
    Nothing,
}

/// An open terminal.
#[derive(Debug)]
pub struct Terminal<R = File, W = File> {
    input: BufReader<R>,
    output: W,
}

impl Terminal {
    /// The controlling terminal of this process.
    ///
    /// # Errors
    /// [`TerminalError::None`].
    pub fn open() -> Result<Self, TerminalError> {
        let (input, output) = NAMES;
        let input = OpenOptions::new()
            .read(true)
            .open(input)
            .map_err(|_| TerminalError::None)?;
        let output = OpenOptions::new()
            .write(true)
            .open(output)
            .map_err(|_| TerminalError::None)?;
        Ok(Self::over(input, output))
    }
}

impl<R: Read, W: Write> Terminal<R, W> {
    pub(crate) fn over(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            output,
        }
    }

    /// Writes as is. What participants wrote must have passed `render`.
    ///
    /// # Errors
    /// The terminal went away.
    pub fn write(&mut self, text: &str) -> Result<(), TerminalError> {
        self.output.write_all(text.as_bytes())?;
        Ok(self.output.flush()?)
    }

    /// Shows a question, made safe for display as a whole, and reads one line, at most 256 bytes, without the space
    /// around it. Waits as long as it takes: somebody is sitting there.
    ///
    /// # Errors
    /// The terminal went away.
    pub fn ask(&mut self, question: &str) -> Result<String, TerminalError> {
        Ok(self.answer(question)?.unwrap_or_default())
    }

    /// As [`Terminal::ask`]; none where nothing more can be typed.
    ///
    /// # Errors
    /// The terminal went away.
    pub fn answer(&mut self, question: &str) -> Result<Option<String>, TerminalError> {
        let question = render::text(question).text;
        self.write(&question)?;
        let mut typed = Vec::new();
        Read::take(&mut self.input, ANSWER_MAX).read_until(b'\n', &mut typed)?;
        Ok((!typed.is_empty()).then(|| String::from_utf8_lossy(&typed).trim().to_owned()))
    }

    /// Asks for a word; it alone, exactly as given, is a yes.
    ///
    /// # Errors
    /// The terminal went away.
    pub fn ask_word(&mut self, question: &str, word: &str) -> Result<Typed, TerminalError> {
        let asked = format!("{question}\n\nType {word} to confirm, anything else to leave it: ");
        let typed = self.ask(&asked)?;
        Ok(match typed.as_str() {
            "" => Typed::Nothing,
            typed if typed == word => Typed::Word,
            _ => Typed::Other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> Typed {
        Terminal::over(line.as_bytes(), io::sink())
            .ask_word("Go to relay?", "relay")
            .unwrap()
    }

    #[test]
    fn only_the_word_itself_is_a_yes() {
        assert_eq!(typed("relay\n"), Typed::Word);
        assert_eq!(typed(" relay \r\n"), Typed::Word);
        for other in ["yes\n", "y\n", "relay please\n", "RELAY\n", "rel\u{430}y\n"] {
            assert_eq!(typed(other), Typed::Other, "{other}");
        }
        for nothing in ["\n", "", "   \n"] {
            assert_eq!(typed(nothing), Typed::Nothing);
        }
    }

    #[test]
    fn a_line_that_never_ends_is_no_yes() {
        assert_eq!(typed(&format!("{}relay\n", "x".repeat(300))), Typed::Other);
    }

    #[test]
    fn the_question_is_shown_first_and_can_not_redraw_the_terminal() {
        let mut shown = Vec::new();
        let question = "Accept?\u{1b}[2J\r\u{202E}dp1fabcdefghijklmnopqrst";
        let mut terminal = Terminal::over(&b"first\nsecond\n"[..], &mut shown);
        assert_eq!(terminal.ask(question).unwrap(), "first");
        assert_eq!(terminal.ask("More?").unwrap(), "second");
        assert_eq!(
            String::from_utf8(shown).unwrap(),
            "Accept?[2J[session link withheld]More?"
        );
    }
}
