//! Who owns a session, through its epoch records (`crypto.md` sections 9.3, step 4, and 10.1): its creator, until an
//! administrator re-keys; nobody after that.

use wire::epoch_record::{EpochRecord, EpochType};
use wire::ids::ParticipantId;

use crate::Error;

/// The owner in force once `record` is, where `owner` was in force before it.
///
/// # Errors
/// `rekey_not_owner`: an owner re-key by another than the owner in force.
pub fn owner_after(
    owner: Option<&ParticipantId>,
    record: &EpochRecord,
) -> Result<Option<ParticipantId>, Error> {
    if record.epoch_type == EpochType::OwnerRekey && (owner.is_none() || record.owner.as_ref() != owner) {
        return Err(Error::RekeyNotOwner);
    }
    Ok(record.owner)
}

/// The owner in force after all of `records`: from the first epoch on, ascending, none left out, as a plane gives them on
/// joining.
///
/// # Errors
/// `epoch_order`: one is missing or out of place; `rekey_not_owner`.
pub fn owner_in_force(records: &[EpochRecord]) -> Result<Option<ParticipantId>, Error> {
    let mut owner = None;
    for (epoch, record) in (1..).zip(records) {
        if record.epoch != epoch {
            return Err(Error::EpochOrder);
        }
        owner = owner_after(owner.as_ref(), record)?;
    }
    Ok(owner)
}
