//! A batch's part for one session: its posts, asked one after the other, and the row they lead to.

use tokio::sync::{OwnedSemaphorePermit, oneshot};
use wire::api::Posted;
use wire::ids::{MessageId, SessionId};
use wire::timestamp::Timestamp;

use super::decide::{self, Moment};
use super::message::{Message, Reply};
use crate::rate::{Allowance, Counted};
use crate::service::{Answer, Outcome, ServiceError, Shared, Viewer};
use crate::store::append::Move;
use crate::store::records::{RecordRow, StoredId};
use crate::store::session::SessionRow;

/// A post and who waits for its answer.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) message: Message,
    pub(super) reply: oneshot::Sender<Reply>,
    /// Its place in the queue, until it is answered.
    pub(super) place: OwnedSemaphorePermit,
}

impl Job {
    /// Answers it. Whoever asked may be gone; the post stands all the same.
    pub(super) fn answer(self, reply: Reply) {
        // Whoever hears the answer finds the room it took free for the next one.
        drop(self.place);
        let _gone = self.reply.send(reply);
    }
}

/// A post that is appended if its session's part is committed.
#[derive(Debug)]
pub(super) struct Accepted {
    pub(super) job: Job,
    pub(super) posted: Posted,
}

/// One session's part of a batch.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) session: SessionId,
    /// The row that was asked.
    pub(super) before: SessionRow,
    /// The row once this is committed.
    pub(super) row: SessionRow,
    /// In auto, when that ends: it holds before then alone.
    until: Option<Timestamp>,
    pub(super) records: Vec<RecordRow>,
    pub(super) ids: Vec<(MessageId, StoredId)>,
    pub(super) accepted: Vec<Accepted>,
    pub(super) refused: Vec<(Job, ServiceError)>,
    /// Posts with the message id of another one here: they are asked once that is settled.
    pub(super) repeated: Vec<Job>,
}

impl Plan {
    /// Asks for each post in order, each on the row that the ones before lead to.
    pub(super) fn make(shared: &Shared, before: SessionRow, jobs: Vec<Job>, now: Timestamp) -> Self {
        let mode_time = shared.mode_time(&before, now);
        let mut plan = Self {
            until: before.mode.auto_expires_at().filter(|end| mode_time < *end),
            session: before.session_id,
            row: before.clone(),
            before,
            records: Vec::with_capacity(jobs.len()),
            ids: Vec::with_capacity(jobs.len()),
            accepted: Vec::with_capacity(jobs.len()),
            refused: Vec::new(),
            repeated: Vec::new(),
        };
        for job in jobs {
            let repeated = plan.ids.iter().any(|(id, _)| *id == job.message.message_id);
            if repeated {
                plan.repeated.push(job);
            } else {
                plan.ask(shared, job, now);
            }
        }
        plan
    }

    fn ask(&mut self, shared: &Shared, job: Job, now: Timestamp) {
        match ask(shared, &mut self.row, &job.message, now) {
            Ok(records) => {
                let seq = message_seq(&records);
                let message = &job.message;
                self.ids.push((message.message_id, message.stored_id(seq, now)));
                self.records.extend(records);
                let viewer = Viewer::participant(message.author, message.capability);
                let posted = Posted {
                    seq,
                    at: now,
                    state: shared.state_for(&self.row, viewer),
                };
                self.accepted.push(Accepted { job, posted });
            }
            Err(refused) => self.refused.push((job, refused)),
        }
    }

    /// What the store is asked to do; none if nothing is to be appended.
    pub(super) fn to_move(&self) -> Option<Move<'_>> {
        (!self.records.is_empty()).then(|| Move {
            before: &self.before,
            row: &self.row,
            until: self.until,
            records: &self.records,
            ids: &self.ids,
        })
    }

    /// Gives back what was taken for posts that are not appended, and all posts, to be asked again.
    pub(super) fn into_jobs(self, shared: &Shared) -> Vec<Job> {
        let mut jobs: Vec<Job> = Vec::with_capacity(self.accepted.len());
        for accepted in self.accepted {
            shared.give_back(&accepted.job.message);
            jobs.push(accepted.job);
        }
        jobs.extend(self.refused.into_iter().map(|(job, _)| job));
        jobs.extend(self.repeated);
        jobs
    }

    /// It is committed, which says of tokens that were not looked up that they count: their participants were here.
    pub(super) fn saw_authors(&self, shared: &Shared, now: Timestamp) {
        for Accepted { job, .. } in &self.accepted {
            if let Some(token) = job.message.unconfirmed {
                let who = (self.session, job.message.author);
                shared
                    .presence
                    .counted(who, now, (token.token_hash, token.expires_at));
            }
        }
    }

    /// It is committed, or there was nothing to commit: everybody is answered but for the repeated.
    pub(super) fn answer(self) -> Vec<Job> {
        for accepted in self.accepted {
            accepted.job.answer(Ok(Outcome::New(accepted.posted)));
        }
        for (job, refused) in self.refused {
            job.answer(Err(refused));
        }
        self.repeated
    }
}

/// The seq of the message among the records made for it.
pub(super) fn message_seq(records: &[RecordRow]) -> u64 {
    records
        .iter()
        .find(|record| record.item_id.is_some())
        .map_or(0, |record| record.seq)
}

/// That the author's token has not been ended, by leaving or returning, while the post was on its way.
pub(super) fn still_here(shared: &Shared, message: &Message) -> Answer<()> {
    if shared
        .departures
        .ended_since(message.session_id, message.author, message.turn)
    {
        return Err(ServiceError::Unauthorized);
    }
    Ok(())
}

/// Whether a post is appended to this row, with its rate; refused, nothing was taken.
pub(super) fn ask(
    shared: &Shared,
    row: &mut SessionRow,
    message: &Message,
    now: Timestamp,
) -> Answer<Vec<RecordRow>> {
    still_here(shared, message)?;
    decide::admissible(row, message, now)?;
    shared.take_append(message, now)?;
    let moment = Moment {
        now,
        mode: shared.mode_time(row, now),
    };
    let appended = decide::append(row, message, moment, shared.bounds(), shared.session_life_ms());
    if appended.is_err() {
        shared.give_back(message);
    }
    appended
}

impl Shared {
    fn append_bytes(&self, message: &Message) -> (Counted, u64, Allowance) {
        (
            Counted::AppendBytes(message.session_id, message.author),
            u64::try_from(message.sealed.len()).unwrap_or(u64::MAX),
            Allowance::a_minute(self.limits().append_bytes_per_minute),
        )
    }

    fn take_append(&self, message: &Message, now: Timestamp) -> Answer<()> {
        let (appends, allowance) = self.appends(message.session_id, message.author);
        let rates = self.rates();
        rates
            .take(appends, 1, allowance, now)
            .map_err(|retry_after_s| ServiceError::RateLimited {
                limit: "appends_per_minute",
                retry_after_s,
            })?;
        let (bytes, size, allowance) = self.append_bytes(message);
        rates.take(bytes, size, allowance, now).map_err(|retry_after_s| {
            rates.give(appends, 1);
            ServiceError::RateLimited {
                limit: "append_bytes_per_minute",
                retry_after_s,
            }
        })
    }

    /// A post was not appended after all.
    pub(super) fn give_back(&self, message: &Message) {
        let (appends, _) = self.appends(message.session_id, message.author);
        self.rates().give(appends, 1);
        let (bytes, size, _) = self.append_bytes(message);
        self.rates().give(bytes, size);
    }
}
