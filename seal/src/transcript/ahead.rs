//! Opening messages before their turn: what takes the time of a long transcript needs no order, so that it can be done by
//! several threads. Nothing of it is believed or given out before the record is accepted in its turn.

use wire::transcript::RecordClass;

use super::RawRecord;
use crate::keys::Keyring;
use crate::record::message::Looked;
use crate::roster::Roster;

/// A record, and what was found in it before its turn.
#[derive(Debug)]
pub struct Ahead<'a> {
    pub(super) record: RawRecord<'a>,
    /// None for what is no message, or where its keys were not held.
    pub(super) looked: Option<Looked>,
}

impl<'a> Ahead<'a> {
    /// Opens a message and checks its signature, as far as keys are known. What is learned until its turn is asked then.
    pub fn look(record: RawRecord<'a>, keys: &Keyring, roster: &Roster) -> Self {
        let is_message = RecordClass::from_byte(record.class) == Some(RecordClass::Message);
        let looked = match (record.sender_id(), record.message_id(), keys.get(record.epoch)) {
            (Some(sender), Some(id), Some(keys)) if is_message => {
                let signer = roster.author(&sender, record.epoch).key;
                Some(Looked::into(keys, &sender, &id, record.body, signer))
            }
            _ => None,
        };
        Self { record, looked }
    }

    /// The record.
    pub const fn record(&self) -> &RawRecord<'a> {
        &self.record
    }
}

/// Nothing was looked into.
impl<'a> From<RawRecord<'a>> for Ahead<'a> {
    fn from(record: RawRecord<'a>) -> Self {
        Self { record, looked: None }
    }
}
