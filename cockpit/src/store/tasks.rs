//! Tasks: begun by an event, ended by another, completed by what git says.

use std::path::{Path, PathBuf};

use sqlx::FromRow;

use super::{Store, StoreError};
use crate::limits;
use crate::tasks::Verdict;

const ADD: &str = "INSERT INTO tasks (id, repository, folder, host, session, title, started_at, outcome, why) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, 'running', 'running')";
const LATEST: &str = "SELECT id, ended_at IS NULL FROM tasks WHERE host = $1 AND session = $2 ORDER BY started_at DESC, rowid DESC LIMIT 1";
const END: &str = "UPDATE tasks SET ended_at = $2, outcome = $3, why = $4, check_command = $5, check_failed = $6, \
    report = $7, report_bytes = $8, end_seen = 0 WHERE id = $1";
const CLOSE_OPEN: &str = "UPDATE tasks SET ended_at = $3, outcome = $4, why = $5 \
    WHERE host = $1 AND session = $2 AND ended_at IS NULL RETURNING id";
const FORGET_START: &str = "DELETE FROM start_files WHERE task IN \
    (SELECT id FROM tasks WHERE host = $1 AND session = $2 AND end_seen = 1)";
const TRIM: &str =
    "DELETE FROM tasks WHERE id IN (SELECT id FROM tasks ORDER BY started_at DESC LIMIT -1 OFFSET $1)";
const TO_SEE: &str =
    "SELECT id, folder, started_at, start_commit FROM tasks WHERE ended_at IS NOT NULL AND end_seen = 0";
const OF_TASK: &str = "SELECT id, folder, started_at, start_commit FROM tasks WHERE id = $1";
const OLDEST: &str = "SELECT min(started_at) FROM tasks WHERE repository = $1";
/// The newest tasks that changed one of the paths in the JSON list $2, or something in such a folder; '' is everything, and then
/// those count too of which not everything is known.
const CHANGED: &str = "SELECT t.id, t.host, t.title, t.started_at, t.ended_at, t.outcome, t.why, t.check_command, \
    t.check_failed, t.report, t.report_bytes, t.unlisted FROM tasks t WHERE t.repository = $1 AND (EXISTS (\
    SELECT 1 FROM task_files f, json_each($2) p WHERE f.task = t.id AND (p.value = '' OR f.path = p.value \
    OR substr(f.path, 1, length(p.value) + 1) = p.value || '/')) \
    OR (t.unlisted AND EXISTS (SELECT 1 FROM json_each($2) p WHERE p.value = ''))) ORDER BY t.started_at DESC, t.id LIMIT $3";

/// A task that begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewTask<'a> {
    pub(crate) id: &'a str,
    pub(crate) repository: i64,
    pub(crate) folder: &'a Path,
    pub(crate) host: &'a str,
    pub(crate) session: &'a str,
    pub(crate) title: &'a str,
    pub(crate) at: i64,
}

/// How a task ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskEnd<'a> {
    pub(crate) at: i64,
    pub(crate) verdict: Verdict,
    pub(crate) check: Option<(&'a str, bool)>,
    pub(crate) report: Option<&'a str>,
    pub(crate) report_bytes: i64,
}

/// A task whose working tree is to be looked at.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Sight {
    pub(crate) id: String,
    folder: String,
    pub(crate) started_at: i64,
    pub(crate) start_commit: Option<String>,
}

impl Sight {
    pub(crate) fn folder(&self) -> PathBuf {
        PathBuf::from(&self.folder)
    }
}

/// A task as it is answered.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct TaskRow {
    pub(crate) id: String,
    pub(crate) host: String,
    pub(crate) title: String,
    pub(crate) started_at: i64,
    pub(crate) ended_at: Option<i64>,
    pub(crate) outcome: String,
    pub(crate) why: String,
    pub(crate) check_command: Option<String>,
    pub(crate) check_failed: Option<bool>,
    pub(crate) report: Option<String>,
    pub(crate) report_bytes: i64,
    pub(crate) unlisted: bool,
}

