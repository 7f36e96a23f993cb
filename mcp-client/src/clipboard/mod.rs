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
    /// Whether what is copied here reaches the person.
    is_theirs: bool,
}

impl Clipboard {
    /// The system's clipboard, unless `DEVPILOT_CLIPBOARD=off`.
    pub fn from_environment(environment: &Environment) -> Self {
        Self {
            owner: is_on(environment).then(Owner::default),
            is_theirs: !is_elsewhere(environment),
        }
    }

    /// Whether it may be used here at all.
    pub fn is_on(&self) -> bool {
        self.owner.is_some()
    }

    /// Whether there is one that can be used. Nothing on it is read.
    pub async fn is_here(&self) -> bool {
        match &self.owner {
            Some(owner) => owner.is_here(Instant::now() + PATIENCE).await,
            None => false,
        }
    }

    /// What is on it; none if it is empty, holds no text, is slow, or there is none.
    pub async fn read(&self) -> Option<Zeroizing<String>> {
        self.owner.as_ref()?.read(Instant::now() + PATIENCE).await
    }

    /// Puts a text on it, marked as a secret, and reads it back. It stays while this process lives or until somebody
    /// copies something else.
    pub async fn write_confirmed(&self, text: &str) -> Outcome {
        match self.owner.as_ref().filter(|_| self.is_theirs) {
            Some(owner) => owner.write(text, Instant::now() + PATIENCE).await,
            None => Outcome::Unavailable,
        }
    }
}

/// Whether the person sits at another machine than this one: they came by SSH, and its display, if there is one, is not
/// carried to them. What is copied here is then not on their clipboard.
fn is_elsewhere(environment: &Environment) -> bool {
    let by_ssh = ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"]
        .iter()
        .any(|name| environment.get(name).is_some());
    // A display carried over SSH has a host; the machine's own has none.
    let carried = environment
        .get("DISPLAY")
        .is_some_and(|display| !display.starts_with(':') && !display.starts_with("unix:"));
    by_ssh && !carried
}

fn is_on(environment: &Environment) -> bool {
    let setting = environment.get("DEVPILOT_CLIPBOARD");
    !setting.is_some_and(|setting| setting.trim().eq_ignore_ascii_case("off"))
}

/// Whether two texts are one, though a clipboard wrote its line ends its own way.
fn same(one: &str, other: &str) -> bool {
    one == other || one.lines().eq(other.lines())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_came_by_ssh_has_the_clipboard_of_a_display_that_is_carried_to_them_and_no_other() {
        let elsewhere = |variables: [(&str, &str); 2]| is_elsewhere(&Environment::of(variables));
        let none = ("LANG", "C");
        let ssh = ("SSH_CONNECTION", "192.0.2.1 5000 192.0.2.2 22");
        assert!(!elsewhere([none, ("DISPLAY", ":0")]));
        assert!(!elsewhere([ssh, ("DISPLAY", "localhost:10.0")]));
        for here in [":0", ":1.0", "unix:0", ""] {
            assert!(elsewhere([ssh, ("DISPLAY", here)]), "{here}");
        }
        assert!(elsewhere([ssh, ("WAYLAND_DISPLAY", "wayland-0")]));
        assert!(elsewhere([none, ("SSH_TTY", "/dev/pts/3")]));
    }
}
