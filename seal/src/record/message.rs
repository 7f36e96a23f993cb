//! Messages: sealed records of kind 1.

use wire::ids::{MessageId, ParticipantId};
use wire::transcript::Hash;
use zeroize::Zeroizing;

use super::{Address, Kind, open_frame, seal as seal_record};
use crate::error::Error;
use crate::identity::Identity;
use crate::json;
use crate::keys::EpochKeys;
use crate::random::Nonce;
use crate::roster::Roster;
use crate::secret::ContentKey;
use crate::signature::VerificationKey;

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
    let known = roster.author(author, keys.epoch());
    Looked::into(keys, author, id, sealed, known.key).judged(known.may_write)
}

/// A message that was opened and whose signature was checked, before anybody asks whether its author may write. Nothing
/// of it is given out until then.
#[derive(Debug)]
pub(crate) struct Looked {
    content: ContentKey,
    signer: Option<VerificationKey>,
    found: Result<Signed, Error>,
}

#[derive(Debug)]
enum Signed {
    /// There was no key to check it with.
    Unchecked,
    /// Not by the author's key.
    Badly,
    /// By the author's key; the content may be none all the same.
    Well(Result<Message, Error>),
}

impl Looked {
    /// Opens it, and checks it with the key that is known of its author.
    pub(crate) fn into(
        keys: &EpochKeys,
        author: &ParticipantId,
        id: &MessageId,
        sealed: &[u8],
        signer: Option<&VerificationKey>,
    ) -> Self {
        let address = Address {
            kind: Kind::Message,
            keys,
            participant: author,
            item: id.as_bytes(),
        };
        let found = open_frame(&address, sealed).map(|record| match signer {
            None => Signed::Unchecked,
            Some(key) if !record.is_signed_by(key) => Signed::Badly,
            Some(_) => Signed::Well(read(record.rest())),
        });
        Self {
            content: ContentKey::from_bytes(*keys.content_key().expose()),
            signer: signer.cloned(),
            found,
        }
    }

    /// Whether these keys would find the same.
    pub(crate) fn is_by(&self, keys: &EpochKeys, signer: Option<&VerificationKey>) -> bool {
        self.content.same(keys.content_key()) && self.signer.as_ref() == signer
    }

    /// What it says, once it is known whether its author may write in its epoch. Errors come in the order of section 7.
    pub(crate) fn judged(self, may_write: bool) -> Result<Message, Error> {
        match self.found? {
            Signed::Unchecked => Err(Error::AuthorUnknown),
            Signed::Badly => Err(Error::BadSignature),
            Signed::Well(_) if !may_write => Err(Error::NotCertified),
            Signed::Well(message) => message,
        }
    }
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
