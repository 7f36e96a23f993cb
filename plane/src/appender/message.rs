//! A post on its way: what its author asks, and what comes of it.

use bytes::Bytes;
use wire::api::{Posted, Signal};
use wire::event::Capability;
use wire::ids::{AttachmentId, MessageId, ParticipantId, SessionId};
use wire::timestamp::Timestamp;

use crate::service::{Answer, Outcome, ServiceError, Shared};
use crate::store::records::StoredId;

/// A post whose credential and shape have been checked.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) session_id: SessionId,
    pub(crate) author: ParticipantId,
    pub(crate) capability: Capability,
    /// The epoch of the author's token.
    pub(crate) token_epoch: u32,
    /// When the author's token was looked up, in the count of departures.
    pub(crate) turn: u64,
    /// Until the author's token has been looked up for the batch that appends this.
    pub(crate) unconfirmed: Option<Unconfirmed>,
    pub(crate) message_id: MessageId,
    /// The epoch it says it is sealed under.
    pub(crate) epoch: u32,
    pub(crate) sealed: Bytes,
    /// SHA-256 of the sealed bytes.
    pub(crate) digest: [u8; 32],
    pub(crate) signal: Option<Signal>,
    pub(crate) expect_auto: bool,
    pub(crate) attachments: Vec<AttachmentId>,
}

/// A token of which is known that it counted at a version of the session's row. It counts if the row still has that
/// version as the post is appended, or one that this process's appends led to; else it must be looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unconfirmed {
    pub(crate) token_hash: [u8; 32],
    pub(crate) counted_at: i64,
    /// When it ends by itself.
    pub(crate) expires_at: Timestamp,
}

impl Message {
    /// That the author's token counts now.
    ///
    /// # Errors
    /// `Unauthorized`, `TokenRekeyed`: it does not; the store failed.
    pub(super) async fn confirm(&mut self, shared: &Shared) -> Answer<()> {
        if let Some(Unconfirmed { token_hash, .. }) = self.unconfirmed {
            let caller = shared.look_up(self.session_id, token_hash).await?;
            self.token_epoch = caller.epoch;
            self.turn = caller.turn;
            self.unconfirmed = None;
        }
        Ok(())
    }

    /// What is kept of it as long as the session lives.
    pub(crate) const fn stored_id(&self, seq: u64, at: Timestamp) -> StoredId {
        StoredId {
            author: self.author,
            seq,
            at,
            digest: self.digest,
        }
    }

    /// Bytes that it takes in the queue.
    pub(crate) fn cost(&self) -> u32 {
        /// What a post takes beside its sealed bytes.
        const OVERHEAD: usize = 512;
        u32::try_from(self.sealed.len().saturating_add(OVERHEAD)).unwrap_or(u32::MAX)
    }

    /// Whether this very message was stored before.
    ///
    /// # Errors
    /// `MessageIdReused`: the id is another's, or has other bytes.
    pub(crate) fn is_stored_as(&self, stored: &StoredId) -> Answer<()> {
        if stored.author == self.author && stored.digest == self.digest {
            Ok(())
        } else {
            Err(ServiceError::MessageIdReused { seq: stored.seq })
        }
    }
}

/// What a post is answered.
pub(crate) type Reply = Answer<Outcome<Posted>>;
