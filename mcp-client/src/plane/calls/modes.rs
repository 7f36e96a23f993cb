//! The mode.

use reqwest::Method;
use serde::Serialize;
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
        self.step(session, token, "mode", &mode, until).await
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
        self.step(session, token, "auto", proposal, until).await
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
        self.step(session, token, "auto/accept", &proposal, until).await
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
        self.step(session, token, "auto/decline", &proposal, until).await
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
        self.step(session, token, "auto/stop", &Nothing {}, until).await
    }

    async fn step(
        &self,
        session: &SessionId,
        token: &TokenText,
        call: &str,
        body: &impl Serialize,
        until: Deadline,
    ) -> Result<StateAnswer, PlaneError> {
        let path = format!("/v1/sessions/{session}/{call}");
        self.ask(Method::POST, path, Some(token), body, BODY_MAX, until)
            .await
    }
}
