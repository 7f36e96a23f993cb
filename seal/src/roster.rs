//! What was learned of participants from valid profiles: keys for good, rights by epoch, names as claims
//! (`crypto.md` section 6.2).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use wire::encoding::Bytes32;
use wire::ids::{ParticipantId, SessionId};

use crate::error::Error;
use crate::identity::PeerKeys;
use crate::json::Object;
use crate::keys::Keyring;
use crate::profile::{self, Claims};
use crate::record::Author;
use crate::signature::VerificationKey;

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
    /// The epoch of the newest profile learned, which made the claims.
    pub epoch: u32,
    /// What it says of itself.
    pub claims: Claims,
}

/// Everybody whose profile opened, in one session.
#[derive(Debug, Clone)]
pub struct Roster {
    session_id: SessionId,
    known: BTreeMap<ParticipantId, Known>,
}

/// One participant in the state file. Holds names: for a file of its owner alone.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownState {
    /// Who.
    pub participant_id: ParticipantId,
    /// `pk`.
    pub agreement: Bytes32,
    /// `vk`.
    pub verification: Bytes32,
    /// The epochs it may write in.
    pub may_write: BTreeSet<u32>,
    /// The epoch of the newest profile learned.
    pub epoch: u32,
    /// The name it claims.
    pub name: String,
    /// All members of that profile.
    pub members: Object,
}

impl std::fmt::Debug for KnownState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KnownState({})", self.participant_id)
    }
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
        let mut roster = Self::new(session);
        for state in state {
            let keys = PeerKeys {
                agreement: state.agreement.0,
                verification: VerificationKey::from_bytes(state.verification.0),
            };
            if keys.participant_id(&session) != state.participant_id {
                return Err(Error::ProfileKeyMismatch);
            }
            let known = Known {
                keys,
                may_write: state.may_write,
                epoch: state.epoch,
                claims: Claims {
                    name: state.name,
                    members: state.members,
                },
            };
            roster.known.insert(state.participant_id, known);
        }
        Ok(roster)
    }

    /// For the state file.
    pub fn to_state(&self) -> Vec<KnownState> {
        let state = |(id, known): (&ParticipantId, &Known)| KnownState {
            participant_id: *id,
            agreement: Bytes32(known.keys.agreement),
            verification: Bytes32(*known.keys.verification.as_bytes()),
            may_write: known.may_write.clone(),
            epoch: known.epoch,
            name: known.claims.name.clone(),
            members: known.claims.members.clone(),
        };
        self.known.iter().map(state).collect()
    }

    /// The session.
    pub const fn session_id(&self) -> &SessionId {
        &self.session_id
    }

    /// Takes in a participant's profile, wherever it comes from: `joined` events, `GET participants`, one's own.
    ///
    /// A later profile without a certificate takes no right away.
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
        let Some(keys) = keys
            .get(epoch)
            .filter(|keys| *keys.session_id() == self.session_id)
        else {
            return Ok(Learned::NoKey);
        };
        let profile = profile::open(keys, participant, sealed)?;
        let known = self.known.entry(*participant).or_insert_with(|| Known {
            keys: profile.keys,
            may_write: BTreeSet::new(),
            epoch,
            claims: profile.claims.clone(),
        });
        if epoch >= known.epoch {
            known.epoch = epoch;
            known.claims = profile.claims;
        }
        if profile.may_write {
            known.may_write.insert(epoch);
            return Ok(Learned::MayWrite);
        }
        Ok(Learned::MayRead)
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

    pub(crate) fn author(&self, participant: &ParticipantId, epoch: u32) -> Author<'_> {
        Author {
            key: self.get(participant).map(|known| &known.keys.verification),
            may_write: self.may_write(participant, epoch),
        }
    }
}
