//! Setting the mode, asking who is here, and leaving, with the seat's token and again after coming back.

use std::time::Duration;

use tokio::time::Instant;
use wire::api::{ParticipantRow, SetMode, SettableMode};

use super::Session;
use super::error::SessionError;
use crate::plane::Deadline;

/// How long an answer on who is here is used again: presence is no newer than that (`plane-api.md`, Presence).
const PRESENCE: Duration = Duration::from_secs(5);

impl Session {
    /// Sets observe or relay.
    ///
    /// # Errors
    /// What the plane or the way to it gives, and what coming back gives.
    pub async fn set_mode(&mut self, mode: SettableMode, until: Deadline) -> Result<(), SessionError> {
        let set = SetMode { set: mode };
        self.for_state(until, |plane, id, token| async move {
            plane.set_mode(&id, &token, set, until).await
        })
        .await
    }

    /// Ends auto; nothing happens outside of it.
    ///
    /// # Errors
    /// As [`Session::set_mode`].
    pub async fn stop(&mut self, until: Deadline) -> Result<(), SessionError> {
        self.for_state(until, |plane, id, token| async move {
            plane.stop(&id, &token, until).await
        })
        .await
    }

    /// Everybody as the plane sees them, at most some seconds old.
    ///
    /// # Errors
    /// As [`Session::set_mode`].
    pub async fn participants(&mut self, until: Deadline) -> Result<Vec<ParticipantRow>, SessionError> {
        if let Some((at, rows)) = self.rows.as_ref().filter(|(at, _)| at.elapsed() < PRESENCE) {
            tracing::trace!(age = ?at.elapsed(), "presence is still new");
            return Ok(rows.clone());
        }
        let answer = self
            .under_token(until, |plane, id, token| async move {
                plane.participants(&id, &token, None, until).await
            })
            .await?;
        self.rows = Some((Instant::now(), answer.participants.clone()));
        Ok(answer.participants)
    }

    /// Leaves. The seat stays with its keys, as one whose session is over for it: a link brings it back.
    ///
    /// # Errors
    /// As [`Session::set_mode`]; the seat's file can't be written.
    pub async fn leave(&mut self, until: Deadline) -> Result<(), SessionError> {
        // Leaving ends the consent, and returning does not bring it back.
        self.end_own_auto(true).await?;
        self.under_token(until, |plane, id, token| async move {
            plane.leave(&id, &token, until).await
        })
        .await?;
        self.mark_over(self.ended_now("left")).await
    }
}
