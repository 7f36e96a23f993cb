//! `POST /v1/sessions/{id}/records`: from a request to a message for the appender.

use wire::api::{ExpectMode, Post, Posted};
use wire::ids::AttachmentId;
use wire::transcript::sha256;

use super::shape::{self, ATTACHMENTS_MAX, bad_request};
use super::{Answer, Outcome, Poster, Service, ServiceError};
use crate::appender::{Message, Unconfirmed};

impl Service {
    /// `POST records`: answers once the record is durable, or was before.
    ///
    /// # Errors
    /// In this order: of a token that no longer counts `Unauthorized`, `TokenRekeyed`; `TooLarge`, `BadRequest`;
    /// `MessageIdReused`; `SessionEnded`; `EpochMoved`; `ViewOnly`; `RateLimited`; `AutoOver`; of attachments `NotFound`,
    /// `Forbidden`, `ChunkConflict`.
    pub async fn post(&self, by: &Poster, request: Post) -> Answer<Outcome<Posted>> {
        let attachments = request.attachments.as_deref().unwrap_or_default();
        if let Err(refused) = well_formed(&request, attachments) {
            self.confirm(by).await?;
            return Err(refused);
        }
        let attachments = attachments.to_vec();
        let (sealed, caller) = (request.sealed.0, &by.caller);
        let appended = self
            .appender
            .append(Message {
                session_id: caller.session_id,
                author: caller.participant_id,
                capability: caller.capability,
                token_epoch: caller.epoch,
                turn: caller.turn,
                unconfirmed: Some(Unconfirmed {
                    token_hash: caller.token_hash,
                    counted_at: caller.checked.version,
                    expires_at: caller.checked.expires_at,
                }),
                message_id: request.message_id,
                epoch: request.epoch,
                digest: sha256(&sealed),
                sealed: sealed.into(),
                signal: request.signal,
                expect_auto: request.expect_mode == Some(ExpectMode::Auto),
                attachments,
            })
            .await;
        if matches!(appended, Err(ServiceError::RateLimited { .. })) {
            self.confirm(by).await?;
        }
        appended
    }
}

fn well_formed(request: &Post, attachments: &[AttachmentId]) -> Answer<()> {
    shape::message(&request.sealed)?;
    if attachments.len() > ATTACHMENTS_MAX {
        return Err(bad_request("A record names at most 16 attachments. Name fewer."));
    }
    Ok(())
}
