//! Every limit of the cockpit in one place. Sizes are UTF-8 bytes unless something else is said.

use std::time::Duration;

/// A request's body.
pub const BODY: usize = 64 << 10;
/// An answer of the history, whole: what a client needs to take.
pub const ANSWER: usize = 1 << 20;
/// How long one request may take, its body included.
pub const REQUEST_TIME: Duration = Duration::from_secs(10);
/// Connections at once: few enough for the file handles a process has everywhere.
pub const CONNECTIONS: usize = 96;
/// A request's head; a longer one is refused.
pub const HEAD: usize = 16 << 10;
/// How long the next head of a connection may take, from the end of the answer before it.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// Paths of one question.
pub const PATHS: usize = 100;
/// One path.
pub const PATH: usize = 4_096;
/// Tasks of one answer, unless the question says how many.
pub const TASKS: u32 = 10;
/// Tasks of one answer at most.
pub const TASKS_MOST: u32 = 50;
/// Files named with a task; those asked about come first.
pub const FILES_SHOWN: usize = 20;
/// Collisions named with a task.
pub const COLLISIONS_SHOWN: usize = 10;

/// A task's title.
pub const TITLE: usize = 200;
/// A subject line of a commit.
pub const SUBJECT: usize = 200;
/// What an agent reported.
pub const REPORT: usize = 4_000;
/// The command of a check.
pub const COMMAND: usize = 200;
/// A host's name, or the id of one of its sessions.
pub const NAME: usize = 128;

/// Events that wait for their turn; more are refused.
pub const QUEUE: usize = 256;
/// How long a question waits for the events before it.
pub const SETTLE_TIME: Duration = Duration::from_secs(3);

/// One run of git.
pub const GIT_TIME: Duration = Duration::from_secs(20);
/// What one run of git may print.
pub const GIT_OUTPUT: usize = 32 << 20;
/// Files of a working tree that differ from its commit; of more, those that git does not track are left out, or else all.
pub const DIRTY: usize = 5_000;
/// The largest file whose content is compared; of a larger one size and time are.
pub const HASHED: u64 = 8 << 20;
/// Commits that one task is asked about.
pub const COMMITS: usize = 500;
/// Merges that are made again for one question or event.
pub const MERGES: usize = 50;
/// How long that may take together.
pub const MERGES_TIME: Duration = Duration::from_secs(5);
/// Paths of one merge that are kept.
pub const CONFLICTS: usize = 200;
/// Commits of one side of a merge that are kept.
pub const SIDE: usize = 200;

/// Tasks kept; the oldest go first.
pub const TASKS_KEPT: i64 = 20_000;
