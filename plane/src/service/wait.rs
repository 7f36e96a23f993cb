//! `GET /v1/sessions/{id}/records?wait=`: holds a request until there is something to say.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use wire::api::Page;
use wire::event::{Kind, ModeName};

use super::live::Seen;
use super::look::Slot;
use super::read::PAGE_RECORDS;
use super::{Answer, Service, ServiceError, SessionCaller};
use crate::door::DoorPolicy;
use crate::modes::Fingerprint;
use crate::presence::Listening;
use crate::store::records;
use crate::store::session::SessionRow;
use crate::wake::Change;

/// What a waiting request compares, beside the records, to see that something changed.
#[derive(Debug, PartialEq, Eq)]
struct Mark {
    mode: Fingerprint,
    door: DoorPolicy,
    knocking: u32,
}

/// One that goes on.
struct Wait {
    by: SessionCaller,
    after: u64,
    limit: u32,
    before: Mark,
    /// Of the session's row that was seen last. A look that others took may be older than it.
    version: i64,
    slot: Slot,
    /// What was told and looked at.
    handled: Change,
}

/// How a wait begins.
enum Begun {
    /// Nothing is there: it waits until this changes, which was read from a row of this version.
    Waits(Mark, i64, Listening),
    /// It is answered at once.
    Ends(Listening),
}

impl From<&SessionRow> for Mark {
    fn from(row: &SessionRow) -> Self {
        Self {
            mode: row.mode.fingerprint(),
            door: row.door,
            knocking: row.knocking,
        }
    }
}

impl Service {
    /// `GET records` with `wait`: until a record by somebody else, a change of mode or door, or an end is there, at
    /// most so long. Dropping the future frees its place.
    ///
    /// # Errors
    /// `RateLimited`: too many waits of this participant; `ModeObserve`: an agent that is in observe as it begins;
    /// `Unauthorized`, `TokenRekeyed`: the token ended meanwhile; `Draining`.
    pub async fn wait(&self, by: &SessionCaller, after: u64, limit: u32, wait: Duration) -> Answer<Page> {
        // What the look-ups need is boxed, so that it is not kept while nothing happens: it would be most of a wait.
        let deadline = Instant::now() + wait;
        // Before the first read, so that no change after it is missed.
        let mut changes = self.shared.wakes.hub().subscribe(by.session_id);
        let handled = changes.told();
        let turn = self.shared.turns.next().await?;
        let begun = Box::pin(self.begin_wait(by, after)).await?;
        drop(turn);
        let (before, version, _place) = match begun {
            Begun::Waits(before, version, place) => (before, version, place),
            Begun::Ends(_place) => return Box::pin(self.read_now(by, after, limit)).await,
        };
        let mut wait = Wait {
            by: by.clone(),
            after,
            limit,
            before,
            version,
            slot: self.shared.looks.slot(by.session_id),
            handled,
        };
        loop {
            let told = tokio::select! {
                biased;
                () = self.shared.draining.cancelled() => return Err(ServiceError::Draining),
                () = changes.changed() => Some(changes.told()),
                () = sleep_until(deadline) => None,
            };
            if let Some(page) = Box::pin(self.go_on(&mut wait, told)).await? {
                return Ok(page);
            }
        }
    }

    /// After a change, or at the end of the time: the answer, if there is something to say.
    async fn go_on(&self, wait: &mut Wait, told: Option<Change>) -> Answer<Option<Page>> {
        let (shared, after) = (&self.shared, wait.after);
        let appended = told.and_then(|told| shared.after_append(&wait.by, told, wait.handled, after));
        let seen = match appended {
            Some(seen) => seen,
            None => {
                wait.handled = told.unwrap_or(wait.handled);
                let since = told.map_or_else(Instant::now, Change::at);
                let look = shared.look(&wait.slot, wait.by.session_id, after, since).await?;
                shared.seen_by(&mut wait.by, &look, after).await?
            }
        };
        if told.is_some() && seen.row.version < wait.version {
            return Ok(None);
        }
        wait.version = seen.row.version;
        let news = self.has_news(&wait.by, after, &seen).await?;
        if news || told.is_none() || seen.row.ended.is_some() || Mark::from(&seen.row) != wait.before {
            return self.answer(wait, seen).await.map(Some);
        }
        Ok(None)
    }

    /// The first look of a wait: whether there is something to say already.
    async fn begin_wait(&self, by: &SessionCaller, after: u64) -> Answer<Begun> {
        let seen = self.shared.seen_now(by, after).await?;
        let row = &seen.row;
        let now = self.shared.mode_time(row, self.shared.now());
        if row.ended.is_none()
            && by.kind == Kind::Agent
            && row.mode.effective(by.participant_id, now) == ModeName::Observe
        {
            return Err(ServiceError::ModeObserve);
        }
        let most = self.shared.limits.waits_per_participant;
        let place =
            self.shared
                .presence
                .listen(by, self.shared.now(), most)
                .ok_or(ServiceError::RateLimited {
                    limit: "waits_per_participant",
                    retry_after_s: 1,
                })?;
        if row.ended.is_some() || self.has_news(by, after, &seen).await? {
            return Ok(Begun::Ends(place));
        }
        Ok(Begun::Waits(Mark::from(row), row.version, place))
    }

    /// The records that were seen, or others where not all are at hand.
    async fn answer(&self, wait: &Wait, seen: Seen) -> Answer<Page> {
        let limit = wait.limit.min(PAGE_RECORDS);
        match seen.records {
            Some(records) if seen.row.epoch == wait.by.epoch && records.len() <= limit as usize => {
                self.page(&wait.by, wait.after, &seen.row, records, None)
            }
            _ => self.read_now(&wait.by, wait.after, limit).await,
        }
    }

    /// Whether there is a record after a seq that is not by this participant.
    async fn has_news(&self, by: &SessionCaller, after: u64, seen: &Seen) -> Answer<bool> {
        if let Some(records) = &seen.records {
            let me = Some(by.participant_id);
            return Ok(records.iter().any(|record| record.sender != me));
        }
        if seen.row.head_seq <= after {
            return Ok(false);
        }
        let mut conn = self.shared.store.reader().await?;
        let found = records::any_by_others(&mut conn.on(), by.session_id, after, by.participant_id).await?;
        Ok(found)
    }
}
