//! What a verb sees of the MCP call it runs for.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::ProtocolVersion;
use rmcp::service::{RequestContext, RoleServer};
use tokio_util::sync::CancellationToken;
use wire::event::Kind;

use super::consent::{self, Answers};
use super::progress::Progress;
use crate::verbs::{Ask, BoxFuture, Host, Question};

/// How this host's human can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asking {
    /// A question while the call waits.
    Now,
    /// The call ends with the question.
    NextRound,
    /// Not at all.
    Never,
}

/// The surroundings of one call.
pub(crate) struct CallHost {
    context: RequestContext<RoleServer>,
    cancelled: CancellationToken,
    folder: Arc<Option<PathBuf>>,
    progress: Progress,
    answers: Answers,
    deferred: Mutex<Option<Question>>,
}

impl CallHost {
    /// For one call. `answers` are what an earlier round of it was answered.
    pub(crate) fn new(
        context: RequestContext<RoleServer>,
        folder: Arc<Option<PathBuf>>,
        answers: Answers,
    ) -> Self {
        let progress = Progress::new(context.peer.clone(), context.meta.get_progress_token());
        Self {
            cancelled: context.ct.child_token(),
            context,
            folder,
            progress,
            answers,
            deferred: Mutex::default(),
        }
    }

    /// The call's progress.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Whether the caller itself gave the call up, so that no answer is due.
    pub(crate) fn abandoned(&self) -> bool {
        self.context.ct.is_cancelled()
    }

    /// Makes the verb come to its end, because the process is about to.
    pub(crate) fn wind_up(&self) {
        self.cancelled.cancel();
    }

    /// The question this call ends with, if its verb asked one that only a later round can answer, and the
    /// answers it had before.
    pub(crate) fn deferred(&self) -> Option<(Question, Answers)> {
        let question = self
            .deferred
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()?;
        Some((question, self.answers.clone()))
    }

    fn asking(&self) -> Asking {
        let able = self
            .context
            .client_capabilities()
            .and_then(|capabilities| capabilities.elicitation)
            .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none());
        let rounds = self
            .context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        match (able, rounds) {
            (false, _) => Asking::Never,
            (true, true) => Asking::NextRound,
            (true, false) => Asking::Now,
        }
    }
}

impl Host for CallHost {
    fn kind(&self) -> Kind {
        Kind::Agent
    }

    fn lives_on(&self) -> bool {
        true
    }

    fn program(&self) -> Option<String> {
        self.context.client_info().map(|client| client.name)
    }

    fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().as_deref()
    }

    fn cancelled(&self) -> &CancellationToken {
        &self.cancelled
    }

    fn progress<'a>(&'a self, _elapsed_s: u64, total_s: u64, message: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(self.progress.say(total_s, message))
    }

    /// MCP has hosts confirm tool calls with their human.
    fn prompts_for_calls(&self) -> bool {
        true
    }

    fn may_allow_secrets(&self) -> bool {
        self.asking() != Asking::Never
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Ask> {
        Box::pin(async move {
            match self.asking() {
                Asking::Never => Ask::CannotAsk,
                Asking::Now => tokio::select! {
                    answer = consent::ask_now(&self.context.peer, question) => answer,
                    () = self.cancelled.cancelled() => Ask::Dismissed,
                },
                Asking::NextRound => match self.answers.to(question) {
                    Some(answer) => answer,
                    None => {
                        let mut deferred = self.deferred.lock().unwrap_or_else(PoisonError::into_inner);
                        *deferred = Some(question.clone());
                        Ask::Deferred
                    }
                },
            }
        })
    }
}
