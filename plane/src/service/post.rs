//! `POST /v1/sessions/{id}/records`: from a request to a message for the appender.

use wire::api::{ExpectMode, Post, Posted};
use wire::transcript::sha256;

use super::shape::{self, ATTACHMENTS_MAX, bad_request};
use super::{Answer, Outcome, Service, SessionCaller};
use crate::appender::Message;

impl Service {
    /// `POST records`: answers once the record is durable, or was before.
    ///
    /// # Errors
    /// In this order: `TooLarge`, `BadRequest`; `MessageIdReused`; `SessionEnded`; `EpochMoved`; `ViewOnly`;
    /// `RateLimited`; `AutoOver`; of attachments `NotFound`, `Forbidden`, `ChunkConflict`.
    pub async fn post(&self, by: &SessionCaller, request: Post) -> Answer<Outcome<Posted>> {
        shape::message(&request.sealed)?;
        let attachments = request.attachments.unwrap_or_default();
        if attachments.len() > ATTACHMENTS_MAX {
            return Err(bad_request("A record names at most 16 attachments. Name fewer."));
        }
        let sealed = request.sealed.0;
        self.appender
            .append(Message {
                session_id: by.session_id,
                author: by.participant_id,
                capability: by.capability,
                token_epoch: by.epoch,
                turn: by.turn,
                message_id: request.message_id,
                epoch: request.epoch,
                digest: sha256(&sealed),
                sealed: sealed.into(),
                signal: request.signal,
                expect_auto: request.expect_mode == Some(ExpectMode::Auto),
                attachments,
            })
            .await
    }
}
