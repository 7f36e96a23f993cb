//! Setting the mode, asking who is here, and leaving, with the seat's token and again after coming back.

use std::time::Duration;

use tokio::time::Instant;
use wire::api::{ParticipantRow, SetMode, SettableMode};

use super::Session;
use super::error::SessionError;
use super::sync::is_token_over;
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
        for again in [true, false] {
            let token = self.token()?;
            match self
                .plane
                .set_mode(self.me.session_id(), &token, set, until)
                .await
            {
                Ok(answer) => {
                    self.hear_state(answer.state);
                    break;
                }
                Err(error) => self.after_refusal(error.into(), again, until).await?,
            }
        }
        Ok(())
    }

    /// Ends auto; nothing happens outside of it.
    ///
    /// # Errors
    /// As [`Session::set_mode`].
    pub async fn stop(&mut self, until: Deadline) -> Result<(), SessionError> {
        for again in [true, false] {
            let token = self.token()?;
            match self.plane.stop(self.me.session_id(), &token, until).await {
                Ok(answer) => {
                    self.hear_state(answer.state);
                    break;
                }
                Err(error) => self.after_refusal(error.into(), again, until).await?,
            }
        }
        Ok(())
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
        for again in [true, false] {
            let token = self.token()?;
            match self
                .plane
                .participants(self.me.session_id(), &token, None, until)
                .await
            {
                Ok(answer) => {
                    self.rows = Some((Instant::now(), answer.participants.clone()));
                    return Ok(answer.participants);
                }
                Err(error) => self.after_refusal(error.into(), again, until).await?,
            }
        }
        Ok(Vec::new())
    }

    /// Leaves. The seat stays with its keys, as one whose session is over for it: a link brings it back.
    ///
    /// # Errors
    /// As [`Session::set_mode`]; the seat's file can't be written.
    pub async fn leave(&mut self, until: Deadline) -> Result<(), SessionError> {
        // Leaving ends the consent, and returning does not bring it back.
        self.end_own_auto(true).await?;
        for again in [true, false] {
            let token = self.token()?;
            match self.plane.leave(self.me.session_id(), &token, until).await {
                Ok(_) => break,
                Err(error) => self.after_refusal(error.into(), again, until).await?,
            }
        }
        self.mark_over("left").await
    }

    /// Comes back if the token is over and this was the first try; any other refusal stands.
    pub(super) async fn after_refusal(
        &mut self,
        error: SessionError,
        again: bool,
        until: Deadline,
    ) -> Result<(), SessionError> {
        if again && is_token_over(&error) {
            return self.sync(until).await;
        }
        Err(error)
    }
}
