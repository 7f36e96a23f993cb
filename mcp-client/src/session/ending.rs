//! That a session is over: as the plane's state or a refusal says it, and kept with the seat from then on.

use wire::api::SessionEnd;
use wire::problem::{Code, EndCause};
use wire::timestamp::Timestamp;

use super::Session;
use super::error::SessionError;
use crate::plane::PlaneError;
use crate::seat::{Ended, SeatState};

impl Session {
    /// That the session is over for everybody: by the plane's newest word, or as the seat's file has kept it.
    pub fn end(&self, kept: &SeatState) -> Option<SessionEnd> {
        let told = self.plane_state().and_then(|state| state.ended);
        told.or_else(|| kept.ended.as_ref().and_then(Ended::for_everybody))
    }

    /// Whether this participant left and was not brought back since.
    ///
    /// # Errors
    /// The seat's file can't be read.
    pub fn has_left(&self) -> Result<bool, SessionError> {
        Ok(self.seat.read()?.ended.as_ref().is_some_and(Ended::by_leaving))
    }

    /// Refuses what would bring back who left: everybody would be told that they came back, who only looked.
    pub(super) fn has_not_left(&self) -> Result<(), SessionError> {
        match self.has_left()? {
            true => Err(SessionError::Left),
            false => Ok(()),
        }
    }

    /// Keeps with the seat that it is over, if a refusal says so.
    ///
    /// # Errors
    /// The file can't be written.
    pub async fn ended_by(&mut self, error: &PlaneError) -> Result<(), SessionError> {
        match told_by(error, self.clock.now()) {
            Some(ended) => self.mark_over(ended).await,
            None => Ok(()),
        }
    }
}

impl From<SessionEnd> for Ended {
    fn from(end: SessionEnd) -> Self {
        Self {
            at: end.at,
            cause: cause(end.cause).to_owned(),
        }
    }
}

/// The end that a refusal tells of. `now` stands in where the plane does not say when.
pub(super) fn told_by(error: &PlaneError, now: Timestamp) -> Option<Ended> {
    let PlaneError::Problem {
        code: Code::SessionEnded,
        extras,
        ..
    } = error
    else {
        return None;
    };
    let at = extras.at.as_deref().and_then(Timestamp::parse);
    Some(Ended {
        at: at.unwrap_or(now),
        cause: cause(extras.cause.unwrap_or(EndCause::Ended)).to_owned(),
    })
}

fn cause(cause: EndCause) -> &'static str {
    match cause {
        EndCause::Ended => "ended",
        EndCause::Expired => "expired",
        EndCause::Purged => "purged",
    }
}
