//! Who owns a session, through its epoch records.

use seal::Error;
use seal::keys::EpochKeys;
use seal::succession::owner_in_force;
use wire::epoch_record::{EpochRecord, EpochType};
use wire::ids::{ParticipantId, SessionId};

use seal::secret::FullSecret;

const ANA: ParticipantId = ParticipantId::from_bytes([1; 16]);
const EVE: ParticipantId = ParticipantId::from_bytes([2; 16]);

fn record(epoch: u32, epoch_type: EpochType, owner: Option<ParticipantId>) -> EpochRecord {
    let session = SessionId::from_bytes([7; 16]);
    let (_, commitments) = EpochKeys::open_epoch(&session, epoch, FullSecret::random().unwrap());
    EpochRecord {
        epoch_type,
        session_id: session,
        epoch,
        commitments,
        owner,
        history: None,
        entries: Vec::new(),
    }
}

fn created() -> EpochRecord {
    record(1, EpochType::Creation, Some(ANA))
}

fn rekeyed(epoch: u32, owner: ParticipantId) -> EpochRecord {
    record(epoch, EpochType::OwnerRekey, Some(owner))
}

fn by_admin(epoch: u32) -> EpochRecord {
    record(epoch, EpochType::AdminRekey, None)
}

#[test]
fn the_creator_owns_it_until_an_administrator_re_keys() {
    assert_eq!(owner_in_force(&[created()]), Ok(Some(ANA)));
    assert_eq!(owner_in_force(&[created(), rekeyed(2, ANA)]), Ok(Some(ANA)));
    assert_eq!(
        owner_in_force(&[created(), rekeyed(2, ANA), by_admin(3)]),
        Ok(None)
    );
    assert_eq!(owner_in_force(&[created(), by_admin(2), by_admin(3)]), Ok(None));
}

#[test]
fn nobody_becomes_the_owner_by_a_re_key() {
    let by_eve = [created(), rekeyed(2, EVE)];
    assert_eq!(owner_in_force(&by_eve), Err(Error::RekeyNotOwner));
    for who in [ANA, EVE] {
        let after_admin = [created(), by_admin(2), rekeyed(3, who)];
        assert_eq!(owner_in_force(&after_admin), Err(Error::RekeyNotOwner));
    }
}

#[test]
fn none_may_be_missing() {
    assert_eq!(owner_in_force(&[rekeyed(2, ANA)]), Err(Error::EpochOrder));
    assert_eq!(owner_in_force(&[created(), by_admin(3)]), Err(Error::EpochOrder));
    assert_eq!(owner_in_force(&[created(), created()]), Err(Error::EpochOrder));
}
