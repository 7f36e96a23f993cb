//! What was learned of participants from valid profiles: keys for good, rights by epoch, names as claims
//! (`crypto.md` section 6.2).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use wire::ids::{ParticipantId, SessionId};

use crate::error::Error;
use crate::identity::PeerKeys;
use crate::json::Object;
use crate::keys::Keyring;

/// What a profile yielded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learned {
    /// Keys, and the right to write in its epoch.
    MayWrite,
    /// Keys alone.
    MayRead,
    /// Nothing: the keys of its epoch are not held.
    NoKey,
}

/// One participant, as far as it is known.
#[derive(Debug, Clone)]
pub struct Known {
    /// Its keys.
    pub keys: PeerKeys,
    /// The epochs it may write in.
    pub may_write: BTreeSet<u32>,
    /// The epoch of the newest profile learned, whose claims these are.
    pub epoch: u32,
    /// The name it claims; text by somebody else.
    pub name: String,
    /// All members of that profile; claims as well.
    pub members: Object,
}

/// Everybody whose profile opened, in one session.
#[derive(Debug, Clone)]
pub struct Roster {
    session_id: SessionId,
    known: BTreeMap<ParticipantId, Known>,
}

/// One participant in the state file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KnownState {
    /// Who.
    pub participant_id: ParticipantId,
    /// `pk`.
    pub agreement: wire::encoding::Bytes32,
    /// `vk`.
    pub verification: wire::encoding::Bytes32,
    /// The epochs it may write in.
    pub may_write: BTreeSet<u32>,
    /// The epoch of the newest profile learned.
    pub epoch: u32,
    /// The name it claims.
    pub name: String,
    /// All members of that profile.
    pub members: Object,
}

impl Roster {
    /// An empty one.
    pub const fn new(session: SessionId) -> Self {
        Self {
            session_id: session,
            known: BTreeMap::new(),
        }
    }

    /// From the state file.
    ///
    /// # Errors
    /// `profile_key_mismatch` when keys do not fit their id: the file was changed.
    pub fn from_state(session: SessionId, state: Vec<KnownState>) -> Result<Self, Error> {
        todo!()
    }

    /// For the state file.
    pub fn to_state(&self) -> Vec<KnownState> {
        todo!()
    }

    /// Takes in a participant's profile, wherever it comes from.
    ///
    /// # Errors
    /// Those of [`crate::profile::open`]; nothing was learned then.
    pub fn learn(
        &mut self,
        keys: &Keyring,
        participant: &ParticipantId,
        epoch: u32,
        sealed: &[u8],
    ) -> Result<Learned, Error> {
        todo!()
    }

    /// A participant, if a valid profile of it was seen.
    pub fn get(&self, participant: &ParticipantId) -> Option<&Known> {
        self.known.get(participant)
    }

    /// Whether a participant may write in an epoch.
    pub fn may_write(&self, participant: &ParticipantId, epoch: u32) -> bool {
        self.get(participant)
            .is_some_and(|known| known.may_write.contains(&epoch))
    }

    /// Everybody, ascending by id.
    pub fn iter(&self) -> impl Iterator<Item = (&ParticipantId, &Known)> {
        self.known.iter()
    }
}
