//! Command lines of this program, as answers and errors print them. Every one is made here, so that it can be run as it
//! stands: who came by a package manager alone has no such program on the PATH, and a terminal may know of no other home
//! folder than the default.

use std::path::{Path, PathBuf};

use super::app::App;
use super::modes::{self, ModeView};
use crate::home::{Environment, Home};
use crate::note;
use crate::session::Session;
use wire::event::Kind;

/// The variable that names another home folder.
const HOME_VARIABLE: &str = "DEVPILOT_HOME";
/// This program's file, without what a system adds.
const NAME: &str = "devpilot-session";

/// How this program is started from a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program(String);

impl Program {
    /// The one that is kept in a home folder; while none is, the one that runs.
    pub(crate) fn of(home: &Home, environment: &Environment) -> Self {
        let kept = home.program_file();
        let path = if kept.is_file() { Some(kept) } else { running() };
        Self::at(path.as_deref(), home, environment)
    }

    /// The one that runs, whatever is kept.
    pub(crate) fn itself(home: &Home, environment: &Environment) -> Self {
        Self::at(running().as_deref(), home, environment)
    }

    /// As this process's environment has it, also where that names no home folder that can be used.
    pub(crate) fn of_process() -> Self {
        let environment = Environment::process();
        match Home::from_environment(&environment) {
            Ok(home) => Self::of(&home, &environment),
            Err(_) => Self(word_of(running().as_deref())),
        }
    }

    fn at(path: Option<&Path>, home: &Home, environment: &Environment) -> Self {
        let program = word_of(path);
        match environment.get(HOME_VARIABLE) {
            Some(_) if cfg!(unix) => {
                let home = shell_word(&home.root().display().to_string());
                Self(format!("{HOME_VARIABLE}={home} {program}"))
            }
            _ => Self(program),
        }
    }

    /// The line that runs it with these words, which a shell takes as they stand.
    pub(crate) fn line(&self, words: &str) -> String {
        format!("{} {words}", self.0)
    }
}

/// The line for whoever reads standard error before there is anything to answer.
pub fn line(words: &str) -> String {
    Program::of_process().line(words)
}

/// This process's own file, unless it is another program that uses this library.
fn running() -> Option<PathBuf> {
    let path = std::env::current_exe().ok()?;
    path.file_stem().is_some_and(|stem| stem == NAME).then_some(path)
}

/// Without a file of its own, what installs it starts it.
fn word_of(path: Option<&Path>) -> String {
    path.map_or_else(
        || note::COMMAND.to_owned(),
        |path| shell_word(&path.display().to_string()),
    )
}

impl App {
    /// The line that runs this program with these words.
    pub(crate) fn command(&self, words: &str) -> String {
        Program::of(&self.home, &self.environment).line(words)
    }

    /// As [`App::listen_line`], for an agent's seat and where the mode lets an agent wait at all: nobody has to wake a
    /// person.
    pub(super) fn listen_in(&self, session: &Session, mode: ModeView) -> Option<String> {
        let is_agent_s = || session.kept().is_ok_and(|kept| kept.kind == Kind::Agent);
        (modes::may_wait(mode) && is_agent_s()).then(|| self.listen_line(session))
    }

    /// The line that listens for a seat.
    pub(super) fn listen_line(&self, session: &Session) -> String {
        self.command(&format!(
            "listen --session {} --seat {}",
            session.id(),
            session.my_id()
        ))
    }
}

/// A path or name as one word of a shell's line.
pub(crate) fn shell_word(text: &str) -> String {
    let plain = |symbol: char| symbol.is_alphanumeric() || "/._-+:,@%\\~".contains(symbol);
    match !text.is_empty() && text.chars().all(plain) {
        true if cfg!(windows) || !text.contains(['\\', '~']) => text.to_owned(),
        _ if cfg!(windows) => format!("\"{text}\""),
        _ => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// One option of a shell's line, with the space before it.
pub(crate) fn option(name: &str, value: &str) -> String {
    // A value like an option is one only behind this sign.
    let sign = if value.starts_with('-') { '=' } else { ' ' };
    format!(" --{name}{sign}{}", shell_word(value))
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        for (path, word) in [
            (
                "/home/ada/.devpilot/bin/devpilot-session",
                "/home/ada/.devpilot/bin/devpilot-session",
            ),
            ("/home/Ada L/b", "'/home/Ada L/b'"),
            ("/it's/$HOME`x`", r"'/it'\''s/$HOME`x`'"),
            ("~root/b", "'~root/b'"),
            ("", "''"),
        ] {
            assert_eq!(shell_word(path), word);
        }
    }

    #[test]
    fn the_kept_program_is_named_once_it_is_there_and_the_home_folder_where_it_is_not_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("a home"));
        let plain = Environment::of([("HOME", "/home/ada")]);
        // This test's own binary is no such program.
        assert_eq!(
            Program::of(&home, &plain).line("read"),
            format!("{} read", note::COMMAND)
        );
        std::fs::create_dir_all(home.bin_folder()).unwrap();
        std::fs::write(home.program_file(), "").unwrap();
        let kept = home.program_file().display().to_string();
        assert_eq!(Program::of(&home, &plain).line("read"), format!("'{kept}' read"));
        let elsewhere = Environment::of([(HOME_VARIABLE, "any")]);
        let root = home.root().display().to_string();
        assert_eq!(
            Program::of(&home, &elsewhere).line("read"),
            format!("DEVPILOT_HOME='{root}' '{kept}' read")
        );
    }
}
