//! `GET /v1/sessions/{id}/records?wait=`: holds a request until there is something to say.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use wire::api::Page;
use wire::event::{Kind, ModeName};

use super::look::Look;
use super::read::PAGE_RECORDS;
use super::{Answer, Service, ServiceError, SessionCaller};
use crate::door::DoorPolicy;
use crate::modes::Fingerprint;
use crate::presence::Listening;
use crate::store::session::SessionRow;
use crate::store::{records, session};

/// What a waiting request compares, beside the records, to see that something changed.
#[derive(Debug, PartialEq, Eq)]
struct Mark {
    mode: Fingerprint,
    door: DoorPolicy,
    knocking: u32,
}

/// How a wait begins.
enum Begun {
    /// Nothing is there: it waits until this changes.
    Waits(Mark, Listening),
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
        let turn = self.shared.turns.next().await?;
        let begun = Box::pin(self.begin_wait(by, after)).await?;
        drop(turn);
        let (before, _place) = match begun {
            Begun::Waits(before, place) => (before, place),
            Begun::Ends(_place) => return Box::pin(self.read(by, after, limit)).await,
        };
        let slot = self.shared.looks.slot(by.session_id);
        loop {
            let since = tokio::select! {
                biased;
                () = self.shared.draining.cancelled() => return Err(ServiceError::Draining),
                () = changes.changed() => changes.told().at(),
                () = sleep_until(deadline) => Instant::now(),
            };
            let look = Box::pin(self.shared.look(&slot, by.session_id, after, since)).await?;
            Box::pin(self.shared.still_counts(by, &look)).await?;
            let news = match look.has_news(after, by.participant_id) {
                Some(news) => news,
                None => Box::pin(self.has_news(by, after, &look.row)).await?,
            };
            if news
                || look.row.ended.is_some()
                || Mark::from(&look.row) != before
                || Instant::now() >= deadline
            {
                return Box::pin(self.answer(by, after, limit, &look)).await;
            }
        }
    }

    /// The first look of a wait: whether there is something to say already.
    async fn begin_wait(&self, by: &SessionCaller, after: u64) -> Answer<Begun> {
        let row = self.row_for(by).await?;
        let now = self.shared.mode_time(&row, self.shared.now());
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
        if row.ended.is_some() || self.has_news(by, after, &row).await? {
            return Ok(Begun::Ends(place));
        }
        Ok(Begun::Waits(Mark::from(&row), place))
    }

    /// The records of a look, or others where it does not have them.
    async fn answer(&self, by: &SessionCaller, after: u64, limit: u32, look: &Look) -> Answer<Page> {
        let limit = limit.min(PAGE_RECORDS);
        match look.records_after(after) {
            Some(records) if look.row.epoch == by.epoch && records.len() <= limit as usize => {
                self.page(by, after, &look.row, records.to_vec(), None)
            }
            _ => self.read(by, after, limit).await,
        }
    }

    async fn row_for(&self, by: &SessionCaller) -> Answer<SessionRow> {
        let mut conn = self.shared.store.reader().await?;
        let row = session::load(&mut conn.on(), by.session_id)
            .await?
            .ok_or(ServiceError::Unauthorized)?;
        if row.epoch == by.epoch {
            Ok(row)
        } else {
            Err(ServiceError::TokenRekeyed { epoch: row.epoch })
        }
    }

    /// Whether there is a record after a seq that is not by this participant.
    async fn has_news(&self, by: &SessionCaller, after: u64, row: &SessionRow) -> Answer<bool> {
        if row.head_seq <= after {
            return Ok(false);
        }
        let mut conn = self.shared.store.reader().await?;
        let found = records::any_by_others(&mut conn.on(), by.session_id, after, by.participant_id).await?;
        Ok(found)
    }
}
