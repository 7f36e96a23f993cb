//! The ready-to-send note that carries a link to a person, and its copy on disk.
//!
//! It is built from typed fields alone, so that no text of the transcript can get into it. The whole note is a
//! secret: it goes to the clipboard and to a file that only its owner can read, never to the model.
//!
//! Source: `mcp-client.md`, The note.

pub mod handoff;
mod install;
mod text;

pub use install::{COMMAND, host_lines};
pub use text::Note;

#[cfg(test)]
mod tests;
