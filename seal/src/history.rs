//! History blocks: the view secret of the epoch before, for holders of the new link (`crypto.md` section 10.3).

use std::collections::BTreeMap;

use wire::epoch_record::{EpochRecord, HISTORY_LEN};
use wire::ids::ParticipantId;
use zeroize::Zeroizing;

use crate::cipher::{TAG_LEN, xopen, xseal};
use crate::error::Error;
use crate::keys::{EpochKeys, Keyring};
use crate::random::{NONCE_LEN, Nonce};
use crate::record::{Address, Kind, NO_ITEM};
use crate::secret::{LinkKind, LinkSecret, ViewSecret};

/// Seals the view secret of the epoch before under the new epoch's keys.
pub(crate) fn seal(
    keys: &EpochKeys,
    owner: &ParticipantId,
    before: &ViewSecret,
    nonce: Nonce,
) -> [u8; HISTORY_LEN] {
    let aad = Address {
        kind: Kind::History,
        keys,
        participant: owner,
        item: &NO_ITEM,
    }
    .aad();
    let nonce = nonce.into_bytes();
    let mut secret = Zeroizing::new(*before.expose());
    let tag = xseal(keys.content_key().expose(), &nonce, &aad, &mut secret[..]);
    let mut block = [0; HISTORY_LEN];
    for (to, from) in block
        .iter_mut()
        .zip(nonce.iter().chain(secret.iter()).chain(&tag))
    {
        *to = *from;
    }
    block
}

/// Opens the block of `record`, whose keys are `keys`, against the record of the epoch before.
///
/// # Errors
/// `history_closed` without a block; `auth_failed`; `verifier_mismatch` when `keys` are not those of `record`, or the
/// secret is not that of `previous`.
pub fn open(record: &EpochRecord, keys: &EpochKeys, previous: &EpochRecord) -> Result<EpochKeys, Error> {
    let (Some(block), Some(owner)) = (&record.history, &record.owner) else {
        return Err(Error::HistoryClosed);
    };
    keys.check_record(record)?;
    let aad = Address {
        kind: Kind::History,
        keys,
        participant: owner,
        item: &NO_ITEM,
    }
    .aad();
    let (nonce, rest) = block.split_first_chunk::<NONCE_LEN>().ok_or(Error::AuthFailed)?;
    let (sealed, tag) = rest.split_last_chunk::<TAG_LEN>().ok_or(Error::AuthFailed)?;
    let mut secret = Zeroizing::new(<[u8; 32]>::try_from(sealed).map_err(|_| Error::AuthFailed)?);
    xopen(keys.content_key().expose(), nonce, &aad, &mut secret[..], tag).map_err(|_| Error::AuthFailed)?;
    EpochKeys::check(previous, LinkSecret::from_bytes(LinkKind::View, *secret))
}

/// Goes back from every epoch in the keyring as far as history blocks allow, and adds the keys.
///
/// `records` are all epoch records at hand, in any order.
///
/// # Errors
/// `auth_failed`, `verifier_mismatch`. A closed block, or a record that is not at hand, just ends the way.
pub fn open_all(keys: &mut Keyring, records: &[EpochRecord]) -> Result<(), Error> {
    let by_epoch: BTreeMap<u32, &EpochRecord> = records.iter().map(|record| (record.epoch, record)).collect();
    // Descending, so that a secret which a block gave opens the next one back.
    for (epoch, record) in by_epoch.iter().rev() {
        let before = epoch.saturating_sub(1);
        let (Some(held), None, Some(previous)) = (keys.get(*epoch), keys.get(before), by_epoch.get(&before))
        else {
            continue;
        };
        match open(record, held, previous) {
            Ok(opened) => keys.insert(opened),
            Err(Error::HistoryClosed) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
