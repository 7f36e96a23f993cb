//! The folder on this machine that belongs to the client alone: where things lie, and how they are read and written.
//!
//! Folders are 0700, files 0600. A file is replaced in one step or not at all, and a damaged one is set aside, never
//! overwritten. This room knows no session and no key; it reads the environment only through [`Environment`].
//!
//! Source: `mcp-client.md`, Local files and Environment.

pub(crate) mod checked;
mod environment;
mod error;
pub mod files;
mod folders;
mod program;
mod secret_text;

use std::path::{Path, PathBuf};

use wire::ids::{ParticipantId, SessionId};

pub use environment::Environment;
pub use error::HomeError;
pub use secret_text::SecretText;

const DEFAULT_FOLDER: &str = ".devpilot";

/// What names the client's folder.
const VARIABLE: &str = "DEVPILOT_HOME";

/// What names the user's.
const USER_VARIABLE: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

/// The client's folder. Cheap to make: nothing is touched before the first read or write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// `DEVPILOT_HOME`, else `.devpilot` in the user's home folder. A leading `~/` is understood, since hosts pass
    /// settings on without a shell. A path that is not absolute is not: seats and tokens would be others in each folder that
    /// a command is run in, and answers name what lies in them to somebody who stands elsewhere.
    ///
    /// # Errors
    /// [`HomeError::NoHome`] when neither is known; [`HomeError::Relative`] for a path that depends on where one is;
    /// [`HomeError::Shared`] for a folder that can't be ours alone; [`HomeError::NoFolder`] for what is no folder.
    pub fn from_environment(environment: &Environment) -> Result<Self, HomeError> {
        let user = || {
            let user = environment.user_home().ok_or(HomeError::NoHome)?;
            absolute(USER_VARIABLE, user)
        };
        let named = environment.get(VARIABLE);
        let root = match &named {
            None => user()?.join(DEFAULT_FOLDER),
            Some(named) => match named.strip_prefix("~/") {
                Some(rest) => user()?.join(rest),
                None => absolute(VARIABLE, PathBuf::from(named))?,
            },
        };
        if root.parent().is_none() || environment.user_home().as_ref() == Some(&root) {
            return Err(HomeError::Shared { path: root });
        }
        folders::refuse_no_folder(&root)?;
        Ok(Self::at(root))
    }

    /// A home at a known folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `credentials.json`: machine tokens by plane.
    pub fn credentials_file(&self) -> PathBuf {
        self.root.join("credentials.json")
    }

    /// `config.toml`: settings a person writes.
    pub fn config_file(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// `sessions/`: one folder a session.
    pub fn sessions_folder(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// `sessions/<session>/`: the seats of one session.
    pub fn session_folder(&self, session: &SessionId) -> PathBuf {
        self.sessions_folder().join(session.to_string())
    }

    /// `sessions/<session>/<participant>.json`: one seat.
    pub fn seat_file(&self, session: &SessionId, participant: &ParticipantId) -> PathBuf {
        self.session_folder(session).join(format!("{participant}.json"))
    }

    /// `cache/<session>`: sealed records as received.
    pub fn cache_file(&self, session: &SessionId) -> PathBuf {
        self.root.join("cache").join(session.to_string())
    }

    /// `handoffs/`: copies of notes.
    pub fn handoffs_folder(&self) -> PathBuf {
        self.root.join("handoffs")
    }

    /// `rekeys/`: administrator re-keys under way.
    pub fn rekeys_folder(&self) -> PathBuf {
        self.root.join("rekeys")
    }

    /// `cockpit/`: how the running cockpit is found, and unless it is told otherwise its history.
    pub fn cockpit_folder(&self) -> PathBuf {
        self.root.join("cockpit")
    }

    /// `bin/`: this program, at a path that hooks and printed commands can name.
    pub fn bin_folder(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// Makes a folder under this home, and the home itself, readable by their owner alone.
    ///
    /// # Errors
    /// The folder can't be made, or the home is shared with other users.
    pub fn make_folder(&self, folder: &Path) -> Result<(), HomeError> {
        folders::make_private(&self.root, folder)
    }
}

/// As it is, if it is the same folder everywhere.
fn absolute(variable: &'static str, path: PathBuf) -> Result<PathBuf, HomeError> {
    match path.is_absolute() {
        true => Ok(path),
        false => Err(HomeError::Relative { variable, path }),
    }
}

#[cfg(test)]
mod tests;
