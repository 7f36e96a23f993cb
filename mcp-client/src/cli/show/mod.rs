//! Answers for a person at a terminal.
//!
//! Text by others stands behind a gutter that it can't leave, and was cleaned by `render` before it got here. What is
//! not a terminal gets the verbs' own text instead, with others' text in quoted blocks.

mod answers;
mod door;
mod items;
mod past;
mod watch;

use crate::verbs::Answer;

/// An answer that a person can read.
pub(crate) trait Show: Answer {
    /// The text, without a last line feed.
    fn show(&self) -> String;
}
