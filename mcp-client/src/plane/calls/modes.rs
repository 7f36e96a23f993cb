//! The mode.

use reqwest::Method;
use wire::api::{Nothing, ProposalRef, Propose, SetMode, StateAnswer, TokenText};
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

    /// Proposes auto. The same proposal id again is the same proposal.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn propose(
        &self,
        session: &SessionId,
        token: &TokenText,
        proposal: &Propose,
        until: Deadline,
    ) -> Result<StateAnswer, PlaneError> {
        let path = format!("/v1/sessions/{session}/auto");
        let call = self.with_body(Method::POST, path, Some(token), proposal, BODY_MAX)?;
        self.parse(&self.http.send(&call, until).await?)
    }

    /// Accepts the proposal of that id.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn accept(
        &self,
        session: &SessionId,
        token: &TokenText,
        proposal: ProposalRef,
        until: Deadline,
    ) -> Result<StateAnswer, PlaneError> {
        let path = format!("/v1/sessions/{session}/auto/accept");
        let call = self.with_body(Method::POST, path, Some(token), &proposal, BODY_MAX)?;
        self.parse(&self.http.send(&call, until).await?)
    }

    /// Declines the proposal of that id.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn decline(
        &self,
        session: &SessionId,
        token: &TokenText,
        proposal: ProposalRef,
        until: Deadline,
    ) -> Result<StateAnswer, PlaneError> {
        let path = format!("/v1/sessions/{session}/auto/decline");
        let call = self.with_body(Method::POST, path, Some(token), &proposal, BODY_MAX)?;
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
