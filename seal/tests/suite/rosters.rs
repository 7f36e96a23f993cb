//! What is learned of participants, and what a later profile changes (`crypto.md` section 6.2).

use seal::Error;
use seal::identity::Identity;
use seal::json::Object;
use seal::keys::{EpochKeys, Keyring};
use seal::profile;
use seal::random::{self, Nonce};
use seal::rekey;
use seal::roster::{Learned, Roster};
use seal::secret::FullSecret;

use crate::world::session;

fn sealed(keys: &EpochKeys, me: &Identity, name: &str) -> Vec<u8> {
    profile::seal(keys, me, name, Object::new(), Nonce::random().unwrap()).unwrap()
}

#[test]
fn claims_are_those_of_the_newest_epoch_and_rights_are_kept() {
    let (plane, owner) = session();
    let (id, first) = (owner.id(), owner.keys.get(1).unwrap());
    let second = rekey::by_admin(&plane.session, 1, FullSecret::random().unwrap())
        .unwrap()
        .keys;
    let (old, new) = (sealed(first, &owner.me, "old"), sealed(&second, &owner.me, "new"));
    let second = second.without_full_secret();
    let (newest, later) = (
        sealed(&second, &owner.me, "newest"),
        sealed(&second, &owner.me, "and no right"),
    );
    let mut keys = owner.keys;
    keys.insert(second);

    let mut roster = Roster::new(plane.session);
    assert_eq!(roster.learn(&keys, &id, 2, &new), Ok(Learned::MayWrite));
    assert_eq!(roster.learn(&keys, &id, 2, &newest), Ok(Learned::MayRead));
    assert_eq!(roster.get(&id).unwrap().claims.name, "newest");
    // Served late: a right for its own epoch, and no older name.
    assert_eq!(roster.learn(&keys, &id, 1, &old), Ok(Learned::MayWrite));
    assert_eq!(roster.get(&id).unwrap().claims.name, "newest");
    assert_eq!(roster.learn(&keys, &id, 2, &later), Ok(Learned::MayRead));
    assert!(roster.may_write(&id, 1) && roster.may_write(&id, 2) && !roster.may_write(&id, 3));
}

#[test]
fn nothing_is_learned_without_the_key_or_from_a_profile_that_does_not_open() {
    let (plane, owner) = session();
    let id = owner.id();
    let profile = sealed(owner.keys.get(1).unwrap(), &owner.me, "me");
    let mut roster = Roster::new(plane.session);
    assert_eq!(
        roster.learn(&Keyring::new(), &id, 1, &profile),
        Ok(Learned::NoKey)
    );
    assert_eq!(roster.learn(&owner.keys, &id, 2, &profile), Ok(Learned::NoKey));
    let stranger = *Identity::random(plane.session).unwrap().participant_id();
    assert_eq!(
        roster.learn(&owner.keys, &stranger, 1, &profile),
        Err(Error::AuthFailed)
    );
    assert_eq!(roster.iter().count(), 0);

    // Keys of another session are no keys here, even for a profile that they open.
    let mut elsewhere = Roster::new(random::session_id().unwrap());
    assert_eq!(elsewhere.learn(&owner.keys, &id, 1, &profile), Ok(Learned::NoKey));
}
