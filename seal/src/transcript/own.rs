//! What this participant sent, against what the plane shows (`crypto.md` section 9.2).

use wire::encoding::Bytes32;
use wire::ids::{MessageId, ParticipantId};
use wire::sizes::SEQ_MAX;
use wire::transcript::sha256;

use super::admission::Admitted;
use super::state::Sent;
use super::{Head, RawRecord, Transcript};
use crate::error::Error;

impl Transcript {
    /// The head to put into the next message; none while an own record that the plane confirmed is not accepted yet:
    /// read first.
    ///
    /// # Errors
    /// `limit_reached` at the last seq.
    pub fn head_for_writing(&self) -> Result<Option<Head>, Error> {
        let head = self.head();
        if head.seq >= SEQ_MAX {
            return Err(Error::LimitReached);
        }
        let behind = self.state.sent.values().any(|sent| sent.seq.is_some());
        Ok((!behind).then_some(head))
    }

    /// Notes a message of this participant's before its first byte is sent. Sealing it anew after `epoch_moved`
    /// replaces it.
    ///
    /// # Errors
    /// `replay` when that id was accepted before.
    pub fn sending(&mut self, id: MessageId, epoch: u32, sealed: &[u8]) -> Result<(), Error> {
        if self.has_seen(&id) {
            return Err(Error::Replay);
        }
        self.state.sent.insert(
            id,
            Sent {
                epoch,
                body: Bytes32(sha256(sealed)),
                seq: None,
            },
        );
        Ok(())
    }

    /// Forgets a message that the plane refused for good.
    pub fn withdraw(&mut self, id: &MessageId) {
        self.state.sent.remove(id);
    }

    /// Notes the plane's answer to a post.
    ///
    /// # Errors
    /// `own_record_mismatch` when it was not sent, or another record was accepted at that seq, or it at another.
    pub fn posted(&mut self, id: &MessageId, seq: u64) -> Result<(), Error> {
        if let Some(accepted) = self.state.own.get(id) {
            return if *accepted == seq {
                Ok(())
            } else {
                Err(Error::OwnRecordMismatch)
            };
        }
        let head = self.head().seq;
        let sent = self.state.sent.get_mut(id).ok_or(Error::OwnRecordMismatch)?;
        if seq <= head || sent.seq.is_some_and(|answered| answered != seq) {
            return Err(Error::OwnRecordMismatch);
        }
        sent.seq = Some(seq);
        Ok(())
    }

    /// Whether an accepted message is this participant's own.
    pub fn is_own(&self, id: &MessageId) -> bool {
        self.state.own.contains_key(id)
    }

    /// Messages that were sent, and neither accepted nor withdrawn: to be sent again after a restart.
    pub fn unsettled(&self) -> impl Iterator<Item = &MessageId> {
        self.state.sent.keys()
    }

    /// The record at a seq that the plane named must be the message sent, and there is no message of one's own that was
    /// not sent.
    pub(super) fn check_own(
        &self,
        record: &RawRecord<'_>,
        admitted: &Admitted,
        me: &ParticipantId,
    ) -> Result<(), Error> {
        let own_id = match admitted {
            Admitted::Message { sender, id } if sender == me => Some(id),
            _ => None,
        };
        let promised = self
            .state
            .sent
            .iter()
            .find(|(_, sent)| sent.seq == Some(record.seq))
            .map(|(id, _)| id);
        if promised.is_some() && promised != own_id {
            return Err(Error::OwnRecordMismatch);
        }
        let Some(own_id) = own_id else { return Ok(()) };
        let as_sent = self.state.sent.get(own_id).is_some_and(|sent| {
            sent.epoch == record.epoch
                && sent.body.0 == sha256(record.body)
                && sent.seq.is_none_or(|seq| seq == record.seq)
        });
        if as_sent {
            Ok(())
        } else {
            Err(Error::OwnRecordMismatch)
        }
    }
}
