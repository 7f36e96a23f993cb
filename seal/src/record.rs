//! Sealed records (`crypto.md` section 7): the layout that all kinds share, and one file a kind.
//!
//! What opens was checked in the order of that section, to the end; nothing of it is given out before.

pub mod goal;
pub mod message;
pub mod title;

use wire::ids::ParticipantId;
use wire::sizes::{SEALED_MIN, SEALED_VERSION};
use zeroize::Zeroizing;

use crate::cipher::{TAG_LEN, xopen, xseal};
use crate::error::Error;
use crate::identity::Identity;
use crate::keys::EpochKeys;
use crate::padding::padded;
use crate::random::{NONCE_LEN, Nonce};
use crate::signature::{SIGNATURE_LEN, VerificationKey};

const AAD_LEN: usize = 54;
const LABEL: &[u8; 26] = b"devpilot-session v1 record";
const LENGTH_LEN: usize = 4;
const OVERHEAD: usize = 1 + NONCE_LEN + TAG_LEN;

/// The item id of records that have none.
pub(crate) const NO_ITEM: [u8; 16] = [0; 16];

/// What a sealed record is; part of what it is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Message,
    Title,
    Profile,
    Goal,
    /// Has a layout of its own, without a signature.
    History,
}

impl Kind {
    const fn byte(self) -> u8 {
        match self {
            Self::Message => 1,
            Self::Title => 2,
            Self::Profile => 3,
            Self::Goal => 4,
            Self::History => 5,
        }
    }

    const fn frame_max(self) -> usize {
        match self {
            Self::Message => 258_048,
            Self::Title | Self::Profile | Self::Goal | Self::History => 3_968,
        }
    }
}

/// What a sealed record is bound to: it opens nowhere else.
#[derive(Clone, Copy)]
pub(crate) struct Address<'a> {
    pub(crate) kind: Kind,
    pub(crate) keys: &'a EpochKeys,
    pub(crate) participant: &'a ParticipantId,
    pub(crate) item: &'a [u8; 16],
}

impl Address<'_> {
    pub(crate) fn aad(&self) -> [u8; AAD_LEN] {
        let mut aad = [0; AAD_LEN];
        let parts: [&[u8]; 5] = [
            &[SEALED_VERSION, self.kind.byte()],
            self.keys.session_id().as_bytes(),
            &self.keys.epoch().to_be_bytes(),
            self.participant.as_bytes(),
            self.item,
        ];
        for (to, from) in aad.iter_mut().zip(parts.into_iter().flatten()) {
            *to = *from;
        }
        aad
    }

    fn signed_text(&self, aad: &[u8; AAD_LEN], rest: &[&[u8]]) -> Zeroizing<Vec<u8>> {
        let len = rest.iter().map(|part| part.len()).sum::<usize>();
        let mut text = Zeroizing::new(Vec::with_capacity(LABEL.len() + AAD_LEN + len));
        text.extend_from_slice(LABEL);
        text.extend_from_slice(aad);
        for part in rest {
            text.extend_from_slice(part);
        }
        text
    }
}

/// Signs and seals `rest`, given in parts that are joined. The signer is the participant of the address.
pub(crate) fn seal(
    kind: Kind,
    keys: &EpochKeys,
    me: &Identity,
    item: &[u8; 16],
    rest: &[&[u8]],
    nonce: Nonce,
) -> Result<Vec<u8>, Error> {
    let address = Address {
        kind,
        keys,
        participant: me.participant_id(),
        item,
    };
    seal_as(&address, |text| me.sign(text), rest, nonce)
}

/// As [`seal`], by any signer.
pub(crate) fn seal_as(
    address: &Address<'_>,
    sign: impl FnOnce(&[u8]) -> [u8; SIGNATURE_LEN],
    rest: &[&[u8]],
    nonce: Nonce,
) -> Result<Vec<u8>, Error> {
    let content_len = SIGNATURE_LEN + rest.iter().map(|part| part.len()).sum::<usize>();
    if LENGTH_LEN + content_len > address.kind.frame_max() {
        return Err(Error::TooLarge);
    }
    let length = u32::try_from(content_len).map_err(|_| Error::TooLarge)?;
    let frame_len = padded_len(LENGTH_LEN + content_len);
    let aad = address.aad();
    let signature = sign(&address.signed_text(&aad, rest));

    let mut frame = Zeroizing::new(Vec::with_capacity(frame_len));
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend_from_slice(&signature);
    for part in rest {
        frame.extend_from_slice(part);
    }
    frame.resize(frame_len, 0);
    let nonce = nonce.into_bytes();
    let tag = xseal(address.keys.content_key().expose(), &nonce, &aad, &mut frame);

    let mut sealed = Vec::with_capacity(frame_len + OVERHEAD);
    sealed.push(SEALED_VERSION);
    sealed.extend_from_slice(&nonce);
    sealed.extend_from_slice(&frame);
    sealed.extend_from_slice(&tag);
    Ok(sealed)
}

