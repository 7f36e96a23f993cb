//! History blocks: the view secret of the epoch before, for holders of the new link (`crypto.md` section 10.3).

use wire::epoch_record::EpochRecord;

use crate::error::Error;
use crate::keys::{EpochKeys, Keyring};

/// Opens the block of `record`, whose keys are `keys`, against the record of the epoch before.
///
/// # Errors
/// `history_closed` without a block; `auth_failed`; `verifier_mismatch` when the secret is not that of `previous`.
pub fn open(record: &EpochRecord, keys: &EpochKeys, previous: &EpochRecord) -> Result<EpochKeys, Error> {
    todo!()
}

/// Goes back from every epoch in the keyring as far as history blocks allow, and adds the keys.
///
/// `records` are all epoch records at hand, in any order.
///
/// # Errors
/// `auth_failed`, `verifier_mismatch`. A closed block, or a record that is not at hand, just ends the way.
pub fn open_all(keys: &mut Keyring, records: &[EpochRecord]) -> Result<(), Error> {
    todo!()
}