impl Store {
    /// Begins a task. What is open of its conversation ends as `overtaken`; the oldest tasks of all make room.
    pub(crate) async fn begin_task(
        &self,
        task: NewTask<'_>,
        overtaken: Verdict,
    ) -> Result<Vec<String>, StoreError> {
        let mut tx = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let closed = sqlx::query_scalar(CLOSE_OPEN)
            .bind(task.host)
            .bind(task.session)
            .bind(task.at)
            .bind(outcome(overtaken))
            .bind(overtaken.why)
            .fetch_all(&mut *tx)
            .await?;
        sqlx::query(FORGET_START)
            .bind(task.host)
            .bind(task.session)
            .execute(&mut *tx)
            .await?;
        sqlx::query(ADD)
            .bind(task.id)
            .bind(task.repository)
            .bind(task.folder.to_string_lossy().as_ref())
            .bind(task.host)
            .bind(task.session)
            .bind(task.title)
            .bind(task.at)
            .execute(&mut *tx)
            .await?;
        sqlx::query(TRIM)
            .bind(limits::TASKS_KEPT)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(closed)
    }

    /// Ends what is open of a conversation. The ids of what was.
    pub(crate) async fn close_open(
        &self,
        (host, session): (&str, &str),
        at: i64,
        verdict: Verdict,
    ) -> Result<Vec<String>, StoreError> {
        let mut tx = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let closed = sqlx::query_scalar(CLOSE_OPEN)
            .bind(host)
            .bind(session)
            .bind(at)
            .bind(outcome(verdict))
            .bind(verdict.why)
            .fetch_all(&mut *tx)
            .await?;
        sqlx::query(FORGET_START)
            .bind(host)
            .bind(session)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(closed)
    }

    /// Ends the newest task of a conversation, also where it had ended before: an agent that was made to go on stops again.
    /// Its id; none if the conversation has none.
    pub(crate) async fn end_task(
        &self,
        (host, session): (&str, &str),
        end: TaskEnd<'_>,
    ) -> Result<Option<String>, StoreError> {
        let mut tx = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let latest: Option<(String, bool)> = sqlx::query_as(LATEST)
            .bind(host)
            .bind(session)
            .fetch_optional(&mut *tx)
            .await?;
        let Some((id, _)) = latest else { return Ok(None) };
        sqlx::query(END)
            .bind(&id)
            .bind(end.at)
            .bind(outcome(end.verdict))
            .bind(end.verdict.why)
            .bind(end.check.map(|(command, _)| command))
            .bind(end.check.map(|(_, failed)| failed))
            .bind(end.report)
            .bind(end.report_bytes)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(Some(id))
    }

    /// A task, to look at its working tree.
    pub(crate) async fn sight(&self, task: &str) -> Result<Option<Sight>, StoreError> {
        Ok(sqlx::query_as(OF_TASK)
            .bind(task)
            .fetch_optional(&self.pool)
            .await?)
    }

    /// Tasks that ended and whose working tree nobody has looked at since: a crash came between.
    pub(crate) async fn to_see(&self) -> Result<Vec<Sight>, StoreError> {
        Ok(sqlx::query_as(TO_SEE).fetch_all(&self.pool).await?)
    }

    /// When the oldest task of a repository started.
    pub(crate) async fn oldest(&self, repository: i64) -> Result<Option<i64>, StoreError> {
        Ok(sqlx::query_scalar(OLDEST)
            .bind(repository)
            .fetch_one(&self.pool)
            .await?)
    }

    /// The newest tasks that changed one of `paths`.
    pub(crate) async fn changed(
        &self,
        repository: i64,
        paths: &[String],
        limit: i64,
    ) -> Result<Vec<TaskRow>, StoreError> {
        // A list of strings can always be written.
        let paths = serde_json::to_string(paths).unwrap_or_default();
        Ok(sqlx::query_as(CHANGED)
            .bind(repository)
            .bind(paths)
            .bind(limit)
            .fetch_all(&self.pool)
            .await?)
    }
}

fn outcome(verdict: Verdict) -> &'static str {
    use crate::contract::Outcome;
    match verdict.outcome {
        Outcome::Running => "running",
        Outcome::Done => "done",
        Outcome::Failed => "failed",
        Outcome::Unknown => "unknown",
    }
}
