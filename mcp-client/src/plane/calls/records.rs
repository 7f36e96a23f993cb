//! The transcript: reading, waiting, appending.

use reqwest::Method;
use wire::api::{Page, Post, Posted, TokenText};
use wire::ids::SessionId;

use super::{Plane, RECORD_BODY_MAX};
use crate::plane::http::Call;
use crate::plane::{Deadline, PlaneError, Unsettled};

impl Plane {
    /// Records after a seq, at most `limit`.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn records(
        &self,
        session: &SessionId,
        token: &TokenText,
        after: u64,
        limit: u32,
        until: Deadline,
    ) -> Result<Page, PlaneError> {
        let path = format!("/v1/sessions/{session}/records?after={after}&limit={limit}");
        self.get(path, token, until).await
    }

    /// Holds the request up to `seconds` until somebody else posts or the mode or door changes. Tried once: what a
    /// cut means for the next wait is the caller's to decide.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn wait(
        &self,
        session: &SessionId,
        token: &TokenText,
        after: u64,
        seconds: u32,
        until: Deadline,
    ) -> Result<Page, PlaneError> {
        let path = format!("/v1/sessions/{session}/records?after={after}&wait={seconds}");
        let mut call = Call::new(Method::GET, &self.origin, path);
        call.token = Some(token);
        self.parse(&self.http.once(&call, until).await?)
    }

    /// Appends one message. The same message id and bytes again are the same record.
    ///
    /// # Errors
    /// What the plane or the way to it gives; [`PlaneError::TooLarge`] before anything is sent.
    pub async fn post(
        &self,
        session: &SessionId,
        token: &TokenText,
        post: &Post,
        until: Deadline,
    ) -> Result<Posted, Unsettled> {
        let path = format!("/v1/sessions/{session}/records");
        let call = self.with_body(Method::POST, path, Some(token), post, RECORD_BODY_MAX)?;
        Ok(self.parse(&self.http.send_counting(&call, until).await?)?)
    }
}
