//! An answer, and what may only happen once a face has written it out.

use wire::event::Kind;
use wire::ids::{ProposalId, SessionId};

use super::app::App;
use super::failure::Failure;
use super::modes::ModeView;
use crate::seat::Begun;
use crate::session::auto::Standing;

/// An answer that is rendered as text beside its structured form. Each of the two stands alone.
pub trait Answer: serde::Serialize + schemars::JsonSchema {
    /// The text form, other people's text quoted as untrusted data.
    fn text(&self) -> String;
}

/// A verb's answer and what is due after it has been written.
#[derive(Debug)]
#[must_use = "the cursor moves only by commit()"]
pub struct Delivered<A> {
    /// The answer.
    pub answer: A,
    due: Option<Due>,
}

/// How far an answer has shown a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reached {
    /// Everything up to this seq.
    pub(super) seq: u64,
    /// Of the message after it a first part.
    pub(super) begun: Option<Begun>,
}

/// What an answer told its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) session: SessionId,
    /// What counts as read from now on.
    pub(super) cursor: Option<Reached>,
    /// Up to this seq what is addressed to its reader, by a wait for that alone: it stays unread.
    pub(super) for_me: Option<u64>,
    /// The proposal of auto.
    pub(super) proposal: Option<ProposalId>,
    /// That the auto it was in is over.
    pub(super) auto_over: bool,
}

impl Shown {
    /// What an answer with this mode told, and everything up to `cursor` with it. Only the seat's own reader counts: a
    /// person who looks through their agent's seat tells the agent nothing. An answer that has `messages` by others as
    /// well may be answered as if auto went on, so that one does not count as having told that it is over.
    pub(super) fn new(
        session: SessionId,
        reader: Kind,
        mode: &ModeView,
        cursor: Option<Reached>,
        messages: bool,
    ) -> Self {
        let own = reader == mode.kind;
        Self {
            session,
            cursor,
            for_me: None,
            proposal: mode.proposal.map(|(id, _)| id).filter(|_| own),
            auto_over: own && !messages && matches!(mode.late, Some(Standing::Over(_))),
        }
    }
}

/// What is due once the answer has reached its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// The reader was shown something.
    Shown(Shown),
    /// The poster knows that its message is stored: the same text again is a new message.
    Posted { session: SessionId },
}

impl Due {
    pub(super) fn session(&self) -> &SessionId {
        match self {
            Self::Shown(Shown { session, .. }) | Self::Posted { session } => session,
        }
    }
}

/// That a reader who is not the seat's own was shown messages, which stay unread: whoever has the seat has not seen them.
pub(super) fn still_unread(whose: Kind) -> String {
    let whose = match whose {
        Kind::Agent => "agent",
        Kind::Human => "person",
    };
    format!("Shown, and still unread for the {whose} whose seat this is.")
}

impl<A> Delivered<A> {
    /// An answer with nothing due after it.
    pub(super) fn plain(answer: A) -> Self {
        Self { answer, due: None }
    }

    /// An answer with something due after it.
    pub(super) fn with(answer: A, due: Due) -> Self {
        Self {
            answer,
            due: Some(due),
        }
    }

    /// Does what is due once the answer has been written out. A face that could not write drops this instead, and
    /// the next read shows the same again.
    ///
    /// # Errors
    /// The seat file can't be written.
    pub async fn commit(self, app: &App) -> Result<(), Failure> {
        match self.due {
            Some(due) => app.settle(due).await,
            None => Ok(()),
        }
    }
}
