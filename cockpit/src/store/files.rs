//! What differed when a task started, and what it changed.

use std::collections::{BTreeMap, BTreeSet};

use super::{Store, StoreError};
use crate::tasks::{Changed, Extent, Listing};

const START_SEEN: &str =
    "UPDATE tasks SET start_seen = 1, start_commit = $2, start_unlisted = $3 WHERE id = $1";
const ADD_START: &str = "INSERT INTO start_files (task, path, state) \
    SELECT $1, p.key, p.value FROM json_each($2) p WHERE true ON CONFLICT (task, path) DO UPDATE SET state = excluded.state";
const START_LISTED: &str = "SELECT start_unlisted FROM tasks WHERE id = $1 AND start_seen = 1";
const START: &str = "SELECT path, state FROM start_files WHERE task = $1";
const END_SEEN: &str = "UPDATE tasks SET end_seen = 1, unlisted = $2 WHERE id = $1";
const CLEAR_FILES: &str = "DELETE FROM task_files WHERE task = $1";
const ADD_FILES: &str =
    "INSERT INTO task_files (task, path, committed) SELECT $1, p.key, p.value FROM json_each($2) p";
const CLEAR_COMMITS: &str = "DELETE FROM task_commits WHERE task = $1";
const ADD_COMMITS: &str =
    "INSERT OR IGNORE INTO task_commits (task, hash) SELECT $1, c.value FROM json_each($2) c";
const FILES: &str = "SELECT path, committed FROM task_files WHERE task = $1";
const COMMITS: &str = "SELECT hash FROM task_commits WHERE task = $1";

impl Store {
    /// Keeps what differed when a task started.
    pub(crate) async fn saw_start(
        &self,
        task: &str,
        head: Option<&str>,
        listing: &Listing,
    ) -> Result<(), StoreError> {
        let mut tx = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query(START_SEEN)
            .bind(task)
            .bind(head)
            .bind(missing(listing.extent))
            .execute(&mut *tx)
            .await?;
        sqlx::query(ADD_START)
            .bind(task)
            .bind(json(&listing.files))
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// What differed when it started; none if nobody looked.
    pub(crate) async fn start(&self, task: &str) -> Result<Option<Listing>, StoreError> {
        let seen: Option<i64> = sqlx::query_scalar(START_LISTED)
            .bind(task)
            .fetch_optional(&self.pool)
            .await?;
        let Some(missing) = seen else { return Ok(None) };
        let rows: Vec<(String, String)> = sqlx::query_as(START).bind(task).fetch_all(&self.pool).await?;
        Ok(Some(Listing {
            extent: extent(missing),
            files: rows.into_iter().collect(),
        }))
    }

    /// Keeps what a task changed, in place of what was kept before. None: it could not be found out.
    pub(crate) async fn saw_end(&self, task: &str, changed: Option<&Changed>) -> Result<(), StoreError> {
        let mut tx = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query(END_SEEN)
            .bind(task)
            .bind(changed.is_none_or(|changed| changed.unlisted))
            .execute(&mut *tx)
            .await?;
        if let Some(changed) = changed {
            sqlx::query(CLEAR_FILES).bind(task).execute(&mut *tx).await?;
            sqlx::query(ADD_FILES)
                .bind(task)
                .bind(json(&changed.files))
                .execute(&mut *tx)
                .await?;
            sqlx::query(CLEAR_COMMITS).bind(task).execute(&mut *tx).await?;
            sqlx::query(ADD_COMMITS)
                .bind(task)
                .bind(json(&changed.commits))
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// What a task changed; whether a commit of it has it.
    pub(crate) async fn files(&self, task: &str) -> Result<BTreeMap<String, bool>, StoreError> {
        let rows: Vec<(String, bool)> = sqlx::query_as(FILES).bind(task).fetch_all(&self.pool).await?;
        Ok(rows.into_iter().collect())
    }

    /// The commits of a task.
    pub(crate) async fn commits(&self, task: &str) -> Result<BTreeSet<String>, StoreError> {
        let rows: Vec<String> = sqlx::query_scalar(COMMITS)
            .bind(task)
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().collect())
    }
}

/// As the table has it: 0 is nothing, so that what was kept before it was written counts as whole.
fn missing(extent: Extent) -> i64 {
    match extent {
        Extent::Whole => 0,
        Extent::Tracked => 1,
        Extent::Nothing => 2,
    }
}

fn extent(missing: i64) -> Extent {
    match missing {
        0 => Extent::Whole,
        1 => Extent::Tracked,
        _ => Extent::Nothing,
    }
}

/// Texts and truth values can always be written.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
