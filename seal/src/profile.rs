//! Profiles: sealed records of kind 3, which bring a participant's keys, name and right to write
//! (`crypto.md` section 6.2).

use wire::ids::ParticipantId;

use crate::error::Error;
use crate::identity::{Identity, PeerKeys};
use crate::json::Object;
use crate::keys::EpochKeys;
use crate::random::Nonce;

/// A profile that opened.
#[derive(Debug, Clone)]
pub struct Profile {
    /// The name it claims. A claim, not an identity; text by somebody else.
    pub name: String,
    /// Its keys, which fit its id.
    pub keys: PeerKeys,
    /// Whether its certificate gives the right to write in the epoch it was sealed for.
    pub may_write: bool,
    /// All members, known or not. Claims as well.
    pub members: Object,
}

/// Seals a participant's own profile for an epoch, with a certificate if the keys are full ones.
///
/// `more` are further members beside `name`, `pk`, `vk` and `cert`, which it cannot replace.
///
/// # Errors
/// `too_large`, `bad_content` as [`crate::json::produced`].
pub fn seal(
    keys: &EpochKeys,
    me: &Identity,
    name: &str,
    more: Object,
    nonce: Nonce,
) -> Result<Vec<u8>, Error> {
    todo!()
}

/// Opens a participant's profile, sealed under the epoch of `keys`.
///
/// # Errors
/// Those of opening (section 7), `bad_content`, `profile_key_mismatch`, `bad_signature`. A missing or wrong
/// certificate is none.
pub fn open(keys: &EpochKeys, owner: &ParticipantId, sealed: &[u8]) -> Result<Profile, Error> {
    todo!()
}
