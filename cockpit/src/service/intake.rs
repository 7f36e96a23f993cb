//! Events, one after the other in the order they came.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use super::{Core, ServiceError};
use crate::contract::{Event, EventKind, Taken, VERSION};
use crate::cut;
use crate::git::{Checkout, identify};
use crate::limits;
use crate::store::{NewTask, TaskEnd};
use crate::tasks::{Ending, verdict};

/// Working trees that are remembered.
const REMEMBERED: usize = 256;

/// One thing to do.
pub(super) enum Job {
    /// An event, and when it came.
    Event {
        event: Event,
        at: i64,
        reply: oneshot::Sender<Result<Taken, ServiceError>>,
    },
    /// Tell when everything before it is done.
    Settle(oneshot::Sender<()>),
}

/// Whether an event can be taken.
pub(super) fn check(event: &Event) -> Result<(), ServiceError> {
    let refuse = |text: &str| Err(ServiceError::Refused(text.to_owned()));
    let named = |name: &str| !name.trim().is_empty() && name.len() <= limits::NAME;
    if !named(&event.host) || !named(&event.session) {
        return refuse("`host` and `session` are needed, each of at most 128 bytes");
    }
    if !Path::new(&event.folder).is_absolute()
        || event.folder.len() > limits::PATH
        || event.folder.contains('\0')
    {
        return refuse("`folder` is the absolute path of a folder");
    }
    if event.event == EventKind::TaskEnded && event.end.is_none() {
        return refuse("a task that ends needs `end`");
    }
    Ok(())
}

/// Works until nobody can send any more. What a crash left is looked at first.
pub(super) async fn work(core: Arc<Core>, mut jobs: mpsc::Receiver<Job>) {
    let mut worker = Worker {
        core,
        remembered: BTreeMap::new(),
        adrift: BTreeSet::new(),
    };
    match worker.core.store.to_see().await {
        Ok(left) => {
            for task in left {
                worker.see_end(&task.id).await;
            }
        }
        Err(error) => tracing::warn!(%error, "what was left can't be looked at"),
    }
    while let Some(job) = jobs.recv().await {
        match job {
            Job::Event { event, at, reply } => worker.event(&event, at, reply).await,
            // Who asked may have gone.
            Job::Settle(reply) => drop(reply.send(())),
        }
    }
}

struct Worker {
    core: Arc<Core>,
    remembered: BTreeMap<String, Checkout>,
    /// Conversations whose latest task is in no repository: its end is nobody's.
    adrift: BTreeSet<(String, String)>,
}

impl Worker {
    async fn event(&mut self, event: &Event, at: i64, reply: oneshot::Sender<Result<Taken, ServiceError>>) {
        match self.record(event, at).await {
            Ok((task, left)) => {
                // Who reported does not wait for git.
                let taken = Taken {
                    version: VERSION,
                    task: task.clone(),
                };
                drop(reply.send(Ok(taken)));
                for ended in left {
                    self.see_end(&ended).await;
                }
                if let (EventKind::TaskStarted, Some(task)) = (event.event, task) {
                    self.see_start(&task).await;
                }
            }
            Err(error) => {
                tracing::warn!(%error, "an event could not be kept");
                drop(reply.send(Err(error)));
            }
        }
    }

    /// Keeps an event. The task it belongs to, and those that have ended by it.
    async fn record(
        &mut self,
        event: &Event,
        at: i64,
    ) -> Result<(Option<String>, Vec<String>), ServiceError> {
        let store = self.core.store.clone();
        let conversation = (event.host.as_str(), event.session.as_str());
        let key = (event.host.clone(), event.session.clone());
        let overtaken = verdict(Ending::Overtaken, None);
        match event.event {
            EventKind::SessionStarted => {
                if let Some(checkout) = self.checkout(&event.folder).await? {
                    store.enter(&checkout, at).await?;
                }
                Ok((None, store.close_open(conversation, at, overtaken).await?))
            }
            EventKind::SessionEnded => {
                self.adrift.remove(&key);
                let ended = verdict(Ending::SessionEnded, None);
                Ok((None, store.close_open(conversation, at, ended).await?))
            }
            EventKind::TaskStarted => {
                let Some(checkout) = self.checkout(&event.folder).await? else {
                    if self.adrift.len() < limits::QUEUE {
                        self.adrift.insert(key);
                    }
                    return Ok((None, store.close_open(conversation, at, overtaken).await?));
                };
                self.adrift.remove(&key);
                let id = uuid::Uuid::new_v4().to_string();
                let title = cut::first_line(event.title.as_deref().unwrap_or_default(), limits::TITLE);
                let task = NewTask {
                    id: &id,
                    repository: store.enter(&checkout, at).await?,
                    folder: &checkout.top,
                    host: &event.host,
                    session: &event.session,
                    title,
                    at,
                };
                let left = store.begin_task(task, overtaken).await?;
                Ok((Some(id), left))
            }
            EventKind::TaskEnded => {
                let Some(end) = event.end.filter(|_| !self.adrift.contains(&key)) else {
                    return Ok((None, Vec::new()));
                };
                let check = event
                    .check
                    .as_ref()
                    .map(|check| (cut::first_line(&check.command, limits::COMMAND), check.failed));
                let report = event.report.as_deref().filter(|report| !report.trim().is_empty());
                let bytes = report.map_or(0, |report| {
                    event.report_bytes.unwrap_or(0).max(report.len() as u64)
                });
                let end = TaskEnd {
                    at,
                    verdict: verdict(Ending::Told(end), check.map(|(_, failed)| failed)),
                    check,
                    report: report.map(|report| cut::cut(report, limits::REPORT)),
                    report_bytes: i64::try_from(bytes).unwrap_or(i64::MAX),
                };
                let task = store.end_task(conversation, end).await?;
                Ok((task.clone(), task.into_iter().collect()))
            }
        }
    }

    /// The working tree that a folder is in.
    async fn checkout(&mut self, folder: &str) -> Result<Option<Checkout>, ServiceError> {
        if let Some(known) = self.remembered.get(folder)
            && known.git_dir.is_dir()
        {
            return Ok(Some(known.clone()));
        }
        let found = identify(Path::new(folder)).await?;
        // One without a root or an origin may get them.
        if let Some(found) = found
            .as_ref()
            .filter(|found| found.marks.root.is_some() && found.marks.origin.is_some())
        {
            if self.remembered.len() >= REMEMBERED {
                self.remembered.clear();
            }
            self.remembered.insert(folder.to_owned(), found.clone());
        }
        Ok(found)
    }

    async fn see_start(&mut self, task: &str) {
        if let Err(error) = self.core.see_start(task).await {
            tracing::warn!(%error, "how the working tree was when the task started is not known");
        }
    }

    async fn see_end(&mut self, task: &str) {
        if let Err(error) = self.core.see_end(task).await {
            tracing::warn!(%error, "what the task changed is not known");
            // It is not asked for again and again.
            if let Err(error) = self.core.store.saw_end(task, None).await {
                tracing::warn!(%error, "the store failed");
            }
        }
    }
}
