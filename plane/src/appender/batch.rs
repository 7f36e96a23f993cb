//! The rounds of a batch.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::join;
use tokio::sync::mpsc;
use wire::ids::SessionId;
use wire::timestamp::Timestamp;

use super::aside::{Aside, refuse_all};
use super::plan::{Job, Plan};
use crate::service::{ServiceError, Shared};
use crate::store::append::{self, Move};
use crate::store::session::{self, SessionRow};
use crate::store::{Conn, StoreError};

/// Posts in one batch.
const BATCH: usize = 128;

/// The one that appends.
pub(super) struct Writer {
    shared: Arc<Shared>,
    aside: Aside,
    /// The connection that appends.
    held: Option<Conn>,
    /// Committed, and not told yet: while the database has nothing to do, the next batch comes first. Whatever else is
    /// waited for comes after them.
    untold: Vec<Plan>,
}

impl Writer {
    pub(super) fn new(shared: Arc<Shared>, queue: mpsc::WeakSender<Job>) -> Self {
        Self {
            aside: Aside::new(Arc::clone(&shared), queue),
            shared,
            held: None,
            untold: Vec::new(),
        }
    }

    /// Appends what comes, until the other end of `jobs` is gone and all is answered.
    pub(super) async fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut batch = Vec::with_capacity(BATCH);
        while self.next(&mut jobs, &mut batch).await {
            let mut left = std::mem::take(&mut batch);
            while !left.is_empty() {
                left = self.append(left).await;
            }
        }
        self.tell();
        self.aside.finish().await;
    }

    /// Takes what has come, or waits for it. False: nothing comes any more.
    async fn next(&mut self, jobs: &mut mpsc::Receiver<Job>, batch: &mut Vec<Job>) -> bool {
        let came = match jobs.recv_many(batch, BATCH).now_or_never() {
            Some(came) => came,
            None => {
                self.tell();
                jobs.recv_many(batch, BATCH).await
            }
        };
        came > 0
    }

    /// Wakes those who wait for what was committed, and answers its authors.
    fn tell(&mut self) {
        tell(&self.shared, std::mem::take(&mut self.untold));
    }

    /// Appends a batch; gives back posts whose message id another one had, now that that is settled.
    async fn append(&mut self, jobs: Vec<Job>) -> Vec<Job> {
        let mut sessions: BTreeMap<SessionId, Vec<Job>> = BTreeMap::new();
        for job in jobs {
            sessions.entry(job.message.session_id).or_default().push(job);
        }
        let now = self.shared.now();
        let mut plans = Vec::with_capacity(sessions.len());
        let mut away = false;
        for (session, jobs) in sessions {
            if away {
                fail_all(jobs);
                continue;
            }
            match self.row(session).await {
                Ok(Some(row)) => plans.push(self.first_plan(row, jobs, now)),
                Ok(None) => refuse_all(jobs),
                Err(error) => {
                    away = error.is_unavailable();
                    fail(&error.into(), jobs);
                }
            }
        }
        let (missed, mut repeated) = self.commit(plans, now).await;
        if !missed.is_empty() {
            repeated.extend(self.again(missed).await);
        }
        repeated
    }

    /// A plan on a row from memory. It may be old, so a refusal is settled aside, on a fresh one.
    fn first_plan(&self, row: SessionRow, jobs: Vec<Job>, now: Timestamp) -> Plan {
        let (jobs, unknown): (Vec<Job>, Vec<Job>) =
            jobs.into_iter().partition(|job| self.counts_at(&row, job));
        let (jobs, with_attachments): (Vec<Job>, Vec<Job>) = jobs
            .into_iter()
            .partition(|job| job.message.attachments.is_empty());
        let mut plan = Plan::make(&self.shared, row, jobs, now);
        for job in unknown {
            self.aside.ask_again(job);
        }
        for job in with_attachments {
            self.aside.settle(job);
        }
        for (job, _) in plan.refused.drain(..) {
            self.aside.settle(job);
        }
        plan
    }

    /// Whether a post's token counts if it is appended to this row as it is.
    fn counts_at(&self, row: &SessionRow, job: &Job) -> bool {
        let live = &self.shared.live;
        job.message
            .unconfirmed
            .is_none_or(|token| live.counts_at(row.session_id, token.counted_at, row.version))
    }

    /// Sessions that were missed: loaded, stored messages answered, asked again, and on another miss locked.
    async fn again(&mut self, missed: Vec<Plan>) -> Vec<Job> {
        self.tell();
        let now = self.shared.now();
        let mut plans = Vec::with_capacity(missed.len());
        let mut away = false;
        for plan in missed {
            let session = plan.session;
            let jobs = plan.into_jobs(&self.shared);
            if away {
                fail_all(jobs);
                continue;
            }
            match self.aside.fresh(session, jobs).await {
                Ok(Some((row, jobs))) => plans.push(Plan::make(&self.shared, row, jobs, now)),
                Ok(None) => {}
                Err(error) => away = error.is_unavailable(),
            }
        }
        let (missed, mut repeated) = self.commit(plans, now).await;
        self.tell();
        for plan in missed {
            let session = plan.session;
            let jobs = plan.into_jobs(&self.shared);
            repeated.extend(self.aside.lock(session, jobs).await);
        }
        repeated
    }

    /// Asks the store, and tells of the batch before while that works; asks once more where the connection that was held
    /// may have been cut. What such a one may have committed moved the versions, so that it is found and not done again.
    async fn store(&mut self, moves: &[Move<'_>], now: Timestamp) -> Result<HashSet<SessionId>, StoreError> {
        let was_held = self.held.is_some();
        let store = self.shared.store();
        let clock = Arc::clone(&self.shared);
        let time = || clock.store_time();
        // Polled in this order: the statement is on its way before anybody is told.
        let asks = append::append(store, &mut self.held, moves, now, time);
        let (shared, untold) = (&self.shared, std::mem::take(&mut self.untold));
        let (moved, ()) = join(asks, async { tell(shared, untold) }).await;
        match moved {
            Err(error) if was_held && error.is_unavailable() && !error.is_locked() => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the writer connects again"
                );
                // It may be another server that answers next, and not have all that this one had.
                self.shared.live.forget_all();
                append::append(store, &mut self.held, moves, now, time).await
            }
            moved => moved,
        }
    }

    /// Commits plans in one go and keeps those that went through, to be told; gives the others, and repeated posts.
    async fn commit(&mut self, plans: Vec<Plan>, now: Timestamp) -> (Vec<Plan>, Vec<Job>) {
        let mut repeated = Vec::new();
        let (to_move, idle): (Vec<Plan>, Vec<Plan>) =
            plans.into_iter().partition(|plan| plan.to_move().is_some());
        for plan in idle {
            repeated.extend(plan.answer());
        }
        if to_move.is_empty() {
            self.tell();
            return (Vec::new(), repeated);
        }
        let moves: Vec<_> = to_move.iter().filter_map(Plan::to_move).collect();
        let moved = self.store(&moves, now).await;
        drop(moves);
        let moved = match moved {
            Ok(moved) => moved,
            Err(error) => {
                repeated.extend(self.one_by_one(&error, to_move).await);
                return (Vec::new(), repeated);
            }
        };
        let mut missed = Vec::new();
        for mut plan in to_move {
            if !moved.contains(&plan.session) {
                self.shared.live.forget(plan.session);
                missed.push(plan);
                continue;
            }
            plan.row.version = plan.before.version + 1;
            let live = &self.shared.live;
            live.appended(plan.before.version, &plan.row, &plan.records);
            repeated.append(&mut plan.repeated);
            self.untold.push(plan);
        }
        (missed, repeated)
    }

    /// The statement failed as a whole. Where the database is away, all are told; where one session is to blame,
    /// each is settled on its own and the writer goes on.
    async fn one_by_one(&mut self, error: &StoreError, plans: Vec<Plan>) -> Vec<Job> {
        let locked = error.is_locked();
        let away = error.is_unavailable() && !locked;
        tracing::error!(
            error = error as &dyn std::error::Error,
            away,
            "a batch could not be appended"
        );
        let mut repeated = Vec::new();
        for plan in plans {
            let session = plan.session;
            self.shared.live.forget(session);
            let jobs = plan.into_jobs(&self.shared);
            if away {
                fail_all(jobs);
            } else if locked {
                jobs.into_iter().for_each(|job| self.aside.settle(job));
            } else {
                repeated.extend(self.aside.lock(session, jobs).await);
            }
        }
        repeated
    }

    async fn row(&mut self, session: SessionId) -> Result<Option<SessionRow>, StoreError> {
        if let Some(row) = self.shared.live.row(session) {
            return Ok(Some(row));
        }
        self.tell();
        let mut conn = self.shared.store().reader().await?;
        let row = session::load(&mut conn.on(), session).await?;
        if let Some(row) = &row {
            self.shared.live.saw(row);
        }
        Ok(row)
    }
}

fn tell(shared: &Shared, committed: Vec<Plan>) {
    let now = shared.now();
    for plan in committed {
        shared.appended(&plan.row);
        plan.saw_authors(shared, now);
        // None is repeated: those were taken out as it was committed.
        let _none = plan.answer();
    }
}

/// Answers posts that the store failed: the reason goes to the log once, whatever their number.
pub(super) fn fail(error: &ServiceError, jobs: Vec<Job>) {
    tracing::error!(
        error = error as &dyn std::error::Error,
        posts = jobs.len(),
        "posts could not be appended"
    );
    fail_all(jobs);
}

pub(super) fn fail_all(jobs: Vec<Job>) {
    for job in jobs {
        job.answer(Err(StoreError::Unknown.into()));
    }
}
