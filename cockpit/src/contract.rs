//! The JSON of the cockpit's HTTP API, version 1. `docs/cockpit.md` describes it; others may implement it.
//!
//! Unknown members are ignored on both sides, so that members can be added. Times are RFC 3339 in UTC.

use serde::{Deserialize, Serialize};

/// The version of this contract, in every answer.
pub const VERSION: u32 = 1;

/// What happened in an agent's host: the body of `POST /v1/events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// What happened.
    pub event: EventKind,
    /// The host program, such as `claude-code`.
    pub host: String,
    /// The host's own id of the conversation.
    pub session: String,
    /// The folder that the agent works in: absolute.
    pub folder: String,
    /// What the task is about; of a task that starts. The first line is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How it ended; of a task that ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
    /// What the agent said last; of a task that ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// How many bytes the report has, where only a part of it is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_bytes: Option<u64>,
    /// The last check that the agent ran in the task; of a task that ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A conversation began, or goes on after a break.
    SessionStarted,
    /// The agent was given something to do.
    TaskStarted,
    /// The agent's turn is over.
    TaskEnded,
    /// The conversation is over.
    SessionEnded,
}

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The agent stopped by itself.
    Finished,
    /// The host broke it off by an error.
    Error,
}

/// A check that an agent ran: a test, a build, a linter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The command.
    pub command: String,
    /// Whether it failed.
    pub failed: bool,
}

/// The answer to an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// [`VERSION`].
    pub version: u32,
    /// The task that it belongs to; none where nothing is recorded, such as outside a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

/// A question: the body of `POST /v1/history`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Which repository.
    pub repo: Repo,
    /// Files or folders relative to its top, `/`-separated; an empty one is the top itself.
    pub paths: Vec<String>,
    /// How many tasks at most, 1 to 50; 10 if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// By what a repository is recognised; one member that matches is enough, and one is needed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repo {
    /// SHA-256 in hex of the normalised origin URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// SHA-256 in hex of the root commit's id; not of a shallow clone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The folder of a working tree on the cockpit's machine: absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// A name, such as `payments` or `acme/payments`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// [`VERSION`].
    pub version: u32,
    /// The repository's name; none if the cockpit knows no such repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// The tasks that changed one of the paths, the newest first.
    pub tasks: Vec<Task>,
    /// Whether there are older ones.
    #[serde(default)]
    pub more: bool,
    /// Whether there are merges that have not been looked at yet.
    #[serde(default)]
    pub unexamined_merges: bool,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// The host program.
    pub host: String,
    /// What it was about: the first line of what the agent was told.
    pub title: String,
    /// When it started.
    pub started_at: String,
    /// When it ended; none while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// How it came out.
    pub outcome: Outcome,
    /// By what that is known: `finished`, `check_failed`, `host_error`, `session_ended`, `interrupted`, `running`. Others
    /// may be added.
    pub why: String,
    /// The last check that its agent ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// What it changed: at most 20, those asked about first.
    pub files: Vec<String>,
    /// How many files it changed.
    pub files_total: u64,
    /// Whether it may have changed more: what differs in its working tree could not all be listed.
    #[serde(default)]
    pub files_unlisted: bool,
    /// Where it collided on a merge, the newest first; at most 10.
    #[serde(default)]
    pub collisions: Vec<Collision>,
    /// What its agent said last, cut at 4,000 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// How many bytes that had.
    #[serde(default)]
    pub report_bytes: u64,
}

/// How a task came out, as far as that can be observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It goes on.
    Running,
    /// Its agent finished, and no failed check was the last.
    Done,
    /// It ended before its agent finished, or its last check failed.
    Failed,
    /// It can't be told.
    Unknown,
}

/// A file that a task changed and that conflicted when two lines of work were merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collision {
    /// The file.
    pub path: String,
    /// When: of the merge, or now of one that is unfinished.
    pub at: String,
    /// The merge commit; none while the merge is unfinished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<String>,
    /// The newest commit of the other side that changed the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_commit: Option<String>,
    /// Its subject line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_title: Option<String>,
}

/// Why a request was not done: the body of every answer that is no success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// A stable name.
    pub error: String,
    /// One sentence.
    pub message: String,
}
