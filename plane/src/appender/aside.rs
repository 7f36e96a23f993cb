//! Posts that are settled on fresh rows, beside the batch or in its last round: refused by a row from memory,
//! missed, or with attachments.

use std::sync::Arc;

use futures_util::future::join_all;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::task::TaskTracker;
use wire::api::Posted;
use wire::ids::SessionId;
use wire::timestamp::Timestamp;

use super::batch::{fail, fail_all};
use super::message::{Message, Reply};
use super::plan::{Job, Plan, ask, message_seq, still_here};
use crate::service::{Answer, Outcome, ServiceError, SessionWrite, Shared, Viewer};
use crate::store::records::{self, StoredId};
use crate::store::session::SessionRow;
use crate::store::{On, StoreError, chunks, session};

/// Posts that are settled at a time beside the batch.
const AT_A_TIME: usize = 4;

/// Settles posts one by one.
pub(super) struct Aside {
    shared: Arc<Shared>,
    /// The way back into a batch.
    queue: mpsc::WeakSender<Job>,
    tasks: TaskTracker,
    turns: Arc<Semaphore>,
}

impl Aside {
    pub(super) fn new(shared: Arc<Shared>, queue: mpsc::WeakSender<Job>) -> Self {
        Self {
            shared,
            queue,
            tasks: TaskTracker::new(),
            turns: Arc::new(Semaphore::new(AT_A_TIME)),
        }
    }

    /// Settles a post while the batch goes on.
    pub(super) fn settle(&self, job: Job) {
        let shared = Arc::clone(&self.shared);
        let turns = Arc::clone(&self.turns);
        self.tasks.spawn(async move {
            let _turn = turns.acquire().await;
            let mut job = job;
            let reply = settle(&shared, &mut job.message).await;
            job.answer(reply);
        });
    }

    /// Has a post's token looked up, and the post asked again in a later batch. Not settled here: that would lock the session
    /// and move its version, by which the next post's token would have to be looked up in turn.
    pub(super) fn ask_again(&self, mut job: Job) {
        let shared = Arc::clone(&self.shared);
        let queue = self.queue.clone();
        self.tasks.spawn(async move {
            if let Err(refused) = job.message.confirm(&shared).await {
                return job.answer(Err(refused));
            }
            match queue.upgrade() {
                Some(queue) => {
                    if let Err(unsent) = queue.send(job).await {
                        unsent.0.answer(Err(ServiceError::Draining));
                    }
                }
                // The process goes down, and there is no later batch.
                None => {
                    let reply = settle(&shared, &mut job.message).await;
                    job.answer(reply);
                }
            }
        });
    }

    /// Returns once all is settled.
    pub(super) async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// The session as it is now, with the posts that are not stored yet; the others are answered. None: all are.
    ///
    /// # Errors
    /// The store failed; all are told.
    pub(super) async fn fresh(
        &self,
        session: SessionId,
        jobs: Vec<Job>,
    ) -> Result<Option<(SessionRow, Vec<Job>)>, StoreError> {
        let jobs = self.confirmed(jobs).await;
        let read = async {
            let mut conn = self.shared.store().reader().await?;
            let row = session::load(&mut conn.on(), session).await?;
            let stored = find_ids(&mut conn.on(), session, &jobs).await?;
            Ok::<_, StoreError>((row, stored))
        };
        match read.await {
            Ok((Some(row), stored)) => {
                let left = self.answer_stored(&row, jobs, stored);
                Ok((!left.is_empty()).then_some((row, left)))
            }
            Ok((None, _)) => {
                refuse_all(jobs);
                Ok(None)
            }
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    posts = jobs.len(),
                    "a session could not be read for its posts"
                );
                fail_all(jobs);
                Err(error)
            }
        }
    }

    /// Settles posts of one session in one commit, with its row locked; gives back those whose message id another
    /// one has.
    pub(super) async fn lock(&self, session: SessionId, jobs: Vec<Job>) -> Vec<Job> {
        let jobs = self.confirmed(jobs).await;
        let opened = match SessionWrite::open(&self.shared, session).await {
            Ok(Some(mut write)) => {
                let stored = find_ids(&mut write.on(), session, &jobs).await;
                stored.map(|stored| Some((write, stored))).map_err(Into::into)
            }
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        match opened {
            Ok(Some((write, stored))) => {
                let left = self.answer_stored(&write.row, jobs, stored);
                self.commit(write, left).await
            }
            Ok(None) => {
                refuse_all(jobs);
                Vec::new()
            }
            Err(error) => {
                fail(&error, jobs);
                Vec::new()
            }
        }
    }

    /// The posts whose tokens count now; the others are answered.
    async fn confirmed(&self, jobs: Vec<Job>) -> Vec<Job> {
        let looked_up = jobs.into_iter().map(async |mut job| {
            let counts = job.message.confirm(&self.shared).await;
            (job, counts)
        });
        let mut confirmed = Vec::new();
        // At once, so that they are one look-up.
        for (job, counts) in join_all(looked_up).await {
            match counts {
                Ok(()) => confirmed.push(job),
                Err(refused) => job.answer(Err(refused)),
            }
        }
        confirmed
    }

    async fn commit(&self, mut write: SessionWrite<'_>, jobs: Vec<Job>) -> Vec<Job> {
        let plan = Plan::make(&self.shared, write.row.clone(), jobs, write.now);
        if plan.records.is_empty() {
            return plan.answer();
        }
        let stored = async {
            for (message, id) in &plan.ids {
                records::insert_id(&mut write.on(), plan.session, *message, id).await?;
            }
            write.row = plan.row.clone();
            plan.records.iter().cloned().for_each(|record| write.push(record));
            write.commit().await
        };
        match stored.await {
            Ok(_) => plan.answer(),
            Err(error) => {
                fail(&error, plan.into_jobs(&self.shared));
                Vec::new()
            }
        }
    }

    /// Answers posts that are stored; gives the others.
    fn answer_stored(&self, row: &SessionRow, jobs: Vec<Job>, stored: Vec<Option<StoredId>>) -> Vec<Job> {
        let mut left = Vec::with_capacity(jobs.len());
        for (job, stored) in jobs.into_iter().zip(stored) {
            match stored {
                Some(stored) => {
                    let reply = again(&self.shared, row, &job.message, &stored);
                    job.answer(reply);
                }
                None => left.push(job),
            }
        }
        left
    }
}

