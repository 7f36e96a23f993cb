//! From what a cockpit answers to what may be shown. Pure.
//!
//! Everything in an answer was written by somebody: prompts, reports, subject lines, names of files. Hidden characters go and are
//! counted, links, tokens and what looks like a credential are withheld, what stands on one line stays there, and every member is bounded here again: what
//! answers may not be a cockpit of ours.

use ::cockpit::contract::{Collision, Outcome, Task};
use ::cockpit::limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::timestamp::Timestamp;

use crate::render;
use crate::verbs::secrets::repeated;

/// Of a commit's id, as people say it.
const SHORT: usize = 12;

/// One earlier task. Everything in it is quoted data by others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct TaskItem {
    /// Always `earlier_task`.
    pub origin: String,
    /// Always true.
    pub untrusted: bool,
    /// The host program that ran it.
    pub host: String,
    /// When it started.
    pub started_at: String,
    /// When it ended; missing while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub ended_at: Option<String>,
    /// done, failed, running or unknown.
    pub outcome: String,
    /// By what that is known, in our words.
    pub why: String,
    /// The first line of what its agent was told.
    pub title: String,
    /// The last check that its agent ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub check: Option<String>,
    /// What it changed, those asked about first.
    pub files: Vec<String>,
    /// How many files it changed.
    pub files_total: u64,
    /// Whether it may have changed more files than are known.
    #[serde(default)]
    pub files_unlisted: bool,
    /// Where that collided on a merge.
    pub collisions: Vec<CollisionItem>,
    /// What its agent reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub report: Option<String>,
    /// How many bytes the report has in all, if it is cut here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub report_bytes: Option<u64>,
    /// Hidden characters removed from all of it.
    pub hidden_removed: u64,
}

/// A file that conflicted on a merge.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct CollisionItem {
    /// The file.
    pub path: String,
    /// When.
    pub at: String,
    /// The merge commit, or `unfinished`.
    pub merge: String,
    /// The other side's newest commit of that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub with: Option<String>,
}

/// Makes a task safe to show.
pub(super) fn item(task: &Task) -> TaskItem {
    let mut hidden = 0;
    let mut line = |raw: &str| {
        hidden += render::text(raw).hidden;
        render::title(&repeated(raw))
    };
    let title = line(&task.title);
    let check = task.check.as_ref().map(|check| {
        let how = if check.failed { "failed" } else { "passed" };
        format!("{how}: {}", line(&check.command))
    });
    let files = task
        .files
        .iter()
        .take(limits::FILES_SHOWN)
        .map(|path| line(path))
        .collect();
    let collisions = task
        .collisions
        .iter()
        .take(limits::COLLISIONS_SHOWN)
        .map(|collision| collided(collision, &mut line))
        .collect();
    let whole = task.report.as_deref().unwrap_or_default();
    let withheld = repeated(whole);
    let report = render::text(&withheld);
    hidden += report.hidden;
    let shown = render::part(&report.text, 0, limits::REPORT).end;
    let cut = report.text.get(..shown).unwrap_or_default();
    let total = task.report_bytes.max(whole.len() as u64);
    TaskItem {
        origin: "earlier_task".to_owned(),
        untrusted: true,
        host: render::program(&task.host),
        started_at: moment(&task.started_at),
        ended_at: task.ended_at.as_deref().map(moment),
        outcome: outcome(task.outcome).to_owned(),
        why: why(&task.why).to_owned(),
        title,
        check,
        files,
        files_total: task.files_total.max(task.files.len() as u64),
        files_unlisted: task.files_unlisted,
        collisions,
        report_bytes: (cut.len() < report.text.len() || total > whole.len() as u64).then_some(total),
        report: Some(cut.to_owned()).filter(|report| !report.is_empty()),
        hidden_removed: hidden as u64,
    }
}

fn collided(collision: &Collision, line: &mut impl FnMut(&str) -> String) -> CollisionItem {
    let with = collision.with_commit.as_deref().map(|commit| {
        let title = collision.with_title.as_deref().map(&mut *line);
        let title = title.map_or_else(String::new, |title| format!(" \"{title}\""));
        format!("{}{title}", short(commit))
    });
    CollisionItem {
        path: line(&collision.path),
        at: moment(&collision.at),
        merge: collision
            .merge
            .as_deref()
            .map_or_else(|| "unfinished".to_owned(), short),
        with,
    }
}

/// The start of a commit's id; what is none is not shown.
fn short(commit: &str) -> String {
    match commit.bytes().all(|byte| byte.is_ascii_hexdigit()) && !commit.is_empty() {
        true => commit.chars().take(SHORT).collect(),
        false => "unknown".to_owned(),
    }
}

/// A time that is one, written as ours are.
fn moment(raw: &str) -> String {
    Timestamp::parse(raw).map_or_else(|| "unknown".to_owned(), |at| at.to_string())
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Running => "running",
        Outcome::Done => "done",
        Outcome::Failed => "failed",
        Outcome::Unknown => "unknown",
    }
}

fn why(name: &str) -> &'static str {
    match name {
        "finished" => "its agent finished",
        "check_failed" => "its last check failed",
        "host_error" => "its host broke it off by an error",
        "session_ended" => "its conversation was closed before it was over",
        "interrupted" => "it was interrupted",
        "running" => "it goes on",
        _ => "its cockpit gives another reason",
    }
}
