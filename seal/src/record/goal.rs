//! Goals of proposals: sealed records of kind 4.

use wire::ids::{ParticipantId, ProposalId};

use crate::error::Error;
use crate::identity::Identity;
use crate::keys::EpochKeys;
use crate::random::Nonce;
use crate::roster::Roster;

/// Seals and signs the goal of a proposal.
///
/// # Errors
/// `too_large` above 3,900 bytes of JSON.
pub fn seal(
    keys: &EpochKeys,
    me: &Identity,
    id: &ProposalId,
    goal: &str,
    nonce: Nonce,
) -> Result<Vec<u8>, Error> {
    todo!()
}

/// Opens the goal of a proposal by `author`, sealed under the epoch of `keys`.
///
/// # Errors
/// Those of section 7, in its order.
pub fn open(
    keys: &EpochKeys,
    author: &ParticipantId,
    id: &ProposalId,
    sealed: &[u8],
    roster: &Roster,
) -> Result<String, Error> {
    todo!()
}
