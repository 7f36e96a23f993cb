//! Re-keys, as those see them who stay, who are left out and who come later (`crypto.md` section 10).

use seal::Error;
use seal::history;
use seal::identity::{Identity, PeerKeys};
use seal::keys::{EpochKeys, Keyring};
use seal::random::Nonce;
use seal::rekey::{self, History, Kept, NewEpoch, Owner};
use seal::secret::{FullSecret, LinkKind};
use seal::signature::VerificationKey;
use seal::transcript::{Access, Outcome};
use wire::epoch_record::{EntryCapability, EpochRecord};

use crate::world::{Plane, Seat, join, last, session};

fn secret() -> FullSecret {
    FullSecret::random().unwrap()
}

fn open_history() -> History {
    History::Open(Nonce::random().unwrap())
}

fn kept(keys: PeerKeys, capability: EntryCapability) -> Kept {
    Kept::new(keys, capability).unwrap()
}

/// The owner re-keys for itself and those listed.
fn rekey(plane: &mut Plane, owner: &mut Seat, stay: &[(&Seat, EntryCapability)], history: History) {
    let stay = stay
        .iter()
        .map(|(seat, capability)| kept(seat.me.public(), *capability));
    let all = stay
        .chain([kept(owner.me.public(), EntryCapability::Full)])
        .collect();
    let old = owner.keys.newest().unwrap();
    let NewEpoch { record, keys } = rekey::by_owner(old, &owner.me, secret(), all, history).unwrap();
    plane.enter_epoch(&record);
    owner.keys.insert(keys);
}

fn access(outcome: &Outcome) -> Access {
    match outcome {
        Outcome::Epoch(change) => change.access,
        other => panic!("{}", other.name()),
    }
}

#[test]
fn those_who_stay_get_the_new_keys_from_the_transcript() {
    let (mut plane, mut owner) = session();
    let mut full = join(&mut plane, &owner, LinkKind::Full);
    let mut view = join(&mut plane, &owner, LinkKind::Full);
    let mut out = join(&mut plane, &owner, LinkKind::Full);
    owner.read(&plane).unwrap();
    full.read(&plane).unwrap();
    view.read(&plane).unwrap();
    rekey(
        &mut plane,
        &mut owner,
        &[(&full, EntryCapability::Full), (&view, EntryCapability::View)],
        open_history(),
    );

    assert_eq!(access(owner.read(&plane).unwrap().last().unwrap()), Access::Held);
    assert_eq!(
        access(full.read(&plane).unwrap().last().unwrap()),
        Access::Given(LinkKind::Full)
    );
    assert_eq!(
        access(view.read(&plane).unwrap().last().unwrap()),
        Access::Given(LinkKind::View)
    );
    assert_eq!(access(out.read(&plane).unwrap().last().unwrap()), Access::Removed);

    let new = full.keys.newest().unwrap();
    assert_eq!((new.epoch(), new.kind()), (2, LinkKind::Full));
    assert_eq!(
        full.keys.get(1).unwrap().kind(),
        LinkKind::View,
        "the old full secret is forgotten"
    );
    assert!(
        new.full_secret()
            .unwrap()
            .same(owner.keys.newest().unwrap().full_secret().unwrap())
    );
    assert!(out.keys.get(2).is_none());

    // Who stays writes again once its new profile, with a certificate of the new epoch, was seen.
    full.post(&mut plane, "too early");
    assert_eq!(last(&owner.read(&plane).unwrap()), "not_certified");
    full.read(&plane).unwrap();
    full.show_profile(&mut plane);
    full.post(&mut plane, "now");
    assert_eq!(last(&owner.read(&plane).unwrap()), "ok");
    // Who was kept with a view secret cannot make a certificate.
    view.read(&plane).unwrap();
    view.show_profile(&mut plane);
    view.post(&mut plane, "never");
    assert_eq!(last(&owner.read(&plane).unwrap()), "not_certified");
}

#[test]
fn an_entry_that_does_not_open_stops_the_reader() {
    let (mut plane, mut owner) = session();
    let mut full = join(&mut plane, &owner, LinkKind::Full);
    owner.read(&plane).unwrap();
    rekey(
        &mut plane,
        &mut owner,
        &[(&full, EntryCapability::Full)],
        History::Closed,
    );
    let record = EpochRecord::parse(&plane.records.last().unwrap().body).unwrap();
    let mut forged = record.clone();
    for entry in &mut forged.entries {
        entry.ct[0] ^= 1;
    }
    plane.records.last_mut().unwrap().body = forged.to_bytes();
    let before = full.transcript.head();
    assert_eq!(full.read(&plane).unwrap_err(), Error::RekeyAuth);
    assert_eq!(full.transcript.head(), before);
    assert!(full.keys.get(2).is_none());
}

