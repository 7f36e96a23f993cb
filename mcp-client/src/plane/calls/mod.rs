//! The calls of `plane-api.md` that this client makes, each with its types.

mod connect;
mod door;
mod keeping;
mod modes;
mod participants;
mod records;
mod service;
mod sessions;

use std::fmt;

use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wire::api::TokenText;

pub use door::Keeper;
pub use participants::Entry;
pub use service::Alive;

use super::Deadline;
use super::error::PlaneError;
use super::http::{Call, Good, Http};
use super::origin::Origin;

/// The plane's limit on the body of a post, in bytes.
const RECORD_BODY_MAX: usize = 345 << 10;
/// The plane's limit on the body of a create or re-key, in bytes.
const EPOCH_BODY_MAX: usize = 34 << 10;
/// The plane's limit on every other body, in bytes.
const BODY_MAX: usize = 16 << 10;

/// A machine token together with the plane that issued it. It goes nowhere else.
#[derive(Clone)]
pub struct MachineToken {
    origin: Origin,
    token: TokenText,
}

impl MachineToken {
    /// A token and its plane.
    pub fn new(origin: Origin, token: TokenText) -> Self {
        Self { origin, token }
    }
}

impl fmt::Debug for MachineToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MachineToken({})", self.origin)
    }
}

/// One plane.
#[derive(Debug, Clone)]
pub struct Plane {
    http: Http,
    origin: Origin,
}

impl Plane {
    /// The plane at an origin.
    pub fn new(http: Http, origin: Origin) -> Self {
        Self { http, origin }
    }

    /// Where it is.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    async fn get<T: DeserializeOwned>(
        &self,
        path: String,
        token: &TokenText,
        until: Deadline,
    ) -> Result<T, PlaneError> {
        let mut call = Call::new(Method::GET, &self.origin, path);
        call.token = Some(token);
        self.parse(&self.http.send(&call, until).await?)
    }

    /// Sends a request with a body and reads its answer.
    async fn ask<T: DeserializeOwned>(
        &self,
        method: Method,
        path: String,
        token: Option<&TokenText>,
        body: &impl Serialize,
        limit: usize,
        until: Deadline,
    ) -> Result<T, PlaneError> {
        let call = self.with_body(method, path, token, body, limit)?;
        self.parse(&self.http.send(&call, until).await?)
    }

    fn with_body<'a>(
        &'a self,
        method: Method,
        path: String,
        token: Option<&'a TokenText>,
        body: &impl Serialize,
        limit: usize,
    ) -> Result<Call<'a>, PlaneError> {
        let body = serde_json::to_vec(body).map_err(|_| PlaneError::Setup {
            reason: "a request can't be written as JSON".to_owned(),
        })?;
        if body.len() > limit {
            return Err(PlaneError::TooLarge {
                size: body.len(),
                limit,
            });
        }
        let mut call = Call::new(method, &self.origin, path);
        call.token = token;
        call.body = Some(body);
        Ok(call)
    }

    fn own_token<'a>(&self, machine: &'a MachineToken) -> Result<&'a TokenText, PlaneError> {
        if machine.origin == self.origin {
            Ok(&machine.token)
        } else {
            Err(PlaneError::ForeignToken {
                origin: self.origin.clone(),
            })
        }
    }

    fn parse<T: DeserializeOwned>(&self, good: &Good) -> Result<T, PlaneError> {
        good.parse(&self.origin)
    }
}
