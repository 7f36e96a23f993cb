//! Titles: sealed records of kind 2.

use wire::ids::ParticipantId;

use crate::error::Error;
use crate::identity::Identity;
use crate::keys::EpochKeys;
use crate::random::Nonce;
use crate::roster::Roster;

/// Seals and signs a title.
///
/// # Errors
/// `too_large` above 3,900 bytes of JSON.
pub fn seal(keys: &EpochKeys, me: &Identity, title: &str, nonce: Nonce) -> Result<Vec<u8>, Error> {
    todo!()
}

/// Opens the title that `author` set under the epoch of `keys`.
///
/// # Errors
/// Those of section 7, in its order.
pub fn open(
    keys: &EpochKeys,
    author: &ParticipantId,
    sealed: &[u8],
    roster: &Roster,
) -> Result<String, Error> {
    todo!()
}
