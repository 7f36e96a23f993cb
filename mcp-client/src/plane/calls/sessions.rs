//! Sessions: creating one, its title, and whose token this is.

use reqwest::Method;
use wire::api::{Create, Created, Me, SessionView, SetTitle, StateAnswer, TokenText};
use wire::ids::SessionId;

use super::{BODY_MAX, EPOCH_BODY_MAX, MachineToken, Plane};
use crate::plane::{Deadline, PlaneError, Unsettled};

impl Plane {
    /// Creates a session. The same request again is the same session.
    ///
    /// # Errors
    /// [`PlaneError::ForeignToken`] before anything is sent; else what the plane or the way to it gives.
    pub async fn create(
        &self,
        machine: &MachineToken,
        create: &Create,
        until: Deadline,
    ) -> Result<Created, Unsettled> {
        let token = self.own_token(machine)?;
        let path = "/v1/sessions".to_owned();
        let call = self.with_body(Method::POST, path, Some(token), create, EPOCH_BODY_MAX)?;
        Ok(self.parse(&self.http.send_counting(&call, until).await?)?)
    }

    /// Whose machine token this is.
    ///
    /// # Errors
    /// As [`Plane::create`].
    pub async fn me(&self, machine: &MachineToken, until: Deadline) -> Result<Me, PlaneError> {
        let token = self.own_token(machine)?;
        self.get("/v1/me".to_owned(), token, until).await
    }

    /// State and sealed title.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn session(
        &self,
        session: &SessionId,
        token: &TokenText,
        until: Deadline,
    ) -> Result<SessionView, PlaneError> {
        self.get(format!("/v1/sessions/{session}"), token, until).await
    }

    /// Sets the sealed title.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn set_title(
        &self,
        session: &SessionId,
        token: &TokenText,
        title: &SetTitle,
        until: Deadline,
    ) -> Result<StateAnswer, PlaneError> {
        let path = format!("/v1/sessions/{session}/title");
        self.ask(Method::PUT, path, Some(token), title, BODY_MAX, until)
            .await
    }
}
