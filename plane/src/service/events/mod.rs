//! `GET /v1/sessions/{id}/events`: what a reader is sent for as long as it listens.
//!
//! Woken by what wakes a wait, and fed from where it is fed: one look at the session for all who listen, and the
//! store where that look does not reach. [`course`] decides what goes out after what; this file finds it, checks the
//! token before anything goes out, and ends the stream.

mod course;

use tokio::time::{Instant, sleep_until};
use wire::api::{ByeCode, StreamEvent};

use self::course::{Course, Opening};
use super::look::{self, Slot};
use super::read::{fitting, shown};
use super::roster::Roster;
use super::{Answer, Service, ServiceError, SessionCaller};
use crate::presence::Listening;
use crate::store::records::RecordRow;
use crate::store::session::SessionRow;
use crate::wake::{Change, Subscription};

/// Records that are fetched ahead of a reader, and their bytes: what one that takes nothing holds in memory.
const RECORDS: u32 = 200;
const BYTES: u64 = 65_536;

/// What goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamItem {
    /// An event.
    Event(StreamEvent),
    /// Nothing but a sign of life.
    Comment,
}

/// A stream of one reader. Dropping it frees its place.
pub struct EventStream {
    service: Service,
    by: SessionCaller,
    changes: Subscription,
    /// What was told of them and looked at.
    handled: Change,
    rosters: Subscription<Roster>,
    slot: Slot,
    course: Course,
    ready: std::vec::IntoIter<StreamItem>,
    over: bool,
    _place: Listening,
}

impl Service {
    /// `GET events`: all that comes after a seq, with what is there already. Who may have one is for the caller to see.
    ///
    /// # Errors
    /// `RateLimited`: too many waits and streams of this participant; `Unauthorized`, `TokenRekeyed`: the token ended
    /// since it was checked; `Draining`.
    pub async fn events(&self, by: &SessionCaller, after: u64) -> Answer<EventStream> {
        let _turn = self.shared.turns.next().await?;
        // Boxed only now: what it needs is most of what a stream takes.
        Box::pin(self.begin_stream(by, after)).await
    }

    async fn begin_stream(&self, by: &SessionCaller, after: u64) -> Answer<EventStream> {
        let shared = &self.shared;
        if shared.draining.is_cancelled() {
            return Err(ServiceError::Draining);
        }
        let place = shared
            .presence
            .listen(by, shared.now(), shared.limits.waits_per_participant)
            .ok_or(ServiceError::RateLimited {
                limit: "waits_per_participant",
                retry_after_s: 1,
            })?;
        // Before the first read, so that no change after it is missed.
        let changes = shared.wakes.hub().subscribe(by.session_id);
        let handled = changes.told();
        let rosters = shared.rosters.subscribe(by.session_id);
        let seen = shared.seen_now(by, after).await?;
        let found = shared.snapshot_of(by, seen, (after, RECORDS), BYTES).await?;
        let opening = Opening {
            checkpoint: found.checkpoint,
            state: shared.state_for(&found.row, by.into()),
            version: found.row.version,
            roster: shared.roster(by.session_id).await?,
        };
        let (course, events) = Course::begin(after, opening, Instant::now());
        let mut stream = EventStream {
            service: self.clone(),
            by: by.clone(),
            handled,
            changes,
            rosters,
            slot: shared.looks.slot(by.session_id),
            course,
            ready: Vec::new().into_iter(),
            over: false,
            _place: place,
        };
        let mut items = items(events);
        items.extend(stream.follow(found.records, &found.row)?);
        stream.ready = items.into_iter();
        Ok(stream)
    }
}

impl EventStream {
    /// The next item; none once the stream is over. A future that is dropped takes the stream's place in what happened
    /// with it: drop both.
    pub async fn next(&mut self) -> Option<StreamItem> {
        loop {
            if let Some(item) = self.ready.next() {
                return Some(item);
            }
            // An empty list keeps its memory, and most streams have nothing to say most of the time.
            self.ready = Vec::new().into_iter();
            if self.over {
                return None;
            }
            let changed = self.until_something().await;
            let found = self.gather(changed).await;
            let items = found.unwrap_or_else(|end| self.end(end));
            self.ready = items.into_iter();
        }
    }

    /// The last event of a reader that does not take what is sent in time.
    pub fn too_slow(&mut self) -> StreamItem {
        self.over = true;
        self.ready = Vec::new().into_iter();
        bye(ByeCode::TooSlow)
    }

    /// Returns once there may be something to send; whether the session changed.
    async fn until_something(&mut self) -> bool {
        if self.course.is_behind() {
            return false;
        }
        let next_at = self.course.next_at(&self.rosters.told());
        tokio::select! {
            biased;
            () = self.service.shared.draining.cancelled() => false,
            () = self.changes.changed() => true,
            () = self.rosters.changed() => false,
            () = sleep_until(next_at) => false,
        }
    }

