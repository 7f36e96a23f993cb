//! The door, for those who keep it.

use reqwest::Method;
use wire::api::{Decide, Door, Nothing, SetDoor, TokenText};
use wire::ids::{ParticipantId, SessionId};

use super::{BODY_MAX, Deadline, MachineToken, Plane, PlaneError};

/// By what somebody keeps a door.
#[derive(Debug, Clone, Copy)]
pub enum Keeper<'a> {
    /// The owner participant's session token.
    Seat(&'a TokenText),
    /// The machine token of the owner user or of an administrator of the organisation.
    Machine(&'a MachineToken),
}

impl Plane {
    /// How the door stands, and who knocks.
    ///
    /// # Errors
    /// [`PlaneError::ForeignToken`] before anything is sent; else what the plane or the way to it gives.
    pub async fn door(
        &self,
        session: &SessionId,
        by: Keeper<'_>,
        until: Deadline,
    ) -> Result<Door, PlaneError> {
        let token = self.keeper(by)?;
        self.get(format!("/v1/sessions/{session}/door"), token, until)
            .await
    }

    /// Sets the door. What is left out is without bound.
    ///
    /// # Errors
    /// As [`Plane::door`].
    pub async fn set_door(
        &self,
        session: &SessionId,
        by: Keeper<'_>,
        set: &SetDoor,
        until: Deadline,
    ) -> Result<Door, PlaneError> {
        let token = self.keeper(by)?;
        let path = format!("/v1/sessions/{session}/door");
        self.ask(Method::PUT, path, Some(token), set, BODY_MAX, until)
            .await
    }

    /// Admits or refuses somebody who knocks. The same answer again is the same request.
    ///
    /// # Errors
    /// As [`Plane::door`]; `not_found` where nobody of that id knocks.
    pub async fn decide(
        &self,
        session: &SessionId,
        who: &ParticipantId,
        by: Keeper<'_>,
        decide: Decide,
        until: Deadline,
    ) -> Result<Nothing, PlaneError> {
        let token = self.keeper(by)?;
        let path = format!("/v1/sessions/{session}/door/{who}");
        self.ask(Method::POST, path, Some(token), &decide, BODY_MAX, until)
            .await
    }

    fn keeper<'a>(&self, by: Keeper<'a>) -> Result<&'a TokenText, PlaneError> {
        match by {
            Keeper::Seat(token) => Ok(token),
            Keeper::Machine(machine) => self.own_token(machine),
        }
    }
}
