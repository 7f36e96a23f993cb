//! `doctor`: whether everything is there that this machine needs, and of each thing that is not, what helps. For the
//! command line alone.
//!
//! It repairs nothing by itself (a damaged file is kept aside, as by every command), contacts the planes that are configured here or that this machine is in a session of,
//! and no other (the host of a link that nobody joined by is whatever its sender wrote), and shows no secret. It works where other commands can't start: each check stands alone.
//!
//! - `local`: the home folder, `config.toml`, the kept program, the clipboard
//! - `seats`: seats and files that were set aside
//! - `planes`: each plane, this machine's clock, its tokens
//! - `seated`: what the seats depend on: their planes, whether those know the sessions, whether the transcripts hold

mod local;
mod planes;
mod seated;
mod seats;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::delivered::Answer;
use crate::home::{Environment, Home};
use crate::session::Clock;

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// As it should be.
    Ok,
    /// Nothing is wrong, and it is good to know.
    Note,
    /// It does not work; the remedy says what helps.
    Failed,
    /// Not looked at, because of something else that failed.
    Skipped,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Check {
    /// What was looked at: home, config, program, clipboard, seats, files, integrity, plane, clock, token or
    /// sessions.
    pub check: String,
    /// Whether it is well.
    pub health: Health,
    /// What was found.
    pub about: String,
    /// What helps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// The command that does it, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// All checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DoctorAnswer {
    /// Whether nothing failed.
    pub well: bool,
    /// This program's version.
    pub version: String,
    /// What was looked at.
    pub checks: Vec<Check>,
}

impl Check {
    fn new(check: &str, health: Health, about: impl Into<String>) -> Self {
        Self {
            check: check.to_owned(),
            health,
            about: about.into(),
            remedy: None,
            command: None,
        }
    }

    fn ok(check: &str, about: impl Into<String>) -> Self {
        Self::new(check, Health::Ok, about)
    }

    fn note(check: &str, about: impl Into<String>) -> Self {
        Self::new(check, Health::Note, about)
    }

    fn skipped(check: &str, because: &str) -> Self {
        Self::new(check, Health::Skipped, format!("not looked at: {because}"))
    }

    /// Nothing fails without a word on what helps.
    fn failed(check: &str, about: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            remedy: Some(remedy.into()),
            ..Self::new(check, Health::Failed, about)
        }
    }

    fn by(self, command: impl Into<String>) -> Self {
        Self {
            command: Some(command.into()),
            ..self
        }
    }

    fn helped_by(self, remedy: impl Into<String>) -> Self {
        Self {
            remedy: Some(remedy.into()),
            ..self
        }
    }

    fn lines(&self) -> String {
        let word = match self.health {
            Health::Ok => "ok",
            Health::Note => "note",
            Health::Failed => "FAILED",
            Health::Skipped => "skipped",
        };
        let mut lines = format!("{word:<8} {:<10} {}", self.check, self.about);
        for more in self.remedy.iter().chain(&self.command) {
            lines.push_str(&format!("\n{:<20}{more}", ""));
        }
        lines
    }
}

impl Answer for DoctorAnswer {
    fn text(&self) -> String {
        let failed = self
            .checks
            .iter()
            .filter(|check| check.health == Health::Failed)
            .count();
        let last = match failed {
            0 => "Everything that this machine needs is there.".to_owned(),
            1 => "One thing does not work; what helps stands below it.".to_owned(),
            more => format!("{more} things do not work; what helps stands below each."),
        };
        let mut lines: Vec<String> = self.checks.iter().map(Check::lines).collect();
        lines.push(last);
        lines.join("\n")
    }
}

/// Looks at everything.
pub async fn run(environment: &Environment, clock: &Clock) -> DoctorAnswer {
    let mut checks = Vec::new();
    match Home::from_environment(environment) {
        Ok(home) => {
            checks.push(local::home(&home));
            let (config, usable) = local::config(&home, environment);
            checks.push(config);
            checks.push(local::program(&home, environment).await);
            checks.push(seats::seats(&home));
            checks.extend(seats::set_aside(&home));
            checks.extend(planes::all(&home, environment, usable, clock).await);
        }
        Err(error) => {
            let remedy = "Name a folder that is this user's alone: set DEVPILOT_HOME to its absolute path, or unset it for ~/.devpilot.";
            checks.push(Check::failed("home", error.to_string(), remedy));
            for check in ["config", "program", "seats", "plane", "clock", "token"] {
                checks.push(Check::skipped(check, "there is no home folder"));
            }
        }
    }
    checks.push(local::clipboard(environment).await);
    DoctorAnswer {
        well: checks.iter().all(|check| check.health != Health::Failed),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        checks,
    }
}
