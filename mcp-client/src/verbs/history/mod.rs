//! `history`: what earlier tasks did to files, as a cockpit tells it. Not the shared transcript; no plane is asked.
//!
//! - `repo`: which repository and which of its files are meant
//! - `items`: from what a cockpit answers to what may be shown; pure
//! - `answer`: the answer, and its text

mod answer;
mod items;
mod repo;

use std::time::Duration;

use ::cockpit::contract::{History, Question};
use ::cockpit::limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::event::Kind;

pub use answer::HistoryAnswer;
pub use items::{CollisionItem, TaskItem};

use super::app::App;
use super::delivered::Delivered;
use super::failure::{Failure, code};
use super::host::Host;
use super::schema::whole;
use crate::history::{AskError, Cockpit, VARIABLE};

/// How long a question may take: merges may have to be made again first.
const TIME: Duration = Duration::from_secs(20);

/// Which files.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryArgs {
    /// Files or folders, relative to where you are.
    pub paths: Vec<String>,
    /// Another repository: its folder, origin URL or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub repo: Option<String>,
    /// Tasks at most (default 10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "tasks_schema")]
    pub limit: Option<u32>,
}

fn tasks_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    whole(u64::from(limits::TASKS_MOST))
}

/// Asks the cockpit.
///
/// # Errors
/// Bad arguments; no cockpit answers, or what answers is none.
pub async fn run(app: &App, args: HistoryArgs, host: &dyn Host) -> Result<Delivered<HistoryAnswer>, Failure> {
    let limit = args.limit.unwrap_or(limits::TASKS);
    if !(1..=limits::TASKS_MOST).contains(&limit) {
        return Err(bad(&format!(
            "{} is 1 to {}.",
            host.face().argument("limit"),
            limits::TASKS_MOST
        )));
    }
    if args.paths.is_empty() || args.paths.len() > limits::PATHS {
        return Err(bad(&format!(
            "One question is about 1 to {} files or folders.",
            limits::PATHS
        )));
    }
    let cockpit = Cockpit::meant(&app.environment, &app.home).map_err(|_| {
        bad(&format!(
            "{VARIABLE} has to be http://127.0.0.1:PORT or https://HOST. Correct it, or leave it empty for the cockpit of \
             this machine."
        ))
    })?;
    let named = args.repo.or_else(|| app.environment.get("DEVPILOT_REPO"));
    let meant = repo::meant(named.as_deref(), &args.paths, host, app.environment.user_home()).await?;
    let name = meant.name().map(str::to_owned);
    let question = Question {
        repo: meant.repo(cockpit.origin().is_loopback()),
        paths: meant.paths,
        limit: Some(limit),
    };
    if serde_json::to_vec(&question).map_or(usize::MAX, |bytes| bytes.len()) > limits::BODY {
        return Err(bad("The paths are too long together. Ask about fewer."));
    }
    let asking = cockpit.post::<History>(&app.http, "/v1/history", &question, TIME);
    let history = tokio::select! {
        () = host.cancelled().cancelled() => {
            return Err(Failure::new(code::CANCELLED, "The call was cancelled."));
        }
        asked = asking => asked.map_err(|error| failed(&cockpit, &error, host.reader()))?,
    };
    if let Some(name) = name.filter(|_| history.repository.is_none()) {
        return Err(repo::unknown(&name, host.face()));
    }
    Ok(Delivered::plain(answer::of(
        history,
        question.paths,
        limit as usize,
    )))
}

fn bad(text: &str) -> Failure {
    Failure::new(code::BAD_ARGUMENT, text)
}

fn failed(cockpit: &Cockpit, error: &AskError, reader: Kind) -> Failure {
    let url = cockpit.origin();
    let start = match reader {
        Kind::Agent => "have your user start one",
        Kind::Human => "start one",
    };
    match error {
        AskError::NotThere => Failure::new(
            code::NO_COCKPIT,
            format!(
                "No cockpit answers at {url}, so nothing is known here of earlier tasks: go on without, or {start}."
            ),
        )
        .with_command("cockpit"),
        AskError::TimedOut => Failure::new(
            code::NO_COCKPIT,
            format!("The cockpit at {url} did not answer in time. Ask again in a moment, or go on without."),
        ),
        AskError::NotOurs => Failure::new(
            code::COCKPIT_ANSWER,
            format!(
                "What listens at {url} wants a token that this user has not got: it is somebody else's, or runs with another \
                 DEVPILOT_HOME. Go on without, or {start}."
            ),
        )
        .with_command("cockpit"),
        AskError::Refused(name) if name == "ambiguous" => bad(
            "Several repositories go by that name. Name one by its folder, or with its owner, as in acme/pay.",
        ),
        AskError::Refused(_) | AskError::NotACockpit(_) | AskError::Setup(_) => Failure::new(
            code::COCKPIT_ANSWER,
            format!("The history at {url} can't be used: {error}. Go on without, or correct {VARIABLE}."),
        ),
    }
}
