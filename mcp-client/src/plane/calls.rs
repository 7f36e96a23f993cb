//! The calls of `plane-api.md` that this client makes, each with its types.

use std::fmt;

use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wire::api::{
    Create, Created, EpochRecords, Join, Joined, Knocking, Me, Nothing, Page, Participants, Post, Posted,
    Rejoin, SessionView, SetMode, SetTitle, StateAnswer, TokenText,
};
use wire::ids::SessionId;

use super::Deadline;
use super::error::PlaneError;
use super::http::{Call, Good, Http, LONG_ANSWER_MAX};
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

/// What a join is answered with.
#[derive(Debug)]
pub enum Entry {
    /// In.
    Joined(Box<Joined>),
    /// Before a door that asks.
    Knocking(Knocking),
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

    /// Creates a session. The same request again is the same session.
    ///
    /// # Errors
    /// [`PlaneError::ForeignToken`] before anything is sent; else what the plane or the way to it gives.
    pub async fn create(
        &self,
        machine: &MachineToken,
        create: &Create,
        until: Deadline,
    ) -> Result<Created, PlaneError> {
        let token = self.own_token(machine)?;
        let call = self.with_body(
            Method::POST,
            "/v1/sessions".to_owned(),
            Some(token),
            create,
            EPOCH_BODY_MAX,
        )?;
        self.parse(&self.http.send(&call, until).await?)
    }

    /// Whose machine token this is.
    ///
    /// # Errors
    /// As [`Plane::create`].
    pub async fn me(&self, machine: &MachineToken, until: Deadline) -> Result<Me, PlaneError> {
        let token = self.own_token(machine)?;
        self.get("/v1/me".to_owned(), token, until).await
    }

    /// Joins or returns. Not repeated by itself once it may have reached the plane: the repeat of an unanswered
    /// join carries the rejoin secret, which is the caller's to add.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn join(&self, session: &SessionId, join: &Join, until: Deadline) -> Result<Entry, PlaneError> {
        let path = format!("/v1/sessions/{session}/participants");
        let mut call = self.with_body(Method::POST, path, None, join, BODY_MAX)?;
        call.answer_max = LONG_ANSWER_MAX;
        let good = if join.participant.rejoin_secret.is_some() {
            self.http.send(&call, until).await?
        } else {
            self.http.once(&call, until).await?
        };
        if good.status == 202 {
            return self.parse(&good).map(Entry::Knocking);
        }
        self.parse(&good).map(|joined| Entry::Joined(Box::new(joined)))
    }

    /// The epoch records after the one named.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn rejoin(
        &self,
        session: &SessionId,
        rejoin: &Rejoin,
        until: Deadline,
    ) -> Result<EpochRecords, PlaneError> {
        let path = format!("/v1/sessions/{session}/rejoin");
        let mut call = self.with_body(Method::POST, path, None, rejoin, BODY_MAX)?;
        call.answer_max = LONG_ANSWER_MAX;
        self.parse(&self.http.send(&call, until).await?)
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
        let call = self.with_body(Method::PUT, path, Some(token), title, BODY_MAX)?;
        self.parse(&self.http.send(&call, until).await?)
    }

    /// Everybody, and with `profiles_from` the sealed profiles and epoch records from that epoch on.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn participants(
        &self,
        session: &SessionId,
        token: &TokenText,
        profiles_from: Option<u32>,
        until: Deadline,
    ) -> Result<Participants, PlaneError> {
        let mut path = format!("/v1/sessions/{session}/participants");
        if let Some(epoch) = profiles_from {
            path.push_str(&format!("?profiles_from_epoch={epoch}"));
        }
        let mut call = Call::new(Method::GET, &self.origin, path);
        call.token = Some(token);
        call.answer_max = LONG_ANSWER_MAX;
        self.parse(&self.http.send(&call, until).await?)
    }

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
    ) -> Result<Posted, PlaneError> {
        let path = format!("/v1/sessions/{session}/records");
        let call = self.with_body(Method::POST, path, Some(token), post, RECORD_BODY_MAX)?;
        self.parse(&self.http.send(&call, until).await?)
    }

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

    /// Leaves the session: this participant's tokens end.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn leave(
        &self,
        session: &SessionId,
        token: &TokenText,
        until: Deadline,
    ) -> Result<Nothing, PlaneError> {
        let path = format!("/v1/sessions/{session}/leave");
        let call = self.with_body(Method::POST, path, Some(token), &Nothing {}, BODY_MAX)?;
        self.parse(&self.http.send(&call, until).await?)
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
