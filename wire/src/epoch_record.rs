//! The epoch record's layout (`crypto.md` section 10.1): parsed and built without keys.

use crate::ids::{ParticipantId, SessionId};
use crate::sizes::EPOCH_ENTRIES_MAX;

/// Bytes before the history block.
pub const HEADER_LEN: usize = 169;
/// Bytes of a history block.
pub const HISTORY_LEN: usize = 72;
/// Bytes of one entry.
pub const ENTRY_LEN: usize = 97;
/// The longest record.
pub const RECORD_MAX: usize = HEADER_LEN + HISTORY_LEN + ENTRY_LEN * EPOCH_ENTRIES_MAX;

const VERSION: u8 = 1;
const NO_ID: [u8; 16] = [0; 16];

/// The bytes are no epoch record: `epoch_record_malformed` of `crypto.md` section 14.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("epoch_record_malformed")]
pub struct Malformed;

/// Who opened the epoch, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EpochType {
    /// 0: the session's creation.
    Creation,
    /// 1: a re-key by the owner participant; those listed stay.
    OwnerRekey,
    /// 2: a re-key by an administrator; everybody needs the new link.
    AdminRekey,
}

impl EpochType {
    const fn byte(self) -> u8 {
        match self {
            Self::Creation => 0,
            Self::OwnerRekey => 1,
            Self::AdminRekey => 2,
        }
    }

    const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Creation),
            1 => Some(Self::OwnerRekey),
            2 => Some(Self::AdminRekey),
            _ => None,
        }
    }
}

/// What a kept participant was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryCapability {
    /// 1: the full secret.
    Full,
    /// 2: the view secret.
    View,
}

impl EntryCapability {
    /// The byte in an entry, and in the associated data that seals it.
    pub const fn byte(self) -> u8 {
        match self {
            Self::Full => 1,
            Self::View => 2,
        }
    }

    const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Full),
            2 => Some(Self::View),
            _ => None,
        }
    }
}

/// The four public values that commit an epoch to its secret (`crypto.md` section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commitments {
    /// SHA-256 of the full proof.
    pub full_verifier: [u8; 32],
    /// SHA-256 of the view proof.
    pub view_verifier: [u8; 32],
    /// The Ed25519 key whose signature is the right to write in this epoch.
    pub posting_key: [u8; 32],
    /// The opening, masked with a key made from the view secret.
    pub masked_opening: [u8; 32],
}

/// One participant that stays, with the sealed secret for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Who stays.
    pub participant_id: ParticipantId,
    /// With which capability.
    pub capability: EntryCapability,
    /// The HPKE encapsulated key.
    pub enc: [u8; 32],
    /// The HPKE ciphertext: 32 bytes and a tag.
    pub ct: [u8; 48],
}

/// A parsed epoch record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpochRecord {
    /// Who opened the epoch, and how.
    pub epoch_type: EpochType,
    /// The session.
    pub session_id: SessionId,
    /// The epoch it opens, from 1.
    pub epoch: u32,
    /// What commits the epoch to its secret.
    pub commitments: Commitments,
    /// The owner participant; none after an administrator re-key.
    pub owner: Option<ParticipantId>,
    /// The history block, nonce and ciphertext, where the epoch before may be read.
    pub history: Option<[u8; HISTORY_LEN]>,
    /// Who stays, ascending by id.
    pub entries: Vec<Entry>,
}

impl EpochRecord {
    /// Parses the bytes and checks everything that needs no key.
    ///
    /// # Errors
    /// [`Malformed`] for each case listed in `crypto.md` section 10.1.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut input = Input(bytes);
        let [version, epoch_type] = input.take()?;
        let epoch_type = EpochType::from_byte(epoch_type).ok_or(Malformed)?;
        let session_id = SessionId::from_bytes(input.take()?);
        let epoch = u32::from_be_bytes(input.take()?);
        let commitments = Commitments {
            full_verifier: input.take()?,
            view_verifier: input.take()?,
            posting_key: input.take()?,
            masked_opening: input.take()?,
        };
        let owner: [u8; 16] = input.take()?;
        let [history] = input.take()?;
        let count = usize::from(u16::from_be_bytes(input.take()?));
        let history = match history {
            0 => None,
            1 => Some(input.take()?),
            _ => return Err(Malformed),
        };
        let shape = version == VERSION
            && epoch != 0
            && (epoch_type == EpochType::Creation) == (epoch == 1)
            && (owner == NO_ID) == (epoch_type == EpochType::AdminRekey)
            && (epoch_type == EpochType::OwnerRekey || (history.is_none() && count == 0))
            && count <= EPOCH_ENTRIES_MAX
            && input.0.len() == count * ENTRY_LEN;
        if !shape {
            return Err(Malformed);
        }
        let mut entries = Vec::with_capacity(count);
        let mut last = NO_ID;
        while !input.0.is_empty() {
            let id: [u8; 16] = input.take()?;
            let [capability] = input.take()?;
            if id <= last {
                return Err(Malformed);
            }
            last = id;
            entries.push(Entry {
                participant_id: ParticipantId::from_bytes(id),
                capability: EntryCapability::from_byte(capability).ok_or(Malformed)?,
                enc: input.take()?,
                ct: input.take()?,
            });
        }
        Ok(Self {
            epoch_type,
            session_id,
            epoch,
            commitments,
            owner: (owner != NO_ID).then(|| ParticipantId::from_bytes(owner)),
            history,
            entries,
        })
    }

    /// The bytes of this record. `parse` takes them back if the fields keep the rules.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.prefix(self.entries.len());
        for entry in &self.entries {
            out.extend_from_slice(entry.participant_id.as_bytes());
            out.push(entry.capability.byte());
            out.extend_from_slice(&entry.enc);
            out.extend_from_slice(&entry.ct);
        }
        out
    }

    /// The bytes up to the first entry, for a record of `count` entries: what each entry is bound to
    /// (`crypto.md` section 10.2).
    pub fn prefix(&self, count: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_LEN + HISTORY_LEN + ENTRY_LEN * count);
        out.extend_from_slice(&[VERSION, self.epoch_type.byte()]);
        out.extend_from_slice(self.session_id.as_bytes());
        out.extend_from_slice(&self.epoch.to_be_bytes());
        out.extend_from_slice(&self.commitments.full_verifier);
        out.extend_from_slice(&self.commitments.view_verifier);
        out.extend_from_slice(&self.commitments.posting_key);
        out.extend_from_slice(&self.commitments.masked_opening);
        let owner: &[u8; 16] = self.owner.as_ref().map_or(&NO_ID, ParticipantId::as_bytes);
        out.extend_from_slice(owner);
        out.push(u8::from(self.history.is_some()));
        out.extend_from_slice(&u16::try_from(count).unwrap_or(u16::MAX).to_be_bytes());
        if let Some(history) = &self.history {
            out.extend_from_slice(history);
        }
        out
    }

    /// The entry of a participant, if it stays.
    pub fn entry(&self, id: &ParticipantId) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.participant_id == *id)
    }
}

struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*head)
    }
}
