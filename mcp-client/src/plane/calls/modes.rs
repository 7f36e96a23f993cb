//! The mode.

use reqwest::Method;
use wire::api::{Nothing, SetMode, StateAnswer, TokenText};
use wire::ids::SessionId;

use super::{BODY_MAX, Plane};
use crate::plane::{Deadline, PlaneError};

impl Plane {
    /// Sets observe or relay.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn set_mode(
        &self,
        session: &SessionId,
        token: &TokenText,
        mode: SetMode,
        until: Deadline,
    ) -> Result<StateAnswer, PlaneError> {
        let path = format!("/v1/sessions/{session}/mode");
        let call = self.with_body(Method::POST, path, Some(token), &mode, BODY_MAX)?;
        self.parse(&self.http.send(&call, until).await?)
    }

    /// Ends auto; nothing happens outside of it.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn stop(
        &self,
        session: &SessionId,
        token: &TokenText,
        until: Deadline,
    ) -> Result<StateAnswer, PlaneError> {
        let path = format!("/v1/sessions/{session}/auto/stop");
        let call = self.with_body(Method::POST, path, Some(token), &Nothing {}, BODY_MAX)?;
        self.parse(&self.http.send(&call, until).await?)
    }
}