    /// Gathers what there is to send. The token is checked before anything of the session is.
    async fn gather(&mut self, changed: bool) -> Result<Vec<StreamItem>, End> {
        if self.service.shared.draining.is_cancelled() {
            return Err(End::Bye(ByeCode::Draining));
        }
        // Boxed, so that what these need is not kept while nothing happens.
        let mut items = if changed {
            Box::pin(self.newest()).await?
        } else if self.course.is_behind() {
            Box::pin(self.stored()).await?
        } else {
            Vec::new()
        };
        if self.over {
            return Ok(items);
        }
        let now = Instant::now();
        let roster = self.rosters.told();
        if self.course.wants(&roster, now) {
            let shared = &self.service.shared;
            shared.look_up(self.by.session_id, self.by.token_hash).await?;
            items.push(StreamItem::Event(self.course.presence(roster, now)));
        }
        if self.course.comment(now) {
            look::forget(&self.slot);
            items.push(StreamItem::Comment);
        }
        Ok(items)
    }

    /// What a change brought for this reader.
    async fn newest(&mut self) -> Result<Vec<StreamItem>, End> {
        let (shared, seq) = (&self.service.shared, self.course.seq());
        let told = self.changes.told();
        let seen = match shared.after_append(&self.by, told, self.handled, seq) {
            Some(seen) => seen,
            None => {
                self.handled = told;
                let look = shared.look(&self.slot, self.by.session_id, seq, told.at()).await;
                let look = look.map_err(gone)?;
                shared.seen_by(&mut self.by, &look, seq).await?
            }
        };
        match seen.records {
            Some(mut records) if seen.row.epoch == self.by.epoch => {
                records.truncate(fitting(&records, BYTES));
                Ok(self.follow(records, &seen.row)?)
            }
            _ => Box::pin(self.stored()).await,
        }
    }

    /// What the store has for this reader.
    async fn stored(&mut self) -> Result<Vec<StreamItem>, End> {
        let (shared, seq) = (&self.service.shared, self.course.seq());
        let seen = shared.seen_now(&self.by, seq).await.map_err(gone)?;
        let found = shared.snapshot_of(&self.by, seen, (seq, RECORDS), BYTES).await;
        let found = found.map_err(gone)?;
        self.by.checked = shared
            .look_up(self.by.session_id, self.by.token_hash)
            .await?
            .checked;
        Ok(self.follow(found.records, &found.row)?)
    }

    /// The items of what was found, and the end of the stream where the session is over.
    fn follow(&mut self, records: Vec<RecordRow>, row: &SessionRow) -> Answer<Vec<StreamItem>> {
        let shared = &self.service.shared;
        let state = shared.state_for(row, (&self.by).into());
        let records: Vec<_> = records.into_iter().map(shown).collect::<Result<_, _>>()?;
        let some = !records.is_empty();
        let Ok(events) = self.course.follow(records, state, row.version) else {
            return Ok(vec![self.too_slow()]);
        };
        if some {
            shared.presence.fetched(&self.by, shared.now(), self.course.seq());
        }
        let mut items = items(events);
        if row.ended.is_some() && !self.course.is_behind() {
            self.over = true;
            items.push(bye(ByeCode::SessionEnded));
        }
        Ok(items)
    }

    fn end(&mut self, end: End) -> Vec<StreamItem> {
        self.over = true;
        match end {
            End::Bye(code) => vec![bye(code)],
            End::Quietly => Vec::new(),
        }
    }
}

/// Why a stream can't go on.
enum End {
    /// The reader is told.
    Bye(ByeCode),
    /// The token counts no more, or the store failed: asking again says what is so.
    Quietly,
}

impl From<ServiceError> for End {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::TokenRekeyed { .. } => Self::Bye(ByeCode::Rekeyed),
            ServiceError::Draining => Self::Bye(ByeCode::Draining),
            ServiceError::Unauthorized => Self::Quietly,
            error => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "an event stream broke off"
                );
                Self::Quietly
            }
        }
    }
}

/// As above, where it is the session's row that was asked for: one that is gone was purged.
fn gone(error: ServiceError) -> End {
    match error {
        ServiceError::Unauthorized => End::Bye(ByeCode::SessionEnded),
        error => error.into(),
    }
}

fn items(events: Vec<StreamEvent>) -> Vec<StreamItem> {
    events.into_iter().map(StreamItem::Event).collect()
}

fn bye(code: ByeCode) -> StreamItem {
    StreamItem::Event(StreamEvent::Bye(code.into()))
}
