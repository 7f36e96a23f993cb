//! What the keeper of a session does with a machine token: re-keying and ending.

use reqwest::Method;
use wire::api::{Nothing, Rekey, Rekeyed};
use wire::ids::SessionId;
use wire::problem::Code;

use super::{EPOCH_BODY_MAX, MachineToken, Plane};
use crate::plane::Deadline;
use crate::plane::error::{PlaneError, Unsettled};
use crate::plane::http::Call;

impl Plane {
    /// Appends an epoch record, which ends every token. The record in force again, byte for byte, is a success.
    ///
    /// # Errors
    /// [`PlaneError::ForeignToken`] before anything is sent; else what the plane or the way to it gives, and whether it may
    /// be in force all the same.
    ///
    /// [`PlaneError::ForeignToken`]: crate::plane::PlaneError::ForeignToken
    pub async fn rekey(
        &self,
        machine: &MachineToken,
        session: &SessionId,
        rekey: &Rekey,
        until: Deadline,
    ) -> Result<Rekeyed, Unsettled> {
        let token = self.own_token(machine)?;
        let path = format!("/v1/sessions/{session}/rekey");
        let call = self.with_body(Method::POST, path, Some(token), rekey, EPOCH_BODY_MAX)?;
        Ok(self.parse(&self.http.send_counting(&call, until).await?)?)
    }

    /// Asks which epoch is in force, by a re-key that can't be made: no epoch comes before that of its record, so the
    /// plane refuses it whatever it is, and names the one there is.
    ///
    /// # Errors
    /// As [`Plane::rekey`], among them `epoch_moved` with the epoch, which is the answer.
    pub async fn epoch_in_force(
        &self,
        machine: &MachineToken,
        session: &SessionId,
        impossible: &Rekey,
        until: Deadline,
    ) -> Result<u32, PlaneError> {
        let token = self.own_token(machine)?;
        let path = format!("/v1/sessions/{session}/rekey");
        let call = self.with_body(Method::POST, path, Some(token), impossible, EPOCH_BODY_MAX)?;
        let bad = || PlaneError::BadAnswer {
            origin: self.origin.clone(),
        };
        match self.http.once(&call, until).await {
            Err(PlaneError::Problem {
                code: Code::EpochMoved,
                extras,
                ..
            }) => extras.epoch.ok_or_else(bad),
            Err(error) => Err(error),
            Ok(_) => Err(bad()),
        }
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
    ) -> Result<Nothing, Unsettled> {
        let token = self.own_token(machine)?;
        let query = if purge { "?purge=true" } else { "" };
        let mut call = Call::new(
            Method::DELETE,
            &self.origin,
            format!("/v1/sessions/{session}{query}"),
        );
        call.token = Some(token);
        Ok(self.parse(&self.http.send_counting(&call, until).await?)?)
    }
}
