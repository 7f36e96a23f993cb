//! A session that is being changed: its row is locked, records are appended in memory, and all of it becomes
//! visible with one commit, or none of it. Messages take another way ([`crate::appender`]), under the same rules.

use bytes::Bytes;
use wire::event::{MemberEvent, Notice};
use wire::ids::{ParticipantId, SessionId};
use wire::problem::EndCause;
use wire::sizes::SEQ_MAX;
use wire::timestamp::Timestamp;
use wire::transcript::RecordClass;

use super::open::{Shared, millis};
use super::{Answer, ServiceError, SessionCaller};
use crate::modes::{Bounds, Event, Refused};
use crate::store::records::RecordRow;
use crate::store::session::{Ended, SessionRow};
use crate::store::{On, StoreError, Tx, knocks, orgs, records, session};
use crate::wake::WakeOnDrop;

/// A locked session. Dropped without [`SessionWrite::commit`], nothing happened.
pub(crate) struct SessionWrite<'a> {
    shared: &'a Shared,
    tx: Tx,
    bounds: Bounds,
    /// The row as it will be stored.
    pub(crate) row: SessionRow,
    /// The time of this change.
    pub(crate) now: Timestamp,
    appended: Vec<RecordRow>,
}

impl<'a> SessionWrite<'a> {
    /// Locks a session and applies what has become due: its expiry, and that of its mode. None: no such session.
    pub(crate) async fn open(shared: &'a Shared, session: SessionId) -> Answer<Option<Self>> {
        let tx = shared.store.begin_write().await?;
        Self::lock(shared, tx, session).await
    }

    /// As [`SessionWrite::open`], for whoever would rather come again than wait for somebody else's lock.
    pub(crate) async fn open_soon(shared: &'a Shared, session: SessionId) -> Answer<Option<Self>> {
        let mut tx = shared.store.begin_write().await?;
        session::wait_briefly(&mut tx.on()).await?;
        Self::lock(shared, tx, session).await
    }

    /// As [`SessionWrite::open`], in a transaction that has begun.
    pub(crate) async fn lock(shared: &'a Shared, mut tx: Tx, session: SessionId) -> Answer<Option<Self>> {
        let time = shared.store.time_for(&shared.clock);
        let Some((row, now)) = session::lock(&mut tx.on(), session, time).await? else {
            return Ok(None);
        };
        let mut write = Self {
            shared,
            tx,
            bounds: shared.bounds,
            row,
            now,
            appended: Vec::new(),
        };
        write.apply_due().await?;
        Ok(Some(write))
    }

    async fn apply_due(&mut self) -> Answer<()> {
        let mode_time = self.shared.mode_time(&self.row, self.now);
        if let Some((mode, notice)) = self.row.mode.expire(mode_time) {
            self.row.mode = mode;
            self.notice(notice)?;
        }
        if self.row.ended.is_none() && self.now >= self.row.expires_at {
            let at = self.row.expires_at;
            self.end(at, EndCause::Expired).await?;
        }
        Ok(())
    }

