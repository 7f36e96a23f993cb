//! Messages: sealed records of kind 1.

use wire::ids::{MessageId, ParticipantId};
use wire::transcript::Hash;
use zeroize::Zeroizing;

use super::{Address, Kind, open_by, seal as seal_record};
use crate::error::Error;
use crate::identity::Identity;
use crate::json;
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
    pub json: Text,
}

/// A plaintext. It is wiped when it goes, and Debug shows its length alone.
pub struct Text(Zeroizing<String>);

impl Text {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Text({} bytes)", self.0.len())
    }
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
    json::string(&json::produced(json.as_bytes())?, "kind")?;
    let rest: [&[u8]; 3] = [&head.seq.to_be_bytes(), &head.hash, json.as_bytes()];
    seal_record(Kind::Message, keys, me, id.as_bytes(), &rest, nonce)
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
    let address = Address {
        kind: Kind::Message,
        keys,
        participant: author,
        item: id.as_bytes(),
    };
    read(open_by(&address, roster.author(author, keys.epoch()), sealed)?.rest())
}

/// The head and the text of a message's content.
pub(crate) fn read(rest: &[u8]) -> Result<Message, Error> {
    let (seq, rest) = rest.split_first_chunk::<8>().ok_or(Error::BadContent)?;
    let (hash, json) = rest.split_first_chunk::<32>().ok_or(Error::BadContent)?;
    json::string(&json::object(json)?, "kind")?;
    let text = std::str::from_utf8(json).map_err(|_| Error::BadContent)?;
    Ok(Message {
        head: Head {
            seq: u64::from_be_bytes(*seq),
            hash: *hash,
        },
        json: Text(Zeroizing::new(text.to_owned())),
    })
}
