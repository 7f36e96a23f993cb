//! Coming in, coming back, who is here, and leaving.

use reqwest::Method;
use wire::api::{EpochRecords, Join, Joined, Knocking, Nothing, Participants, Rejoin, TokenText};
use wire::ids::SessionId;

use super::{BODY_MAX, Plane};
use crate::plane::http::{Call, LONG_ANSWER_MAX};
use crate::plane::{Deadline, PlaneError};

/// What a join is answered with.
#[derive(Debug)]
pub enum Entry {
    /// In.
    Joined(Box<Joined>),
    /// Before a door that asks.
    Knocking(Knocking),
}

impl Plane {
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
        self.ask(Method::POST, path, Some(token), &Nothing {}, BODY_MAX, until)
            .await
    }
}
