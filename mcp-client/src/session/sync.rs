//! Reading on: pages from the plane, and what a long wait brings.

use wire::api::{Page, TokenText};
use wire::ids::SessionId;
use wire::problem::Code;

use super::accept::Taken;
use super::calls::is_token_over;
use super::error::SessionError;
use super::keep::LOCK;
use super::meter::Step;
use super::{Session, ending, integrity};
use crate::plane::{Deadline, Origin, Plane, PlaneError};

/// Records a request: the most a plane gives.
const PAGE: u32 = 1_000;
/// How often one call comes back with a fresh token before it gives up.
const COMEBACKS: u32 = 3;

/// A long wait that can be made without holding the session: what it needs, and the head it was asked at.
#[derive(Debug, Clone)]
pub struct Waiting {
    plane: Plane,
    session: SessionId,
    token: TokenText,
    after: u64,
}

/// What a wait heard, to be taken in by [`Session::hear`].
#[derive(Debug)]
pub struct Heard {
    page: Page,
    after: u64,
}

impl Waiting {
    /// Holds a request up to `seconds`. Dropping this ends the request.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn wait(&self, seconds: u32, until: Deadline) -> Result<Heard, PlaneError> {
        let page = self
            .plane
            .wait(&self.session, &self.token, self.after, seconds, until)
            .await?;
        Ok(Heard {
            page,
            after: self.after,
        })
    }
}

/// A way back that the plane has no proof for: it gave this seat a token once.
fn forgotten(error: SessionError, plane: Origin) -> SessionError {
    match error {
        SessionError::Plane(error) if error.code() == Some(Code::BadProof) => SessionError::Forgotten(plane),
        other => other,
    }
}

impl Session {
    /// Reads everything there is, and comes back first if the token is over.
    ///
    /// # Errors
    /// [`SessionError::Failed`] once the transcript does not hold; [`SessionError::Removed`], [`SessionError::Left`],
    /// [`SessionError::AdminRekeyed`]; what the plane or the way to it gives.
    pub async fn sync(&mut self, until: Deadline) -> Result<(), SessionError> {
        let mut comebacks = 0;
        loop {
            self.refresh()?;
            self.has_not_left()?;
            integrity::may_accept(self.alarm.as_ref())?;
            let token = self.token()?;
            match self.fetch(until).await {
                Err(error) if is_token_over(&error) && comebacks < COMEBACKS => {
                    comebacks += 1;
                    let mut lock = self.seat.clone().lock(LOCK).await?;
                    // Another process of this seat may have come back meanwhile.
                    if self.token()? == token {
                        let came = self.come_back(&mut lock, until).await;
                        let came = came.map_err(|error| forgotten(error, lock.plane.clone()));
                        self.put_into(&mut lock)?;
                        lock.save()?;
                        came?;
                    }
                }
                result => {
                    if result.is_ok() {
                        self.keep_title(until).await;
                    }
                    self.store().await?;
                    return self.note_end(result).await;
                }
            }
        }
    }

    /// Everything a wait for something new needs.
    ///
    /// # Errors
    /// The seat's file can't be read; nothing is accepted any more.
    pub fn waiting(&self) -> Result<Waiting, SessionError> {
        integrity::may_accept(self.alarm.as_ref())?;
        Ok(Waiting {
            plane: self.plane.clone(),
            session: *self.id(),
            token: self.token()?,
            after: self.transcript.head().seq,
        })
    }

    /// Takes in what a wait heard, and reads on if there is more.
    ///
    /// # Errors
    /// As [`Session::sync`].
    pub async fn hear(&mut self, heard: Heard, until: Deadline) -> Result<(), SessionError> {
        self.refresh()?;
        let more = heard.page.more;
        let taken = self.take_page(heard.page, heard.after, until).await;
        self.store().await?;
        if taken? == Taken::Gap || more {
            return self.sync(until).await;
        }
        Ok(())
    }

    /// All pages from the head on. Writes nothing to the seat.
    pub(super) async fn fetch(&mut self, until: Deadline) -> Result<(), SessionError> {
        let mut read_once_more = false;
        loop {
            let head = self.transcript.head().seq;
            // An own record that was appended as sent is read back and compared.
            let after = self
                .unchecked_own
                .map_or(head, |own| own.saturating_sub(1).min(head));
            let token = self.token()?;
            let page = self
                .plane
                .records(self.me.session_id(), &token, after, PAGE, until)
                .await?;
            let (more, newest) = (page.more, page.state.head_seq);
            let taken = self.take_page(page, head, until).await?;
            self.meter
                .tell(Step::Fetching, self.transcript.head().seq, newest);
            match taken {
                Taken::Gap if read_once_more => {
                    self.note_failure(seal::Error::SeqGap);
                    return Err(SessionError::Failed(seal::Error::SeqGap));
                }
                Taken::Gap => read_once_more = true,
                Taken::All if more && self.transcript.head().seq == head && after == head => {
                    // More, but nothing new: a plane that would have us ask for ever.
                    self.note_failure(seal::Error::SeqGap);
                    return Err(SessionError::Failed(seal::Error::SeqGap));
                }
                Taken::All if more => {}
                Taken::All => return self.all_was_read(),
            }
        }
    }

    /// Notes with the seat that the session is over, so that nobody tries again.
    async fn note_end(&mut self, result: Result<(), SessionError>) -> Result<(), SessionError> {
        let ended = match &result {
            Err(SessionError::Removed) => Some(self.ended_now(crate::seat::choose::REMOVED)),
            Err(SessionError::Plane(error)) => ending::told_by(error, self.clock.now()),
            _ => None,
        };
        let Some(ended) = ended else { return result };
        self.mark_over(ended).await?;
        result
    }
}
