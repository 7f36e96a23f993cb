//! Messages: sealed records of kind 1.

use wire::ids::{MessageId, ParticipantId};
use wire::transcript::Hash;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::identity::Identity;
use crate::keys::EpochKeys;
use crate::random::Nonce;
use crate::roster::Roster;

/// How far somebody has read: a seq and the transcript hash up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The seq; 0 before the first record.
    pub seq: u64,
    /// H(seq).
    pub hash: Hash,
}

/// A message that opened.
#[derive(Debug)]
pub struct Message {
    /// The head its author had when writing it.
    pub head: Head,
    /// The JSON text: an object with a string `kind`, read again with [`crate::json::object`].
    pub json: Zeroizing<String>,
}

/// Seals and signs a message at the writer's head. `json` is an object with a string `kind`.
///
/// # Errors
/// `bad_content` as [`crate::json::produced`] or without a `kind`; `too_large` above 257,940 bytes of JSON.
pub fn seal(
    keys: &EpochKeys,
    me: &Identity,
    id: &MessageId,
    head: &Head,
    json: &str,
    nonce: Nonce,
) -> Result<Vec<u8>, Error> {
    todo!()
}

/// Opens a message by `author`, sealed under the epoch of `keys`.
///
/// # Errors
/// Those of section 7, in its order.
pub fn open(
    keys: &EpochKeys,
    author: &ParticipantId,
    id: &MessageId,
    sealed: &[u8],
    roster: &Roster,
) -> Result<Message, Error> {
    todo!()
}
