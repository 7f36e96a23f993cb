//! A record as the verifier takes it: what the transcript hash covers, and nothing else.

use wire::api;
use wire::encoding::Blob;
use wire::ids::{MessageId, ParticipantId};
use wire::transcript::{Link, RecordClass};

use crate::error::Error;

const NO_ID: [u8; 16] = [0; 16];

/// A record before it is believed. Fields may hold anything.
#[derive(Debug, Clone, Copy)]
pub struct RawRecord<'a> {
    /// Its number.
    pub seq: u64,
    /// The epoch it was appended in.
    pub epoch: u32,
    /// Its class byte.
    pub class: u8,
    /// Its sender; zeros where there is none.
    pub sender: [u8; 16],
    /// Its message id; zeros where there is none.
    pub item: [u8; 16],
    /// Its body.
    pub body: &'a [u8],
}

impl<'a> RawRecord<'a> {
    /// From a record as the plane serves it.
    ///
    /// # Errors
    /// `bad_record` when it lacks the body of its class, or has one of another class or a signal beside it.
    pub fn from_wire(record: &'a api::Record) -> Result<Self, Error> {
        let text = record.body.as_ref().map(String::as_bytes);
        let sealed = record.sealed.as_ref().map(Blob::as_slice);
        let epoch_record = record.epoch_record.as_ref().map(Blob::as_slice);
        let body = match (record.class, sealed, text, epoch_record, record.signal) {
            (RecordClass::Message, Some(body), None, None, _)
            | (RecordClass::Notice | RecordClass::Member, None, Some(body), None, None)
            | (RecordClass::Epoch, None, None, Some(body), None) => body,
            _ => return Err(Error::BadRecord),
        };
        Ok(Self {
            seq: record.seq,
            epoch: record.epoch,
            class: record.class.byte(),
            sender: record.sender.map_or(NO_ID, |id| *id.as_bytes()),
            item: record.item_id.map_or(NO_ID, |id| *id.as_bytes()),
            body,
        })
    }

    /// One's own message as it was sent, for appending it when the plane answered with a seq.
    pub const fn own_message(
        seq: u64,
        epoch: u32,
        me: &ParticipantId,
        id: &MessageId,
        sealed: &'a [u8],
    ) -> Self {
        Self {
            seq,
            epoch,
            class: RecordClass::Message.byte(),
            sender: *me.as_bytes(),
            item: *id.as_bytes(),
            body: sealed,
        }
    }

    pub(super) fn link(&self) -> Link<'a> {
        Link {
            seq: self.seq,
            epoch: self.epoch,
            class: self.class,
            sender: self.sender_id(),
            item_id: self.message_id(),
            body: self.body,
        }
    }

    pub(super) fn sender_id(&self) -> Option<ParticipantId> {
        (self.sender != NO_ID).then(|| ParticipantId::from_bytes(self.sender))
    }

    pub(super) fn message_id(&self) -> Option<MessageId> {
        (self.item != NO_ID).then(|| MessageId::from_bytes(self.item))
    }
}
