//! Titles: sealed records of kind 2.

use serde_json::json;
use wire::ids::ParticipantId;

use super::{Address, Kind, NO_ITEM, open_by, seal as seal_record};
use crate::error::Error;
use crate::identity::Identity;
use crate::json;
use crate::keys::EpochKeys;
use crate::random::Nonce;
use crate::roster::Roster;

/// Seals and signs a title.
///
/// # Errors
/// `too_large` above 3,900 bytes of JSON.
pub fn seal(keys: &EpochKeys, me: &Identity, title: &str, nonce: Nonce) -> Result<Vec<u8>, Error> {
    let text = json!({ "title": title }).to_string();
    seal_record(Kind::Title, keys, me, &NO_ITEM, &[text.as_bytes()], nonce)
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
    let address = Address {
        kind: Kind::Title,
        keys,
        participant: author,
        item: &NO_ITEM,
    };
    read(open_by(&address, roster.author(author, keys.epoch()), sealed)?.rest())
}

/// The title in its content.
pub(crate) fn read(rest: &[u8]) -> Result<String, Error> {
    json::string(&json::object(rest)?, "title").map(str::to_owned)
}
