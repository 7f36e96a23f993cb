//! What a verb sees of a command: who is here, where, and how to ask them.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use wire::api::DoorState;
use wire::event::Kind;

use super::arguments::KindArgument;
use super::{confirm, output};
use crate::folder;
use crate::verbs::{Ask, BoxFuture, Host, Purpose, Question};

/// How long a join waits at a door where nobody sees its status.
const DOOR_UNSEEN: Duration = Duration::from_secs(50);

/// The surroundings of one command.
pub(crate) struct CommandHost {
    kind: Kind,
    reader: Kind,
    seat: Option<String>,
    folder: Option<PathBuf>,
    cancelled: CancellationToken,
    allow_secrets: bool,
}

impl CommandHost {
    /// For this process. Interrupting it fires `cancelled`.
    pub(crate) fn new(kind: Kind, reader: Kind, seat: Option<String>, cancelled: CancellationToken) -> Self {
        Self {
            kind,
            reader,
            seat,
            folder: folder::of_this_process(),
            cancelled,
            allow_secrets: false,
        }
    }

    /// Fires when this command is to end.
    pub(crate) fn token(&self) -> &CancellationToken {
        &self.cancelled
    }

    /// With the question whether a credential may be sent, which a person asked for.
    pub(crate) fn allowing_secrets(mut self, allow: bool) -> Self {
        self.allow_secrets = allow;
        self
    }
}

/// Who is here: as told, else a person if standard input and output are a terminal (one of them is enough with
/// `either_end`), else an agent.
pub(crate) fn kind_of_caller(told: Option<KindArgument>, either_end: bool) -> Kind {
    let (input, output) = (std::io::stdin().is_terminal(), std::io::stdout().is_terminal());
    let at_terminal = (input && output) || (either_end && (input || output));
    match told {
        Some(KindArgument::Human) => Kind::Human,
        Some(KindArgument::Agent) => Kind::Agent,
        None if at_terminal => Kind::Human,
        None => Kind::Agent,
    }
}

impl Host for CommandHost {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn reader(&self) -> Kind {
        self.reader
    }

    fn seat(&self) -> Option<&str> {
        self.seat.as_deref()
    }

    fn program(&self) -> Option<String> {
        Some("command line".to_owned())
    }

    fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    fn cancelled(&self) -> &CancellationToken {
        &self.cancelled
    }

    fn progress<'a>(&'a self, elapsed_s: u64, total_s: u64, message: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let time = match total_s {
                0 => format!("{elapsed_s} s"),
                total_s => format!("{elapsed_s} of {total_s} s"),
            };
            output::status(&format!("{message} ({time})"));
        })
    }

    /// Somebody who sees the status can end it. An agent's shell ends a command that is silent for long.
    fn waits_at_door(&self) -> Option<Duration> {
        (!std::io::stderr().is_terminal()).then_some(DOOR_UNSEEN)
    }

    fn may_allow_secrets(&self) -> bool {
        self.allow_secrets
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Ask> {
        let word = match question.purpose {
            Purpose::Post => "send",
            Purpose::Relay => "relay",
            Purpose::Rekey => "rekey",
            Purpose::End => "end",
            Purpose::Propose => "auto",
            Purpose::Accept => "accept",
            Purpose::Door(DoorState::Open) => "open",
            Purpose::Door(DoorState::Ask) => "ask",
            Purpose::Door(DoorState::Closed) => "closed",
            Purpose::Admit => "admit",
            Purpose::Refuse => "refuse",
            Purpose::Secrets => "allow",
            Purpose::Acknowledge => "continue",
        };
        Box::pin(confirm::by_word(&question.text, word, &self.cancelled))
    }
}
