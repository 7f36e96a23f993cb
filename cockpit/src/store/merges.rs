//! Merges that were made again.

use std::collections::{BTreeMap, BTreeSet};

use super::{Store, StoreError};
use crate::tasks::{Commit, Merge};

const KNOWN: &str = "SELECT hash FROM merges WHERE repository = $1";
const ADD: &str =
    "INSERT INTO merges (repository, hash, at, conflicts) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
const ADD_CHANGE: &str = "INSERT INTO merge_changes (repository, merge, path, side, hash, at, subject) \
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
/// Changes of the merges that conflicted since $2, the newest merge first.
const CHANGES: &str = "SELECT m.hash, m.at, c.path, c.side, c.hash, c.at, c.subject FROM merges m \
    JOIN merge_changes c ON c.repository = m.repository AND c.merge = m.hash \
    WHERE m.repository = $1 AND m.conflicts > 0 AND m.at >= $2 ORDER BY m.at DESC, m.hash, c.at DESC LIMIT $3";

/// Changes that one answer is found in.
const CHANGES_MOST: i64 = 20_000;

type ChangeRow = (String, i64, String, i64, String, i64, String);

impl Store {
    /// The merges that were made again already.
    pub(crate) async fn merges_known(&self, repository: i64) -> Result<BTreeSet<String>, StoreError> {
        let rows: Vec<String> = sqlx::query_scalar(KNOWN)
            .bind(repository)
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().collect())
    }

    /// Keeps a merge. One that is unfinished is not kept.
    pub(crate) async fn add_merge(&self, repository: i64, merge: &Merge) -> Result<(), StoreError> {
        let (Some(hash), Some(at)) = (&merge.hash, merge.at) else {
            return Ok(());
        };
        let mut tx = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let conflicts = i64::try_from(merge.paths.len()).unwrap_or(i64::MAX);
        sqlx::query(ADD)
            .bind(repository)
            .bind(hash)
            .bind(at)
            .bind(conflicts)
            .execute(&mut *tx)
            .await?;
        for (side, commits) in (0_i64..).zip(&merge.sides) {
            for commit in commits {
                for path in commit.paths.iter().filter(|path| merge.paths.contains(path)) {
                    sqlx::query(ADD_CHANGE)
                        .bind(repository)
                        .bind(hash)
                        .bind(path)
                        .bind(side)
                        .bind(&commit.hash)
                        .bind(commit.at)
                        .bind(&commit.subject)
                        .execute(&mut *tx)
                        .await?;
                }
            }
        }
        tx.commit().await?;
        Ok(())
    }

    /// The merges that conflicted since `since` (seconds), the newest first.
    pub(crate) async fn merges(&self, repository: i64, since: i64) -> Result<Vec<Merge>, StoreError> {
        let rows: Vec<ChangeRow> = sqlx::query_as(CHANGES)
            .bind(repository)
            .bind(since)
            .bind(CHANGES_MOST)
            .fetch_all(&self.pool)
            .await?;
        let mut merges: Vec<Merge> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for (hash, at, path, side, commit, commit_at, subject) in rows {
            let place = *places.entry(hash.clone()).or_insert(merges.len());
            if place == merges.len() {
                let sides = [Vec::new(), Vec::new()];
                merges.push(Merge {
                    hash: Some(hash),
                    at: Some(at),
                    paths: Vec::new(),
                    sides,
                });
            }
            let Some(merge) = merges.get_mut(place) else {
                continue;
            };
            if !merge.paths.contains(&path) {
                merge.paths.push(path.clone());
            }
            let [ours, theirs] = &mut merge.sides;
            let of_side = if side == 0 { ours } else { theirs };
            match of_side
                .iter_mut()
                .find(|known: &&mut Commit| known.hash == commit)
            {
                Some(known) => known.paths.push(path),
                None => of_side.push(Commit {
                    hash: commit,
                    at: commit_at,
                    subject,
                    paths: vec![path],
                }),
            }
        }
        Ok(merges)
    }
}
