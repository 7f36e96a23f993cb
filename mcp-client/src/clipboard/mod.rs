//! The clipboard of the person at this machine: where a note with its link goes, and where one comes from, so that the
//! link stays out of the conversation with a model.
//!
//! There may be none (a container, SSH, no display). Any error of the library means that, and the caller names the
//! handoff file instead; the text never goes anywhere else for want of a clipboard. Whoever owns a clipboard may hang,
//! so every call ends within two seconds.
//!
//! On X11 and Wayland copied text lives in the process that copied it. A server keeps it while it lives
//! ([`Clipboard`]); a command leaves a process behind that keeps it ([`holder`]).
//!
//! macOS and Windows are written to the library's documents and not run in our tests.
//!
//! Source: `mcp-client.md`, The note.

pub mod holder;
mod osc52;
mod owner;
mod platform;

use std::time::Duration;

use tokio::time::Instant;
use zeroize::Zeroizing;

pub use osc52::through_terminal;

use crate::home::Environment;
use owner::Owner;

/// How long a call may take, whoever owns the clipboard.
const PATIENCE: Duration = Duration::from_secs(2);

/// What became of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was read back from the clipboard.
    Confirmed,
    /// It was handed over, and what is there now is something else or can't be read: use the file.
    NotConfirmed,
    /// There is no clipboard here.
    Unavailable,
}

/// The clipboard, for a process that lives on. Cheap to make: nothing is opened before the first use.
#[derive(Debug)]
pub struct Clipboard {
    owner: Option<Owner>,
}

impl Clipboard {
    /// The system's clipboard, unless `DEVPILOT_CLIPBOARD=off`.
    pub fn from_environment(environment: &Environment) -> Self {
        Self {
            owner: is_on(environment).then(Owner::default),
        }
    }

    /// Whether it may be used here at all.
    pub fn is_on(&self) -> bool {
        self.owner.is_some()
    }

    /// What is on it; none if it is empty, holds no text, is slow, or there is none.
    pub async fn read(&self) -> Option<Zeroizing<String>> {
        self.owner.as_ref()?.read(Instant::now() + PATIENCE).await
    }

    /// Puts a text on it, marked as a secret, and reads it back. It stays while this process lives or until somebody
    /// copies something else.
    pub async fn write_confirmed(&self, text: &str) -> Outcome {
        match &self.owner {
            Some(owner) => owner.write(text, Instant::now() + PATIENCE).await,
            None => Outcome::Unavailable,
        }
    }
}

fn is_on(environment: &Environment) -> bool {
    let setting = environment.get("DEVPILOT_CLIPBOARD");
    !setting.is_some_and(|setting| setting.trim().eq_ignore_ascii_case("off"))
}

/// Whether two texts are one, though a clipboard wrote its line ends its own way.
fn same(one: &str, other: &str) -> bool {
    one == other || one.lines().eq(other.lines())
}
