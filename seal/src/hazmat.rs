//! What test vectors need beyond the public rooms: any signer, any author, bare HPKE.
//!
//! Nothing here may be used but by tests: each function leaves out a rule that keeps people safe.

use ed25519_dalek::{Signer, SigningKey};
use wire::epoch_record::EpochRecord;
use wire::ids::ParticipantId;
use x25519_dalek::StaticSecret;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::hpke::{self, Psk};
use crate::identity::PeerKeys;
use crate::keys::EpochKeys;
use crate::link::base32;
use crate::random::Nonce;
use crate::record::{self, Address, Author, Kind, goal, message, title};
use crate::rekey::{self, History, Kept, NewEpoch, Owner, Party};
use crate::secret::{EphemeralKey, FullSecret};
use crate::signature::{SIGNATURE_LEN, VerificationKey};

pub use crate::record::message::Message;

/// Where a sealed record belongs.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// 1 to 4.
    pub kind: u8,
    /// The epoch's keys.
    pub keys: &'a EpochKeys,
    /// Its author.
    pub participant: &'a ParticipantId,
    /// Its item id.
    pub item: &'a [u8; 16],
}

impl<'a> Place<'a> {
    fn address(&self) -> Option<Address<'a>> {
        let kind = [Kind::Message, Kind::Title, Kind::Profile, Kind::Goal]
            .into_iter()
            .zip(1..);
        let kind = kind.into_iter().find(|(_, byte)| *byte == self.kind)?.0;
        Some(Address {
            kind,
            keys: self.keys,
            participant: self.participant,
            item: self.item,
        })
    }
}

/// The associated data of a place; none for an unknown kind.
pub fn aad(place: &Place<'_>) -> Option<[u8; 54]> {
    Some(place.address()?.aad())
}

/// Seals anything, signed with any seed; gives the signature beside it.
///
/// # Errors
/// `too_large`; `bad_record` for an unknown kind.
pub fn seal(
    place: &Place<'_>,
    seed: &[u8; 32],
    rest: &[u8],
    nonce: Nonce,
) -> Result<([u8; SIGNATURE_LEN], Vec<u8>), Error> {
    let address = place.address().ok_or(Error::BadRecord)?;
    let mut signature = [0; SIGNATURE_LEN];
    let sign = |text: &[u8]| {
        signature = SigningKey::from_bytes(seed).sign(text).to_bytes();
        signature
    };
    let sealed = record::seal_as(&address, sign, &[rest], nonce)?;
    Ok((signature, sealed))
}

/// The content of a record of kind 1, 2 or 4.
#[derive(Debug)]
pub enum Content {
    /// Of kind 1.
    Message(Message),
    /// Of kinds 2 and 4: the title or the goal.
    Text(String),
}

/// Opens a record of kind 1, 2 or 4 by an author of whom anything may be known.
///
/// # Errors
/// Those of section 7; `bad_record` for another kind.
pub fn open(
    place: &Place<'_>,
    key: Option<&VerificationKey>,
    may_write: bool,
    sealed: &[u8],
) -> Result<Content, Error> {
    let address = place.address().ok_or(Error::BadRecord)?;
    let record = record::open_by(&address, Author { key, may_write }, sealed)?;
    match address.kind {
        Kind::Message => message::read(record.rest()).map(Content::Message),
        Kind::Title => title::read(record.rest()).map(Content::Text),
        Kind::Goal => goal::read(record.rest()).map(Content::Text),
        Kind::Profile | Kind::History => Err(Error::BadRecord),
    }
}

/// The 64 symbols of a link's token.
pub fn encode_token(token: &[u8; 40]) -> Zeroizing<String> {
    base32::encode(token)
}

/// The token of exactly 64 symbols.
///
/// # Errors
/// `bad_encoding`.
pub fn decode_token(text: &str) -> Result<Zeroizing<[u8; 40]>, Error> {
    base32::decode(text)
}

/// The padded length of `len` bytes.
pub fn padded(len: u64) -> u64 {
    crate::padding::padded(len)
}

/// `SealPSK` with a chosen ephemeral key.
///
/// # Errors
/// `bad_public_key`.
pub fn hpke_seal(
    recipient: &[u8; 32],
    info: &[u8],
    aad: &[u8],
    text: &[u8],
    psk: (&[u8; 32], &[u8]),
    ephemeral: &EphemeralKey,
) -> Result<([u8; 32], Vec<u8>), Error> {
    hpke::seal(
        recipient,
        &[info],
        aad,
        text,
        &Psk {
            key: psk.0,
            id: psk.1,
        },
        ephemeral,
    )
}

/// `OpenPSK`.
///
/// # Errors
/// `bad_public_key`, `auth_failed`.
pub fn hpke_open(
    recipient: &[u8; 32],
    enc: &[u8; 32],
    info: &[u8],
    aad: &[u8],
    sealed: &[u8],
    psk: (&[u8; 32], &[u8]),
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let recipient = StaticSecret::from(*recipient);
    hpke::open(
        &recipient,
        enc,
        &[info],
        aad,
        sealed,
        &Psk {
            key: psk.0,
            id: psk.1,
        },
    )
}

/// The pre-shared key of a re-key's entry and its id.
///
/// # Errors
/// `bad_public_key`.
pub fn rekey_psk(
    old: &EpochKeys,
    own: &[u8; 32],
    peer: &[u8; 32],
) -> Result<(Zeroizing<[u8; 32]>, Vec<u8>), Error> {
    Ok((
        rekey::psk(old, &StaticSecret::from(*own), peer)?,
        rekey::psk_id(old.epoch()),
    ))
}

/// An owner re-key by somebody whose signing key is not at hand.
///
/// # Errors
/// As [`rekey::by_owner`].
pub fn rekey_make(
    old: &EpochKeys,
    owner: (&ParticipantId, &[u8; 32]),
    secret: FullSecret,
    kept: Vec<Kept>,
    history: History,
) -> Result<NewEpoch, Error> {
    let agreement = StaticSecret::from(*owner.1);
    rekey::make(
        old,
        Party {
            id: owner.0,
            agreement: &agreement,
        },
        secret,
        kept,
        history,
    )
}

/// Opens an entry for somebody whose signing key is not at hand.
///
/// # Errors
/// As [`rekey::open`].
pub fn rekey_open(
    record: &EpochRecord,
    old: &EpochKeys,
    owner: (&ParticipantId, &PeerKeys),
    me: (&ParticipantId, &[u8; 32]),
) -> Result<EpochKeys, Error> {
    let agreement = StaticSecret::from(*me.1);
    let owner = Owner {
        id: Some(owner.0),
        keys: Some(owner.1),
    };
    rekey::open_entry(
        record,
        old,
        owner,
        Party {
            id: me.0,
            agreement: &agreement,
        },
    )
}
