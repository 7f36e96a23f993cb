//! Repositories, by what they are recognised, and their working trees.

use std::path::PathBuf;

use super::{Store, StoreError};
use crate::git::{Checkout, ObjectFormat};
use crate::repository::Marks;

const BY_MARK: &str = "SELECT repository FROM marks WHERE mark = $1";
const BY_NAME: &str = "SELECT id FROM repositories WHERE name = $1 OR substr(name, -length('/' || $1)) = '/' || $1 ORDER BY id LIMIT 2";
const NAME: &str = "SELECT name FROM repositories WHERE id = $1";
const ADD: &str = "INSERT INTO repositories (name) VALUES ($1) RETURNING id";
const RENAME: &str = "UPDATE repositories SET name = $2 WHERE id = $1";
const ADD_MARK: &str = "INSERT INTO marks (mark, repository) VALUES ($1, $2) ON CONFLICT (mark) DO NOTHING";
const SEE: &str = "INSERT INTO checkouts (folder, git_dir, common_dir, repository, seen_at, object_format) \
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (folder) DO UPDATE \
    SET git_dir = $2, common_dir = $3, repository = $4, seen_at = $5, object_format = $6";
const CHECKOUTS: &str = "SELECT folder, git_dir, common_dir, object_format FROM checkouts WHERE repository = $1 \
    ORDER BY seen_at DESC LIMIT $2";
const FORGET: &str = "DELETE FROM checkouts WHERE folder = $1";
/// Two that turn out to be one. Merges are looked at again.
const JOIN: [&str; 6] = [
    "UPDATE tasks SET repository = $1 WHERE repository = $2",
    "UPDATE checkouts SET repository = $1 WHERE repository = $2",
    "UPDATE marks SET repository = $1 WHERE repository = $2",
    "DELETE FROM merge_changes WHERE repository = $2 AND $1 <> $2",
    "DELETE FROM merges WHERE repository = $2 AND $1 <> $2",
    "DELETE FROM repositories WHERE id = $2 AND $1 <> $2",
];

/// Working trees of one repository that are asked for merges.
const CHECKOUTS_MOST: i64 = 8;

impl Store {
    /// The repository of a working tree, made if it is new; the working tree is kept with it.
    pub(crate) async fn enter(&self, checkout: &Checkout, now: i64) -> Result<i64, StoreError> {
        let mut tx = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let marks = checkout.marks.rows();
        let mut known: Vec<i64> = Vec::new();
        for mark in &marks {
            known.extend(
                sqlx::query_scalar::<_, i64>(BY_MARK)
                    .bind(mark)
                    .fetch_optional(&mut *tx)
                    .await?,
            );
        }
        known.sort_unstable();
        known.dedup();
        let name = &checkout.marks.name;
        let id = match known.split_first() {
            None => sqlx::query_scalar(ADD).bind(name).fetch_one(&mut *tx).await?,
            Some((first, others)) => {
                for other in others {
                    for statement in JOIN {
                        sqlx::query(statement)
                            .bind(first)
                            .bind(other)
                            .execute(&mut *tx)
                            .await?;
                    }
                }
                if checkout.marks.origin.is_some() {
                    sqlx::query(RENAME)
                        .bind(first)
                        .bind(name)
                        .execute(&mut *tx)
                        .await?;
                }
                *first
            }
        };
        for mark in &marks {
            sqlx::query(ADD_MARK)
                .bind(mark)
                .bind(id)
                .execute(&mut *tx)
                .await?;
        }
        sqlx::query(SEE)
            .bind(text(&checkout.top))
            .bind(text(&checkout.git_dir))
            .bind(text(&checkout.common_dir))
            .bind(id)
            .bind(now)
            .bind(checkout.format.name())
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(id)
    }

    /// The repository that has one of these marks.
    pub(crate) async fn repository(&self, marks: &[String]) -> Result<Option<i64>, StoreError> {
        for mark in marks {
            let found = sqlx::query_scalar(BY_MARK)
                .bind(mark)
                .fetch_optional(&self.pool)
                .await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The repositories of a name, whole or its last part: two at most, since more than one answers nothing.
    pub(crate) async fn named(&self, name: &str) -> Result<Vec<i64>, StoreError> {
        Ok(sqlx::query_scalar(BY_NAME)
            .bind(name)
            .fetch_all(&self.pool)
            .await?)
    }

    /// How a repository is called.
    pub(crate) async fn name(&self, repository: i64) -> Result<String, StoreError> {
        Ok(sqlx::query_scalar(NAME)
            .bind(repository)
            .fetch_one(&self.pool)
            .await?)
    }

    /// The working trees of a repository, the one used last first. One whose folder is gone is forgotten.
    pub(crate) async fn checkouts(&self, repository: i64) -> Result<Vec<Checkout>, StoreError> {
        let rows: Vec<(String, String, String, String)> = sqlx::query_as(CHECKOUTS)
            .bind(repository)
            .bind(CHECKOUTS_MOST)
            .fetch_all(&self.pool)
            .await?;
        let mut there = Vec::new();
        for (folder, git_dir, common_dir, format) in rows {
            // Of none that this version knows nothing can be read.
            let Some(format) = ObjectFormat::named(&format) else {
                continue;
            };
            let checkout = Checkout {
                top: PathBuf::from(&folder),
                git_dir: PathBuf::from(git_dir),
                common_dir: PathBuf::from(common_dir),
                format,
                marks: Marks::default(),
            };
            if checkout.git_dir.is_dir() && checkout.top.is_dir() {
                there.push(checkout);
            } else {
                sqlx::query(FORGET).bind(&folder).execute(&self.pool).await?;
            }
        }
        Ok(there)
    }
}

fn text(path: &std::path::Path) -> String {
    path.to_string_lossy().into_owned()
}
