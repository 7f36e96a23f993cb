//! From the tables to an answer.

use std::path::Path;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::{Core, ServiceError};
use crate::contract::{Check, Collision, History, Outcome, Question, Task, VERSION};
use crate::limits;
use crate::store::TaskRow;
use crate::tasks::{Collided, Known, Merge, collisions};

/// Of an answer beside its tasks.
const FRAME: usize = 4_096;

/// Whether a question can be answered.
pub(super) fn check(question: &Question) -> Result<(), ServiceError> {
    let refuse = |text: &str| Err(ServiceError::Refused(text.to_owned()));
    let repo = &question.repo;
    let marks = [&repo.origin, &repo.root, &repo.folder, &repo.name];
    if marks.iter().all(|mark| mark.is_none()) {
        return refuse("`repo` needs one of `origin`, `root`, `folder` and `name`");
    }
    if marks.iter().any(|mark| {
        mark.as_ref()
            .is_some_and(|mark| mark.len() > limits::PATH || mark.contains('\0'))
    }) {
        return refuse("a member of `repo` is too long");
    }
    if repo
        .folder
        .as_ref()
        .is_some_and(|folder| !Path::new(folder).is_absolute())
    {
        return refuse("`repo.folder` is the absolute path of a folder");
    }
    if question.paths.is_empty() || question.paths.len() > limits::PATHS {
        return refuse("`paths` has 1 to 100 members");
    }
    for path in &question.paths {
        let whole = path.is_empty() || path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !whole || path.len() > limits::PATH || path.contains('\0') {
            return refuse("a path is relative to the repository's top, without `.`, `..` or an empty part");
        }
    }
    if question
        .limit
        .is_some_and(|limit| !(1..=limits::TASKS_MOST).contains(&limit))
    {
        return refuse("`limit` is 1 to 50");
    }
    Ok(())
}

impl Core {
    /// Answers a question that can be answered.
    pub(super) async fn history(&self, question: &Question) -> Result<History, ServiceError> {
        let mut history = History {
            version: VERSION,
            repository: None,
            tasks: Vec::new(),
            more: false,
            unexamined_merges: false,
        };
        let Some(repository) = self.meant(question).await? else {
            return Ok(history);
        };
        history.repository = Some(self.store.name(repository).await?);
        let (open, left) = self.examine(repository).await?;
        history.unexamined_merges = left;
        let limit = question.limit.unwrap_or(limits::TASKS);
        let mut rows = self
            .store
            .changed(repository, &question.paths, i64::from(limit) + 1)
            .await?;
        history.more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let oldest = rows
            .last()
            .map_or(i64::MAX, |row| row.started_at.div_euclid(1000));
        let mut merges = open;
        merges.extend(self.store.merges(repository, oldest).await?);
        let mut room = limits::ANSWER - FRAME;
        for row in rows {
            let task = self.task(row, question, &merges).await?;
            // A task can always be written.
            let size = serde_json::to_vec(&task).map_or(usize::MAX, |bytes| bytes.len() + 1);
            let Some(rest) = room.checked_sub(size) else {
                history.more = true;
                break;
            };
            room = rest;
            history.tasks.push(task);
        }
        Ok(history)
    }

    /// The repository that a question means.
    async fn meant(&self, question: &Question) -> Result<Option<i64>, ServiceError> {
        let repo = &question.repo;
        let mut marks = Vec::new();
        if let Some(folder) = &repo.folder {
            marks = self.marks_of(folder).await?;
        }
        marks.extend(repo.origin.iter().map(|hash| format!("origin:{hash}")));
        marks.extend(repo.root.iter().map(|hash| format!("root:{hash}")));
        if let Some(found) = self.store.repository(&marks).await? {
            return Ok(Some(found));
        }
        let Some(name) = &repo.name else { return Ok(None) };
        match self.store.named(name).await?.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            _ => Err(ServiceError::Ambiguous),
        }
    }

    async fn task(&self, row: TaskRow, question: &Question, merges: &[Merge]) -> Result<Task, ServiceError> {
        let known = Known {
            started_at: row.started_at.div_euclid(1000),
            ended_at: row.ended_at.map(|at| at.div_euclid(1000)),
            files: self.store.files(&row.id).await?,
            commits: self.store.commits(&row.id).await?,
        };
        let asked = |path: &str| !question.paths.iter().any(|asked| covers(asked, path));
        let mut files: Vec<String> = known.files.keys().cloned().collect();
        let files_total = files.len() as u64;
        files.sort_by_key(|path| asked(path));
        files.truncate(limits::FILES_SHOWN);
        let mut collided = collisions(&known, merges);
        collided.sort_by_key(|one| asked(one.path));
        collided.truncate(limits::COLLISIONS_SHOWN);
        let now = (self.clock)();
        Ok(Task {
            collisions: collided.iter().map(|one| collision(one, now)).collect(),
            outcome: outcome(&row.outcome),
            check: row.check_command.map(|command| Check {
                command,
                failed: row.check_failed.unwrap_or(false),
            }),
            started_at: moment(row.started_at),
            ended_at: row.ended_at.map(moment),
            id: row.id,
            host: row.host,
            title: row.title,
            why: row.why,
            files,
            files_total,
            files_unlisted: row.unlisted,
            report: row.report,
            report_bytes: u64::try_from(row.report_bytes).unwrap_or(0),
        })
    }
}

/// Whether a path that was asked about is this one, or a folder that it is in.
fn covers(asked: &str, path: &str) -> bool {
    asked.is_empty()
        || path
            .strip_prefix(asked)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn collision(one: &Collided<'_>, now: i64) -> Collision {
    Collision {
        path: one.path.to_owned(),
        at: moment(one.merge.at.map_or(now, |at| at.saturating_mul(1000))),
        merge: one.merge.hash.clone(),
        with_commit: one.with.map(|commit| commit.hash.clone()),
        with_title: one.with.map(|commit| commit.subject.clone()),
    }
}

fn outcome(stored: &str) -> Outcome {
    match stored {
        "running" => Outcome::Running,
        "done" => Outcome::Done,
        "failed" => Outcome::Failed,
        _ => Outcome::Unknown,
    }
}

/// RFC 3339 in UTC; a time that no calendar has is the epoch.
fn moment(ms: i64) -> String {
    let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000)
        .unwrap_or(OffsetDateTime::UNIX_EPOCH);
    at.format(&Rfc3339)
        .unwrap_or_else(|_| "1970-01-01T00:00:00Z".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{covers, moment};

    #[test]
    fn a_folder_covers_what_is_in_it_and_no_namesake() {
        for (asked, path, expected) in [
            ("src", "src/lib.rs", true),
            ("src/lib.rs", "src/lib.rs", true),
            ("", "anything", true),
            ("src", "src2/lib.rs", false),
            ("src/lib", "src/lib.rs", false),
        ] {
            assert_eq!(covers(asked, path), expected, "{asked} {path}");
        }
    }

    #[test]
    fn times_are_told_in_utc() {
        // date --utc --date @1796000000
        assert_eq!(moment(1_796_000_000_500), "2026-11-30T00:53:20.5Z");
    }
}
