//! Calls under the seat's token: made again once, after coming back, where the token was over.

use wire::api::{StateAnswer, TokenText};
use wire::ids::SessionId;
use wire::problem::Code;

use super::Session;
use super::error::SessionError;
use crate::plane::{Deadline, Plane, PlaneError};

impl Session {
    /// One call with this seat's token.
    pub(super) async fn under_token<T, F>(
        &mut self,
        until: Deadline,
        call: impl Fn(Plane, SessionId, TokenText) -> F,
    ) -> Result<T, SessionError>
    where
        F: Future<Output = Result<T, PlaneError>>,
    {
        match call(self.plane.clone(), *self.id(), self.token()?).await {
            Err(error) if token_is_over(&error) => {}
            result => return Ok(result?),
        }
        self.sync(until).await?;
        Ok(call(self.plane.clone(), *self.id(), self.token()?).await?)
    }

    /// As [`Session::under_token`], and takes over the state that the answer brings.
    pub(super) async fn for_state<F>(
        &mut self,
        until: Deadline,
        call: impl Fn(Plane, SessionId, TokenText) -> F,
    ) -> Result<(), SessionError>
    where
        F: Future<Output = Result<StateAnswer, PlaneError>>,
    {
        let answer = self.under_token(until, call).await?;
        self.hear_state(answer.state);
        Ok(())
    }
}

/// Whether the token stopped counting: a re-key, a return elsewhere, or age.
pub(super) fn is_token_over(error: &SessionError) -> bool {
    matches!(error, SessionError::Plane(error) if token_is_over(error))
}

fn token_is_over(error: &PlaneError) -> bool {
    matches!(
        error,
        PlaneError::Problem {
            status: 401,
            code: Code::Rekeyed | Code::Unauthorized,
            ..
        }
    )
}