    /// What statements of this change run on.
    pub(crate) fn on(&mut self) -> On<'_> {
        self.tx.on()
    }

    /// Refuses if the session is over.
    pub(crate) fn live(&self) -> Answer<()> {
        match self.row.ended {
            None => Ok(()),
            Some(ended) => Err(ServiceError::SessionEnded {
                at: ended.at,
                cause: ended.cause,
            }),
        }
    }

    /// Refuses a token of another epoch than the one under the lock.
    pub(crate) fn same_epoch(&self, by: &SessionCaller) -> Answer<()> {
        if by.epoch == self.row.epoch {
            Ok(())
        } else {
            Err(ServiceError::TokenRekeyed {
                epoch: self.row.epoch,
            })
        }
    }

    /// Counts the knocks anew, after one came or went.
    pub(crate) async fn recount_knocks(&mut self) -> Answer<()> {
        let (session, now) = (self.row.session_id, self.now);
        let (waiting, due) = knocks::sum(&mut self.tx.on(), session, now).await?;
        self.row.knocking = waiting;
        self.row.knocks_due = due;
        Ok(())
    }

    /// Ends the session: auto with its notice, the door for good.
    pub(crate) async fn end(&mut self, at: Timestamp, cause: EndCause) -> Answer<()> {
        self.step(&Event::End)?;
        let policy = orgs::policy(&mut self.tx.on(), self.row.org_id).await?;
        let retention_s = policy
            .retention_s
            .map_or(self.shared.limits.retention_s, u64::from);
        self.row.ended = Some(Ended {
            at,
            cause,
            purge_at: self.now.plus_millis(millis(retention_s)),
        });
        Ok(())
    }

    /// Takes an event through the mode machine and appends its notice. True: the mode changed.
    pub(crate) fn step(&mut self, event: &Event) -> Answer<bool> {
        let step = self
            .row
            .mode
            .step(event, self.now, &self.bounds)
            .map_err(ServiceError::from)?;
        self.row.mode = step.state;
        self.notice(step.notice)?;
        Ok(step.changed)
    }

    /// Bounds proposals by the org's policy as well.
    pub(crate) async fn bound_by_policy(&mut self) -> Answer<()> {
        let policy = orgs::policy(&mut self.tx.on(), self.row.org_id).await?;
        let narrower = |own: u32, org: Option<u32>| org.map_or(own, |org| own.min(org));
        self.bounds.max_budget = narrower(self.bounds.max_budget, policy.max_budget);
        self.bounds.max_ttl_s = narrower(self.bounds.max_ttl_s, policy.max_ttl_s);
        Ok(())
    }

    /// Appends a member event.
    pub(crate) fn member(&mut self, who: ParticipantId, event: &MemberEvent) -> Answer<u64> {
        let body = text(event)?;
        self.append(RecordClass::Member, Some(who), body)
    }

    /// Appends an epoch record; the row's epoch must be its own by then.
    pub(crate) fn epoch_record(&mut self, owner: Option<ParticipantId>, record: Bytes) -> Answer<u64> {
        self.append(RecordClass::Epoch, owner, record)
    }

    fn notice(&mut self, notice: Option<Notice>) -> Answer<()> {
        if let Some(notice) = notice {
            let body = text(&notice)?;
            self.append(RecordClass::Notice, None, body)?;
        }
        Ok(())
    }

    fn append(&mut self, class: RecordClass, sender: Option<ParticipantId>, body: Bytes) -> Answer<u64> {
        let record = next_record(&mut self.row, self.now, class, sender, body)?;
        let seq = record.seq;
        self.appended.push(record);
        Ok(seq)
    }

    /// Appends a message that was decided on elsewhere.
    pub(crate) fn push(&mut self, record: RecordRow) {
        self.appended.push(record);
    }

    /// Whether anything was appended.
    pub(crate) fn has_appended(&self) -> bool {
        !self.appended.is_empty()
    }

    /// Stores the row and the records, and wakes whoever waits.
    pub(crate) async fn commit(self) -> Answer<SessionRow> {
        // Woken also when this future is dropped while the commit is under way.
        let _wake = WakeOnDrop::new(&self.shared.wakes, self.row.session_id);
        self.commit_quietly().await
    }

    /// As [`SessionWrite::commit`], and wakes nobody.
    pub(crate) async fn commit_quietly(mut self) -> Answer<SessionRow> {
        self.row.schedule(self.now);
        let mut on = self.tx.on();
        session::save(&mut on, &self.row).await?;
        records::insert(&mut on, self.row.session_id, &self.appended).await?;
        self.tx.commit().await?;
        self.shared.live.saw(&self.row);
        self.shared.saw_mode(&self.row, self.now);
        self.shared.measure(&self.row);
        Ok(self.row)
    }

    /// Commits what was done to other tables; the session's own row is gone.
    pub(crate) async fn commit_gone(self) -> Answer<()> {
        let _wake = WakeOnDrop::new(&self.shared.wakes, self.row.session_id);
        self.tx.commit().await?;
        self.shared.live.forget(self.row.session_id);
        Ok(())
    }
}

/// Makes the next record of a session and counts it in its row.
pub(crate) fn next_record(
    row: &mut SessionRow,
    now: Timestamp,
    class: RecordClass,
    sender: Option<ParticipantId>,
    body: Bytes,
) -> Answer<RecordRow> {
    if row.head_seq >= SEQ_MAX {
        return Err(ServiceError::QuotaExceeded { limit: "seq" });
    }
    row.head_seq += 1;
    let record = RecordRow {
        seq: row.head_seq,
        at: now,
        epoch: row.epoch,
        class,
        sender,
        item_id: None,
        signal: None,
        body,
    };
    row.bytes = row.bytes.saturating_add(record.size());
    Ok(record)
}

/// The text that is hashed and served from then on.
pub(crate) fn text(event: &impl serde::Serialize) -> Result<Bytes, StoreError> {
    serde_json::to_vec(event)
        .map(Bytes::from)
        .map_err(|_| StoreError::Corrupt("event"))
}

impl From<Refused> for ServiceError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::BadRequest { detail, limit } => Self::BadRequest {
                detail,
                limit: Some(limit),
            },
            Refused::Forbidden { detail } => Self::Forbidden { detail },
            Refused::AutoOver { mode } => Self::AutoOver { mode },
            Refused::InAuto => Self::InAuto,
            Refused::ProposalGone => Self::ProposalGone,
        }
    }
}
