//! Epoch records of re-keys, and the requests that carry them. The plane can't tell sealed parts from random bytes.

use wire::api::Rekey;
use wire::encoding::Secret32;
use wire::epoch_record::{Entry, EntryCapability, EpochRecord, EpochType};
use wire::ids::SessionId;

use crate::fixture::{Link, Seat, random};

/// A record of type 1 that keeps these.
pub(crate) fn owner_record(link: &Link, owner: &Seat, keep: &[(&Seat, EntryCapability)]) -> EpochRecord {
    let mut record = link.record(owner.session, Some(owner.id), EpochType::OwnerRekey);
    record.entries = keep
        .iter()
        .map(|(seat, capability)| Entry {
            participant_id: seat.id,
            capability: *capability,
            enc: random(),
            ct: random(),
        })
        .collect();
    record.entries.sort_by_key(|entry| entry.participant_id);
    record
}

/// A re-key by the owner that keeps these with full links.
pub(crate) fn by_owner(link: &Link, owner: &Seat, keep: &[&Seat]) -> Rekey {
    let keep: Vec<_> = keep.iter().map(|seat| (*seat, EntryCapability::Full)).collect();
    request(&owner_record(link, owner, &keep), Some(owner.rejoin_secret))
}

/// A re-key by an administrator.
pub(crate) fn by_admin(link: &Link, session: SessionId) -> Rekey {
    request(&link.record(session, None, EpochType::AdminRekey), None)
}

/// A record on its way.
pub(crate) fn request(record: &EpochRecord, secret: Option<[u8; 32]>) -> Rekey {
    Rekey {
        epoch_record: record.to_bytes().into(),
        rejoin_secret: secret.map(Secret32::new),
    }
}

impl Seat {
    /// This seat with the link of another epoch, before it has returned.
    pub(crate) fn with_link(&self, link: Link) -> Self {
        Self {
            link,
            profile: crate::fixture::sealed(),
            ..self.clone()
        }
    }
}