#[test]
fn keys_held_and_a_record_that_does_not_fit_them_stop_the_reader() {
    let (mut plane, mut owner) = session();
    plane.enter_epoch(&rekey::by_admin(&plane.session, 1, secret()).unwrap().record);
    let NewEpoch { keys, .. } = rekey::by_admin(&plane.session, 1, secret()).unwrap();
    owner.keys.insert(keys);
    assert_eq!(owner.read(&plane).unwrap_err(), Error::VerifierMismatch);
}

#[test]
fn an_owner_whose_keys_were_never_learned_makes_the_reader_ask() {
    let (mut plane, mut owner) = session();
    let mut full = join(&mut plane, &owner, LinkKind::Full);
    owner.read(&plane).unwrap();
    rekey(
        &mut plane,
        &mut owner,
        &[(&full, EntryCapability::Full)],
        History::Closed,
    );
    full.roster = seal::roster::Roster::new(plane.session);
    let record = plane.records.last().unwrap().clone();
    let reader = seal::transcript::Reader {
        keys: &mut full.keys,
        roster: &mut full.roster,
        me: Some(&full.me),
    };
    assert!(full.transcript.needs_profiles(&record.raw(), &reader));
    assert_eq!(full.accept(&record).unwrap_err(), Error::RekeyNotOwner);
}

#[test]
fn an_administrator_re_key_ends_reading_until_a_person_brings_the_link() {
    let (mut plane, mut owner) = session();
    let NewEpoch { record, keys } = rekey::by_admin(&plane.session, 1, secret()).unwrap();
    plane.enter_epoch(&record);
    assert_eq!(
        access(owner.read(&plane).unwrap().last().unwrap()),
        Access::NewLinkNeeded
    );
    assert_eq!(owner.transcript.owner(), None);

    owner.keys.insert(keys);
    owner.show_profile(&mut plane);
    owner.read(&plane).unwrap();
    owner.post(&mut plane, "back under the old id");
    assert_eq!(last(&owner.read(&plane).unwrap()), "ok");
}

