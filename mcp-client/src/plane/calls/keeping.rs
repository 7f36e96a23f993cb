//! What the keeper of a session does with a machine token: re-keying and ending.

use reqwest::Method;
use wire::api::{Nothing, Rekey, Rekeyed};
use wire::ids::SessionId;

use super::{EPOCH_BODY_MAX, MachineToken, Plane};
use crate::plane::Deadline;
use crate::plane::error::PlaneError;
use crate::plane::http::Call;

impl Plane {
    /// Appends an epoch record, which ends every token. The record in force again, byte for byte, is a success.
    ///
    /// # Errors
    /// [`PlaneError::ForeignToken`] before anything is sent; else what the plane or the way to it gives.
    pub async fn rekey(
        &self,
        machine: &MachineToken,
        session: &SessionId,
        rekey: &Rekey,
        until: Deadline,
    ) -> Result<Rekeyed, PlaneError> {
        let token = self.own_token(machine)?;
        let path = format!("/v1/sessions/{session}/rekey");
        self.ask(Method::POST, path, Some(token), rekey, EPOCH_BODY_MAX, until)
            .await
    }

    /// Ends a session for everybody; with `purge` its records are deleted as well. Again is the same.
    ///
    /// # Errors
    /// As [`Plane::rekey`].
    pub async fn end(
        &self,
        machine: &MachineToken,
        session: &SessionId,
        purge: bool,
        until: Deadline,
    ) -> Result<Nothing, PlaneError> {
        let token = self.own_token(machine)?;
        let query = if purge { "?purge=true" } else { "" };
        let mut call = Call::new(
            Method::DELETE,
            &self.origin,
            format!("/v1/sessions/{session}{query}"),
        );
        call.token = Some(token);
        self.parse(&self.http.send(&call, until).await?)
    }
}
