//! Creating a session's first epoch and re-keying (`crypto.md` section 10).

use wire::epoch_record::{EntryCapability, EpochRecord};
use wire::ids::{ParticipantId, SessionId};

use crate::error::Error;
use crate::identity::{Identity, PeerKeys};
use crate::keys::EpochKeys;
use crate::random::{Nonce, Unavailable};
use crate::secret::{EphemeralKey, FullSecret};

/// An epoch record that this client made, with the keys it commits to.
#[derive(Debug)]
pub struct NewEpoch {
    /// The record's bytes, to be sent.
    pub record: Vec<u8>,
    /// The keys. Write them to disk before sending.
    pub keys: EpochKeys,
}

/// Somebody who stays in an owner re-key.
#[derive(Debug)]
pub struct Kept {
    keys: PeerKeys,
    capability: EntryCapability,
    ephemeral: EphemeralKey,
}

impl Kept {
    /// Names somebody, by the keys of a checked profile, and what it is given.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub fn new(keys: PeerKeys, capability: EntryCapability) -> Result<Self, Unavailable> {
        Ok(Self {
            keys,
            capability,
            ephemeral: EphemeralKey::random()?,
        })
    }
}

/// Whether the new link opens what came before.
#[derive(Debug)]
pub enum History {
    /// Holders of the new link read the epoch before, and on back as far as it goes. The default.
    Open(Nonce),
    /// They do not.
    Closed,
}

/// The first epoch of a session.
pub fn create(session: &SessionId, secret: FullSecret, owner: &ParticipantId) -> NewEpoch {
    todo!()
}

/// An owner re-key: the next epoch after `old`, for those in `kept`, the owner included. Whoever is not listed is out.
///
/// # Errors
/// `limit_reached` above 256 entries or at the last epoch; `bad_public_key` when nothing can be sealed to somebody;
/// `bad_record` when somebody is named twice.
pub fn by_owner(
    old: &EpochKeys,
    owner: &Identity,
    secret: FullSecret,
    kept: Vec<Kept>,
    history: History,
) -> Result<NewEpoch, Error> {
    todo!()
}

/// An administrator re-key: the bare header of the epoch after `old_epoch`.
///
/// # Errors
/// `limit_reached` at the last epoch.
pub fn by_admin(session: &SessionId, old_epoch: u32, secret: FullSecret) -> Result<NewEpoch, Error> {
    todo!()
}

/// Who issues owner re-keys at the moment.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    /// The owner in force; none after an administrator re-key.
    pub id: Option<&'a ParticipantId>,
    /// Its keys, learned and kept at the join.
    pub keys: Option<&'a PeerKeys>,
}

/// Opens this participant's entry in an owner re-key that follows the epoch of `old`.
///
/// # Errors
/// In this order: `epoch_record_malformed`, `epoch_order`, `rekey_not_owner`, `rekey_removed`, `rekey_auth`,
/// `verifier_mismatch`.
pub fn open(
    record: &EpochRecord,
    old: &EpochKeys,
    owner: Owner<'_>,
    me: &Identity,
) -> Result<EpochKeys, Error> {
    todo!()
}
