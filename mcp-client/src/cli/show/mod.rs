//! Answers for a person at a terminal.
//!
//! Text by others stands behind a gutter that it can't leave, and was cleaned by `render` before it got here. What is
//! not a terminal gets the verbs' own text instead, with others' text in quoted blocks.

mod answers;
mod door;
mod items;
mod past;
mod unwritten;
mod watch;

pub(crate) use unwritten::Unwritten;

use crate::verbs::Answer;

/// An answer that a person can read.
pub(crate) trait Show: Answer {
    /// The text, without a last line feed.
    fn show(&self) -> String;

    /// The verb's own text, for what is not a terminal: others' text in quoted blocks. Where a command goes on is its own last
    /// line, so that the text does not say it once more in the words of a tool.
    fn quoted(&self) -> String {
        self.text()
    }

    /// What stands all the same where the answer can't be written.
    fn unwritten(&self) -> Unwritten {
        Unwritten::Looked
    }
}
