//! Creating a session's first epoch and re-keying (`crypto.md` section 10).

use wire::epoch_record::{Commitments, Entry, EntryCapability, EpochRecord, EpochType};
use wire::ids::{ParticipantId, SessionId};
use wire::sizes::EPOCH_ENTRIES_MAX;
use x25519_dalek::StaticSecret;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::history;
use crate::hpke::{self, Psk, x25519};
use crate::identity::{Identity, PeerKeys};
use crate::kdf::{Derived, hkdf};
use crate::keys::{EpochKeys, salt};
use crate::random::{Nonce, Unavailable};
use crate::secret::{EphemeralKey, FullSecret, LinkKind, LinkSecret};

const LABEL: &[u8] = b"devpilot-session v1 rekey";

/// An epoch record that this client made, with the keys it commits to.
#[derive(Debug)]
pub struct NewEpoch {
    /// The record's bytes, to be sent.
    pub record: Vec<u8>,
    /// The keys. Their secret goes to disk before the record is sent.
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

    /// With a chosen ephemeral key. For test vectors alone.
    #[cfg(feature = "hazmat")]
    pub const fn with_ephemeral(
        keys: PeerKeys,
        capability: EntryCapability,
        ephemeral: EphemeralKey,
    ) -> Self {
        Self {
            keys,
            capability,
            ephemeral,
        }
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

/// Who issues owner re-keys at the moment.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    /// The owner in force; none after an administrator re-key.
    pub id: Option<&'a ParticipantId>,
    /// Its keys, learned and kept at the join.
    pub keys: Option<&'a PeerKeys>,
}

/// One side of a re-key, with the key that seals or opens an entry.
#[derive(Clone, Copy)]
pub(crate) struct Party<'a> {
    pub(crate) id: &'a ParticipantId,
    pub(crate) agreement: &'a StaticSecret,
}

impl<'a> From<&'a Identity> for Party<'a> {
    fn from(me: &'a Identity) -> Self {
        Self {
            id: me.participant_id(),
            agreement: me.agreement(),
        }
    }
}

/// Whether an entry can be sealed to somebody at all. A profile may claim a key that gives the same secret with everybody.
///
/// # Errors
/// `bad_public_key`: whoever has this key can't be kept.
pub fn check_agreement(owner: &Identity, peer: &PeerKeys) -> Result<(), Error> {
    x25519(owner.agreement(), &peer.agreement).map(drop)
}

/// The first epoch of a session.
pub fn create(session: &SessionId, secret: FullSecret, owner: &ParticipantId) -> NewEpoch {
    let (keys, commitments) = EpochKeys::open_epoch(session, 1, secret);
    let record = header(EpochType::Creation, &keys, commitments, Some(*owner)).to_bytes();
    NewEpoch { record, keys }
}

/// An administrator re-key: the bare header of the epoch after `old_epoch`.
///
/// # Errors
/// `limit_reached` at the last epoch.
pub fn by_admin(session: &SessionId, old_epoch: u32, secret: FullSecret) -> Result<NewEpoch, Error> {
    let epoch = old_epoch.checked_add(1).ok_or(Error::LimitReached)?;
    let (keys, commitments) = EpochKeys::open_epoch(session, epoch, secret);
    let record = header(EpochType::AdminRekey, &keys, commitments, None).to_bytes();
    Ok(NewEpoch { record, keys })
}

/// An owner re-key: the next epoch after `old`, for those in `kept`, the owner included. Whoever is not listed is out.
///
/// # Errors
/// `limit_reached` above 256 entries or at the last epoch; `bad_public_key` when nothing can be sealed to somebody;
/// `epoch_record_malformed` when somebody is named twice.
pub fn by_owner(
    old: &EpochKeys,
    owner: &Identity,
    secret: FullSecret,
    kept: Vec<Kept>,
    history: History,
) -> Result<NewEpoch, Error> {
    make(old, owner.into(), secret, kept, history)
}

pub(crate) fn make(
    old: &EpochKeys,
    owner: Party<'_>,
    secret: FullSecret,
    kept: Vec<Kept>,
    history: History,
) -> Result<NewEpoch, Error> {
    let epoch = old
        .epoch()
        .checked_add(1)
        .filter(|_| kept.len() <= EPOCH_ENTRIES_MAX)
        .ok_or(Error::LimitReached)?;
    let (keys, commitments) = EpochKeys::open_epoch(old.session_id(), epoch, secret);
    let mut record = header(EpochType::OwnerRekey, &keys, commitments, Some(*owner.id));
    if let History::Open(nonce) = history {
        record.history = Some(history::seal(&keys, owner.id, old.view_secret(), nonce));
    }

    let mut kept: Vec<(ParticipantId, Kept)> = kept
        .into_iter()
        .map(|kept| (kept.keys.participant_id(old.session_id()), kept))
        .collect();
    kept.sort_by_key(|(id, _)| *id);
    let prefix = record.prefix(kept.len());
    for (id, kept) in &kept {
        record.entries.push(entry(old, &keys, owner, id, kept, &prefix)?);
    }
    let record = record.to_bytes();
    // Whoever takes part would refuse a record that keeps somebody twice; so does who makes it.
    EpochRecord::parse(&record)?;
    Ok(NewEpoch { record, keys })
}

