//! An answer, and what may only happen once a face has written it out.

use super::app::App;
use super::failure::Failure;
use wire::ids::{ParticipantId, SessionId};

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
    cursor: Option<CursorMove>,
}

/// The last record shown to this seat's reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CursorMove {
    pub(crate) session: SessionId,
    pub(crate) participant: ParticipantId,
    pub(crate) to: u64,
}

impl<A> Delivered<A> {
    /// An answer with nothing due after it.
    pub(crate) fn plain(answer: A) -> Self {
        Self { answer, cursor: None }
    }

    /// An answer that moves the cursor once it is written.
    pub(crate) fn moving(answer: A, cursor: Option<CursorMove>) -> Self {
        Self { answer, cursor }
    }

    /// Does what is due once the answer has been written out. A face that could not write drops this instead, and
    /// the next read shows the same again.
    ///
    /// # Errors
    /// The seat file can't be written.
    pub async fn commit(self, app: &App) -> Result<(), Failure> {
        match self.cursor {
            Some(cursor) => app.move_cursor(cursor).await,
            None => Ok(()),
        }
    }
}
