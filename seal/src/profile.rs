//! Profiles: sealed records of kind 3, which bring a participant's keys, name and right to write
//! (`crypto.md` section 6.2).

use serde_json::Value;
use wire::encoding::{array_from_base64url, to_base64url};
use wire::ids::ParticipantId;

use crate::certificate;
use crate::error::Error;
use crate::identity::{Identity, PeerKeys};
use crate::json::{self, Object};
use crate::keys::EpochKeys;
use crate::random::Nonce;
use crate::record::{self, Address, Kind, NO_ITEM};
use crate::secret::LinkSecret;
use crate::signature::{SIGNATURE_LEN, VerificationKey};

/// A profile that opened.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Its keys, which fit its id.
    pub keys: PeerKeys,
    /// Whether its certificate gives the right to write in the epoch it was sealed for.
    pub may_write: bool,
    /// What it says of itself.
    pub claims: Claims,
}

/// What a participant says of itself: claims, not facts, and text by somebody else.
#[derive(Clone, PartialEq)]
pub struct Claims {
    /// The name. Not an identity.
    pub name: String,
    /// All members of the profile, known or not.
    pub members: Object,
}

impl std::fmt::Debug for Claims {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Claims")
    }
}

/// Seals a participant's own profile for an epoch, with a certificate if the keys are full ones.
///
/// `more` are further members beside `name`, `pk`, `vk` and `cert`, which it cannot replace.
///
/// # Errors
/// `too_large` above 3,900 bytes of JSON; `bad_content` when `more` is nested too deep.
pub fn seal(
    keys: &EpochKeys,
    me: &Identity,
    name: &str,
    more: Object,
    nonce: Nonce,
) -> Result<Vec<u8>, Error> {
    let own = me.public();
    let mut members = more;
    members.insert("name".to_owned(), Value::from(name));
    members.insert("pk".to_owned(), Value::from(to_base64url(&own.agreement)));
    members.insert(
        "vk".to_owned(),
        Value::from(to_base64url(own.verification.as_bytes())),
    );
    match certificate::make(keys, me.participant_id()) {
        Some(certificate) => members.insert("cert".to_owned(), Value::from(to_base64url(&certificate))),
        None => members.remove("cert"),
    };
    let text = Value::Object(members).to_string();
    json::produced(text.as_bytes())?;
    record::seal(Kind::Profile, keys, me, &NO_ITEM, &[text.as_bytes()], nonce)
}

/// As [`seal`], for a join request: with the secret of a link whose epoch record only the answer brings.
///
/// # Errors
/// As [`seal`].
pub fn seal_for_entry(
    epoch: u32,
    secret: &LinkSecret,
    me: &Identity,
    name: &str,
    more: Object,
    nonce: Nonce,
) -> Result<Vec<u8>, Error> {
    let keys = EpochKeys::for_entry(me.session_id(), epoch, secret);
    seal(&keys, me, name, more, nonce)
}

/// Opens a participant's profile, sealed under the epoch of `keys`.
///
/// # Errors
/// Those of opening (section 7), `bad_content`, `profile_key_mismatch`, `bad_signature`. A missing or wrong
/// certificate is none.
pub fn open(keys: &EpochKeys, owner: &ParticipantId, sealed: &[u8]) -> Result<Profile, Error> {
    let address = Address {
        kind: Kind::Profile,
        keys,
        participant: owner,
        item: &NO_ITEM,
    };
    let record = record::open_frame(&address, sealed)?;

    let members = json::object(record.rest())?;
    let name = json::string(&members, "name")?.to_owned();
    let own = PeerKeys {
        agreement: bytes_member(&members, "pk")?,
        verification: VerificationKey::from_bytes(bytes_member(&members, "vk")?),
    };
    let certificate: Option<[u8; SIGNATURE_LEN]> = members
        .contains_key("cert")
        .then(|| bytes_member(&members, "cert"))
        .transpose()?;

    if own.participant_id(keys.session_id()) != *owner {
        return Err(Error::ProfileKeyMismatch);
    }
    if !record.is_signed_by(&own.verification) {
        return Err(Error::BadSignature);
    }
    let may_write = certificate.is_some_and(|certificate| {
        certificate::verifies(
            keys.posting_key(),
            keys.session_id(),
            keys.epoch(),
            owner,
            &certificate,
        )
    });
    Ok(Profile {
        keys: own,
        may_write,
        claims: Claims { name, members },
    })
}

fn bytes_member<const N: usize>(members: &Object, name: &str) -> Result<[u8; N], Error> {
    array_from_base64url(json::string(members, name)?).map_err(|_| Error::BadContent)
}