/// A record that opened, and whose signature was not looked at yet.
pub(crate) struct Unverified {
    signature: [u8; SIGNATURE_LEN],
    /// What the signature is over; the rest of the content is its end.
    text: Zeroizing<Vec<u8>>,
}

impl Unverified {
    /// The content behind the signature, from anybody who holds the content key.
    pub(crate) fn rest(&self) -> &[u8] {
        self.text.get(LABEL.len() + AAD_LEN..).unwrap_or_default()
    }

    pub(crate) fn is_signed_by(&self, key: &VerificationKey) -> bool {
        key.verifies(&self.text, &self.signature)
    }
}

/// The checks of every kind, up to the padding and the presence of a signature.
pub(crate) fn open_frame(address: &Address<'_>, sealed: &[u8]) -> Result<Unverified, Error> {
    let (version, body) = sealed.split_first().ok_or(Error::BlobTruncated)?;
    if *version != SEALED_VERSION {
        return Err(Error::VersionUnknown);
    }
    if sealed.len() < SEALED_MIN {
        return Err(Error::BlobTruncated);
    }
    if sealed.len() > OVERHEAD + address.kind.frame_max() {
        return Err(Error::TooLarge);
    }
    let (nonce, body) = body
        .split_first_chunk::<NONCE_LEN>()
        .ok_or(Error::BlobTruncated)?;
    let (ciphertext, tag) = body.split_last_chunk::<TAG_LEN>().ok_or(Error::BlobTruncated)?;

    let aad = address.aad();
    let mut frame = Zeroizing::new(ciphertext.to_vec());
    xopen(address.keys.content_key().expose(), nonce, &aad, &mut frame, tag)
        .map_err(|_| Error::AuthFailed)?;

    let content = content_of(&frame)?;
    let (signature, rest) = content
        .split_first_chunk::<SIGNATURE_LEN>()
        .ok_or(Error::BadSignature)?;
    Ok(Unverified {
        signature: *signature,
        text: address.signed_text(&aad, &[rest]),
    })
}

/// What stands in a frame, if it is laid out by the one rule.
fn content_of(frame: &[u8]) -> Result<&[u8], Error> {
    let (length, after) = frame.split_first_chunk::<LENGTH_LEN>().ok_or(Error::BadPadding)?;
    let length = usize::try_from(u32::from_be_bytes(*length)).map_err(|_| Error::BadPadding)?;
    let (content, padding) = after.split_at_checked(length).ok_or(Error::BadPadding)?;
    let by_the_rule = frame.len() == padded_len(LENGTH_LEN + length) && padding.iter().all(|byte| *byte == 0);
    if by_the_rule {
        Ok(content)
    } else {
        Err(Error::BadPadding)
    }
}

/// What is known of a record's author.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Author<'a> {
    /// From a valid profile, if one was seen.
    pub(crate) key: Option<&'a VerificationKey>,
    /// Whether a certificate of the record's epoch was seen.
    pub(crate) may_write: bool,
}

/// Opens a record of kind 1, 2 or 4 as far as its content, which [`Unverified::rest`] gives.
pub(crate) fn open_by(address: &Address<'_>, author: Author<'_>, sealed: &[u8]) -> Result<Unverified, Error> {
    let record = open_frame(address, sealed)?;
    let key = author.key.ok_or(Error::AuthorUnknown)?;
    if !record.is_signed_by(key) {
        return Err(Error::BadSignature);
    }
    if !author.may_write {
        return Err(Error::NotCertified);
    }
    Ok(record)
}

fn padded_len(len: usize) -> usize {
    // A length that no frame has is longer than every frame.
    u64::try_from(len)
        .ok()
        .and_then(|len| usize::try_from(padded(len)).ok())
        .unwrap_or(usize::MAX)
}