#[test]
fn a_later_joiner_reads_back_as_far_as_history_is_open() {
    let (mut plane, mut owner) = session();
    owner.post(&mut plane, "of epoch 1");
    owner.read(&plane).unwrap();
    rekey(&mut plane, &mut owner, &[], History::Closed);
    owner.read(&plane).unwrap();
    owner.show_profile(&mut plane);
    owner.post(&mut plane, "of epoch 2");
    owner.read(&plane).unwrap();
    rekey(&mut plane, &mut owner, &[], open_history());
    owner.read(&plane).unwrap();
    owner.show_profile(&mut plane);

    let late = join(&mut plane, &owner, LinkKind::View);
    let mut keys = Keyring::new();
    keys.insert(
        EpochKeys::check(
            &plane.epoch_record(3),
            late.keys.newest().unwrap().link_secret(LinkKind::View).unwrap(),
        )
        .unwrap(),
    );
    let records: Vec<EpochRecord> = (1..=3).map(|epoch| plane.epoch_record(epoch)).collect();
    history::open_all(&mut keys, &records).unwrap();
    assert_eq!(keys.iter().map(EpochKeys::epoch).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(
        history::open(&records[1], keys.get(2).unwrap(), &records[0]).unwrap_err(),
        Error::HistoryClosed
    );
    let transcript = seal::transcript::Transcript::new(plane.session);
    let roster = seal::roster::Roster::new(plane.session);
    let mut late = Seat {
        keys,
        transcript,
        roster,
        ..late
    };
    let names: Vec<_> = late.read(&plane).unwrap().iter().map(Outcome::name).collect();
    assert_eq!(names[..3], ["epoch", "member", "no_key"]);
    assert_eq!(names[3..6], ["epoch", "member", "ok"]);
}

#[test]
fn history_of_another_epoch_record_is_refused() {
    let (mut plane, mut owner) = session();
    rekey(&mut plane, &mut owner, &[], open_history());
    let mut records = vec![plane.epoch_record(1), plane.epoch_record(2)];
    records[0].commitments.posting_key[0] ^= 1;
    let mut keys = Keyring::new();
    let secret = owner.keys.newest().unwrap().link_secret(LinkKind::Full).unwrap();
    keys.insert(EpochKeys::check(&records[1], secret).unwrap());
    assert_eq!(
        history::open_all(&mut keys, &records).unwrap_err(),
        Error::VerifierMismatch
    );
}

#[test]
fn a_history_block_is_not_read_from_a_record_that_the_keys_do_not_fit() {
    let (mut plane, mut owner) = session();
    rekey(&mut plane, &mut owner, &[], open_history());
    let (before, mut record) = (plane.epoch_record(1), plane.epoch_record(2));
    record.commitments.posting_key[0] ^= 1;
    let refused = history::open(&record, owner.keys.get(2).unwrap(), &before);
    assert_eq!(refused.unwrap_err(), Error::VerifierMismatch);
}

#[test]
fn a_re_key_by_somebody_else_than_the_owner_in_force_is_not_opened() {
    let (mut plane, mut owner) = session();
    let other = join(&mut plane, &owner, LinkKind::Full);
    owner.read(&plane).unwrap();
    let old = other.keys.get(1).unwrap();
    let all = vec![kept(owner.me.public(), EntryCapability::Full)];
    let made = rekey::by_owner(old, &other.me, secret(), all, History::Closed).unwrap();
    let record = EpochRecord::parse(&made.record).unwrap();
    let (keys, id) = (other.me.public(), owner.id());
    let open = |id| {
        let in_force = Owner {
            id,
            keys: Some(&keys),
        };
        rekey::open(&record, owner.keys.get(1).unwrap(), in_force, &owner.me).map(|keys| keys.epoch())
    };
    assert_eq!(open(Some(&id)), Err(Error::RekeyNotOwner));
    assert_eq!(open(None), Err(Error::RekeyNotOwner));
    assert_eq!(
        open(Some(&other.id())),
        Ok(2),
        "the same record by who may make it"
    );
}

#[test]
fn nobody_is_kept_by_a_key_that_gives_zeros() {
    let (_, owner) = session();
    // The point of order 2, and one of order 8: every private key gives zeros with them.
    let order_8: [u8; 32] = [
        0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a, 0xda,
        0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00,
    ];
    for agreement in [[0; 32], order_8] {
        let keys = PeerKeys {
            agreement,
            verification: VerificationKey::from_bytes([1; 32]),
        };
        let all = vec![
            kept(keys, EntryCapability::Full),
            kept(owner.me.public(), EntryCapability::Full),
        ];
        let old = owner.keys.newest().unwrap();
        let refused = rekey::by_owner(old, &owner.me, secret(), all, History::Closed);
        assert_eq!(refused.unwrap_err(), Error::BadPublicKey);
    }
}

#[test]
fn a_record_keeps_256_and_no_more() {
    let (plane, owner) = session();
    let old = owner.keys.newest().unwrap();
    let all = |count: usize| {
        (0..count)
            .map(|_| {
                kept(
                    Identity::random(plane.session).unwrap().public(),
                    EntryCapability::View,
                )
            })
            .collect()
    };
    let made = rekey::by_owner(old, &owner.me, secret(), all(256), open_history()).unwrap();
    assert_eq!(made.record.len(), 25_073);
    let refused = rekey::by_owner(old, &owner.me, secret(), all(257), open_history());
    assert_eq!(refused.unwrap_err(), Error::LimitReached);
}

#[test]
fn after_the_last_epoch_there_is_none() {
    let (plane, owner) = session();
    assert!(rekey::by_admin(&plane.session, u32::MAX - 1, secret()).is_ok());
    assert_eq!(
        rekey::by_admin(&plane.session, u32::MAX, secret()).unwrap_err(),
        Error::LimitReached
    );
    let last = rekey::by_admin(&plane.session, u32::MAX - 1, secret())
        .unwrap()
        .keys;
    let refused = rekey::by_owner(&last, &owner.me, secret(), Vec::new(), History::Closed);
    assert_eq!(refused.unwrap_err(), Error::LimitReached);
}

#[test]
fn nobody_is_kept_twice() {
    let (_, owner) = session();
    let all = vec![
        kept(owner.me.public(), EntryCapability::Full),
        kept(owner.me.public(), EntryCapability::View),
    ];
    let old = owner.keys.newest().unwrap();
    let refused = rekey::by_owner(old, &owner.me, secret(), all, History::Closed);
    assert_eq!(refused.unwrap_err(), Error::EpochRecordMalformed);
}
