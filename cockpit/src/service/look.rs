//! Git is asked about a working tree, and what it says is kept.

use std::time::Instant;

use super::{Core, ServiceError};
use crate::git::{Checkout, GitError, again, identify, look, made_since, merges_since, unfinished};
use crate::limits;
use crate::tasks::{Listing, Merge, changed};

/// By which git refuses an option it does not know.
const USAGE: i32 = 129;

impl Core {
    /// Keeps how the working tree is as a task starts.
    pub(super) async fn see_start(&self, task: &str) -> Result<(), ServiceError> {
        let Some(sight) = self.store.sight(task).await? else {
            return Ok(());
        };
        let Some(checkout) = identify(&sight.folder()).await? else {
            return Ok(());
        };
        let (head, listing) = look(&self.scratch, &checkout).await?;
        self.store.saw_start(task, head.as_deref(), &listing).await?;
        Ok(())
    }

    /// Keeps what a task changed, now that it has ended.
    pub(super) async fn see_end(&self, task: &str) -> Result<(), ServiceError> {
        let Some(sight) = self.store.sight(task).await? else {
            return Ok(());
        };
        let Some(checkout) = identify(&sight.folder()).await? else {
            self.store.saw_end(task, None).await?;
            return Ok(());
        };
        let since = sight.started_at.div_euclid(1000);
        let commits = made_since(&self.scratch, &checkout, sight.start_commit.as_deref(), since).await?;
        let listing = match look(&self.scratch, &checkout).await {
            Ok((_, listing)) => listing,
            // The commits are known nevertheless.
            Err(error) => {
                tracing::warn!(%error, "what differs in the working tree is not known");
                Listing::default()
            }
        };
        let start = self.store.start(task).await?;
        let changed = changed(start.as_ref(), &listing, &commits);
        self.store.saw_end(task, Some(&changed)).await?;
        Ok(())
    }

    /// Makes again what merges there are since the first task, as far as a question's time allows. The merges that are
    /// unfinished, and whether some are left to look at.
    pub(super) async fn examine(&self, repository: i64) -> Result<(Vec<Merge>, bool), ServiceError> {
        let _one = self.merging.lock().await;
        let Some(oldest) = self.store.oldest(repository).await? else {
            return Ok((Vec::new(), false));
        };
        let mut known = self.store.merges_known(repository).await?;
        let (started, mut made) = (Instant::now(), 0);
        let (mut open, mut left) = (Vec::new(), false);
        for checkout in self.store.checkouts(repository).await? {
            match unfinished(&self.scratch, &checkout).await {
                Ok(merge) => open.extend(merge),
                Err(error) => tracing::info!(%error, "an unfinished merge can't be looked at"),
            }
            let merges = match merges_since(&self.scratch, &checkout, oldest.div_euclid(1000)).await {
                Ok(merges) => merges,
                Err(error) => {
                    tracing::info!(%error, "merges can't be looked at");
                    continue;
                }
            };
            for merged in merges
                .iter()
                .filter(|merged| !known.contains(&merged.hash))
                .collect::<Vec<_>>()
            {
                if made >= limits::MERGES || started.elapsed() >= limits::MERGES_TIME {
                    left = true;
                    break;
                }
                made += 1;
                let merge = match again(&self.scratch, &checkout, merged).await {
                    Ok(merge) => merge,
                    Err(GitError::Refused { code: USAGE, said }) => {
                        tracing::warn!(said, "git is too old to make merges again: 2.38 is needed");
                        return Ok((open, true));
                    }
                    Err(error) => {
                        tracing::info!(%error, merge = merged.hash, "a merge can't be made again");
                        none(merged)
                    }
                };
                self.store.add_merge(repository, &merge).await?;
                known.insert(merged.hash.clone());
            }
        }
        Ok((open, left))
    }

    /// The marks of a folder's repository.
    pub(super) async fn marks_of(&self, folder: &str) -> Result<Vec<String>, ServiceError> {
        let found: Option<Checkout> = identify(std::path::Path::new(folder)).await?;
        Ok(found.map(|checkout| checkout.marks.rows()).unwrap_or_default())
    }
}

/// A merge about which nothing is known, so that it is not tried again.
fn none(merged: &crate::tasks::Merged) -> Merge {
    Merge {
        hash: Some(merged.hash.clone()),
        at: Some(merged.at),
        paths: Vec::new(),
        sides: [Vec::new(), Vec::new()],
    }
}
