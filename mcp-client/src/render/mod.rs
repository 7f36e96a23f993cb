//! How other people's text reaches a model or a terminal: cleaned, with links withheld, quoted, and within a budget.
//!
//! The threat is an instruction inside a message. Nothing here judges what a text says; it only makes sure that text
//! by others can't hide, can't pass for ours and can't leave the block it is shown in. Everything that a participant
//! wrote passes [`text`], [`name`] or [`title`] before it enters an answer, an error or a log line.
//!
//! This room is pure: no I/O, and no knowledge of sessions.
//!
//! Source: `mcp-client.md`, What a model is shown of other people's text; `crypto.md` section 15.

mod hidden;
mod names;
mod paging;
mod quoted;

pub(crate) use hidden::is_hidden;
pub use hidden::{Cleaned, is_blank, text, visible};
pub use names::{NameTable, OWN_NAME, in_quotes, name, program, title};
pub use paging::{Budget, Entry, Page, Shown, page, part};
pub use quoted::Tag;

#[cfg(test)]
mod tests;