fn entry(
    old: &EpochKeys,
    new: &EpochKeys,
    owner: Party<'_>,
    id: &ParticipantId,
    kept: &Kept,
    prefix: &[u8],
) -> Result<Entry, Error> {
    let kind = match kept.capability {
        EntryCapability::Full => LinkKind::Full,
        EntryCapability::View => LinkKind::View,
    };
    let secret = new.link_secret(kind).ok_or(Error::EpochRecordMalformed)?;
    let psk = psk(old, owner.agreement, &kept.keys.agreement)?;
    let (enc, sealed) = hpke::seal(
        &kept.keys.agreement,
        &[LABEL, prefix],
        &entry_aad(id, kept.capability),
        secret.expose(),
        &Psk {
            key: &psk,
            id: &psk_id(old.epoch()),
        },
        &kept.ephemeral,
    )?;
    let ct = sealed.try_into().map_err(|_| Error::EpochRecordMalformed)?;
    Ok(Entry {
        participant_id: *id,
        capability: kept.capability,
        enc,
        ct,
    })
}

/// Opens this participant's entry in an owner re-key that follows the epoch of `old`.
///
/// # Errors
/// In this order: `epoch_record_malformed` (another session), `epoch_order`, `rekey_not_owner`, `rekey_removed`,
/// `rekey_auth`, `verifier_mismatch`.
pub fn open(
    record: &EpochRecord,
    old: &EpochKeys,
    owner: Owner<'_>,
    me: &Identity,
) -> Result<EpochKeys, Error> {
    open_entry(record, old, owner, me.into())
}

pub(crate) fn open_entry(
    record: &EpochRecord,
    old: &EpochKeys,
    owner: Owner<'_>,
    me: Party<'_>,
) -> Result<EpochKeys, Error> {
    if record.session_id != *old.session_id() {
        return Err(Error::EpochRecordMalformed);
    }
    if Some(record.epoch) != old.epoch().checked_add(1) {
        return Err(Error::EpochOrder);
    }
    let owner = owner_keys(record, owner).ok_or(Error::RekeyNotOwner)?;
    let entry = record.entry(me.id).ok_or(Error::RekeyRemoved)?;

    let psk = psk(old, me.agreement, &owner.agreement).map_err(|_| Error::RekeyAuth)?;
    let secret = hpke::open(
        me.agreement,
        &entry.enc,
        &[LABEL, &record.prefix(record.entries.len())],
        &entry_aad(me.id, entry.capability),
        &entry.ct,
        &Psk {
            key: &psk,
            id: &psk_id(old.epoch()),
        },
    )
    .map_err(|_| Error::RekeyAuth)?;
    let secret = Zeroizing::new(<[u8; 32]>::try_from(secret.as_slice()).map_err(|_| Error::RekeyAuth)?);
    let kind = match entry.capability {
        EntryCapability::Full => LinkKind::Full,
        EntryCapability::View => LinkKind::View,
    };
    EpochKeys::check(record, LinkSecret::from_bytes(kind, *secret))
}

/// The owner's keys, if this is an owner re-key by the owner in force and the keys are its own.
fn owner_keys<'a>(record: &EpochRecord, owner: Owner<'a>) -> Option<&'a PeerKeys> {
    let keys = owner.keys?;
    let by_owner = record.epoch_type == EpochType::OwnerRekey
        && record.owner.as_ref() == owner.id
        && Some(keys.participant_id(&record.session_id)) == record.owner;
    by_owner.then_some(keys)
}

fn header(
    epoch_type: EpochType,
    keys: &EpochKeys,
    commitments: Commitments,
    owner: Option<ParticipantId>,
) -> EpochRecord {
    EpochRecord {
        epoch_type,
        session_id: *keys.session_id(),
        epoch: keys.epoch(),
        commitments,
        owner,
        history: None,
        entries: Vec::new(),
    }
}

/// The same on both sides, since X25519 is symmetric: from the old view secret and the long-term keys of both.
pub(crate) fn psk(old: &EpochKeys, own: &StaticSecret, peer: &[u8; 32]) -> Result<Derived, Error> {
    let shared = x25519(own, peer)?;
    let mut ikm = Zeroizing::new([0; 64]);
    for (to, from) in ikm
        .iter_mut()
        .zip(old.view_secret().expose().iter().chain(shared.as_bytes()))
    {
        *to = *from;
    }
    Ok(hkdf(&salt(old.session_id(), old.epoch()), &ikm[..], &[LABEL]))
}

pub(crate) fn psk_id(old_epoch: u32) -> Vec<u8> {
    let label: &[u8] = b"devpilot-session v1 epoch";
    [label, &old_epoch.to_be_bytes()].concat()
}

fn entry_aad(id: &ParticipantId, capability: EntryCapability) -> Vec<u8> {
    [&id.as_bytes()[..], &[capability.byte()]].concat()
}
