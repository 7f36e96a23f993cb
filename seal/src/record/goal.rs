//! Goals of proposals: sealed records of kind 4.

use serde_json::json;
use wire::ids::{ParticipantId, ProposalId};

use super::{Address, Kind, open_by, seal as seal_record};
use crate::error::Error;
use crate::identity::Identity;
use crate::json;
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
    let text = json!({ "goal": goal }).to_string();
    seal_record(Kind::Goal, keys, me, id.as_bytes(), &[text.as_bytes()], nonce)
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
    let address = Address {
        kind: Kind::Goal,
        keys,
        participant: author,
        item: id.as_bytes(),
    };
    read(open_by(&address, roster.author(author, keys.epoch()), sealed)?.rest())
}

/// The goal in its content.
pub(crate) fn read(rest: &[u8]) -> Result<String, Error> {
    json::string(&json::object(rest)?, "goal").map(str::to_owned)
}