/// Answers posts to a session that is gone.
pub(super) fn refuse_all(jobs: Vec<Job>) {
    for job in jobs {
        job.answer(Err(ServiceError::Unauthorized));
    }
}

async fn find_ids(
    on: &mut On<'_>,
    session: SessionId,
    jobs: &[Job],
) -> Result<Vec<Option<StoredId>>, StoreError> {
    let mut found = Vec::with_capacity(jobs.len());
    for job in jobs {
        found.push(records::find_id(on, session, job.message.message_id).await?);
    }
    Ok(found)
}

/// A post whose first answer came from an old row, or that names attachments: without the lock while it is
/// refused or stored, with it otherwise.
async fn settle(shared: &Shared, message: &mut Message) -> Reply {
    message.confirm(shared).await?;
    let message = &*message;
    let mut conn = shared.store().reader().await?;
    let mut row = session::load(&mut conn.on(), message.session_id)
        .await?
        .ok_or(ServiceError::Unauthorized)?;
    let stored = records::find_id(&mut conn.on(), message.session_id, message.message_id).await?;
    drop(conn);
    if let Some(stored) = stored {
        return again(shared, &row, message, &stored);
    }
    ask(shared, &mut row, message, shared.now())?;
    shared.give_back(message);
    locked(shared, message).await
}

/// A post with the session's row locked: what it is told now, nobody changes before the commit.
async fn locked(shared: &Shared, message: &Message) -> Reply {
    let mut write = SessionWrite::open(shared, message.session_id)
        .await?
        .ok_or(ServiceError::Unauthorized)?;
    let stored = records::find_id(&mut write.on(), message.session_id, message.message_id).await?;
    if let Some(stored) = stored {
        return again(shared, &write.row, message, &stored);
    }
    let now = write.now;
    let appended = ask(shared, &mut write.row, message, now)?;
    match finish(write, message, appended, now).await {
        Ok((row, seq)) => Ok(Outcome::New(posted(shared, &row, message, seq, now))),
        Err(error) => {
            shared.give_back(message);
            Err(error)
        }
    }
}

async fn finish(
    mut write: SessionWrite<'_>,
    message: &Message,
    appended: Vec<records::RecordRow>,
    now: Timestamp,
) -> Answer<(SessionRow, u64)> {
    let seq = message_seq(&appended);
    tie(&mut write.on(), message, seq).await?;
    let id = message.stored_id(seq, now);
    records::insert_id(&mut write.on(), message.session_id, message.message_id, &id).await?;
    for record in appended {
        write.push(record);
    }
    Ok((write.commit().await?, seq))
}

/// Closes the attachments a post names and ties them to it.
async fn tie(on: &mut On<'_>, message: &Message, seq: u64) -> Answer<()> {
    for attachment in &message.attachments {
        let known = chunks::find(on, message.session_id, *attachment)
            .await?
            .ok_or(ServiceError::NotFound)?;
        if known.uploader != message.author {
            return Err(ServiceError::Forbidden {
                detail: "A post names attachments of its own author alone. Upload it as this participant.",
            });
        }
        if known.seq.is_some() {
            return Err(ServiceError::ChunkConflict);
        }
        chunks::tie(on, message.session_id, *attachment, seq).await?;
    }
    Ok(())
}

/// The answer to a post that is stored already, whatever has changed since, as long as its token counts.
fn again(shared: &Shared, row: &SessionRow, message: &Message, stored: &StoredId) -> Reply {
    if message.token_epoch != row.epoch {
        return Err(ServiceError::TokenRekeyed { epoch: row.epoch });
    }
    still_here(shared, message)?;
    message.is_stored_as(stored)?;
    Ok(Outcome::Again(posted(
        shared, row, message, stored.seq, stored.at,
    )))
}

fn posted(shared: &Shared, row: &SessionRow, message: &Message, seq: u64, at: Timestamp) -> Posted {
    let viewer = Viewer::participant(message.author, message.capability);
    Posted {
        seq,
        at,
        state: shared.state_for(row, viewer),
    }
}
