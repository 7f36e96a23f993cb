//! `own_record_mismatch`, and what a writer must have read (`crypto.md` section 9.2).

use seal::Error;
use seal::rekey;
use seal::secret::{FullSecret, LinkKind};
use seal::transcript::RawRecord;

use crate::world::{join, last, session};

#[test]
fn an_own_message_comes_back_and_is_confirmed_by_itself() {
    let (mut plane, mut owner) = session();
    let (id, seq) = owner.post(&mut plane, "first");
    assert_eq!(
        owner.transcript.head_for_writing(),
        Ok(None),
        "its own record is not accepted yet"
    );
    assert_eq!(last(&owner.read(&plane).unwrap()), "ok");
    assert!(owner.transcript.is_own(&id));
    assert_eq!(owner.transcript.unsettled().count(), 0);
    assert_eq!(owner.transcript.head_for_writing().unwrap().unwrap().seq, seq);
    assert_eq!(
        owner.transcript.confirmed().collect::<Vec<_>>(),
        [(&owner.id(), seq - 1)]
    );
}

#[test]
fn an_answer_that_is_next_lets_the_author_append_what_it_sent() {
    let (mut plane, mut owner) = session();
    let (id, sealed) = owner.seal("first");
    let seq = plane.message(&owner.id(), &id, sealed.clone());
    owner.transcript.posted(&id, seq).unwrap();
    let me = owner.id();
    let record = RawRecord::own_message(seq, 1, &me, &id, &sealed);
    assert_eq!(record.body, plane.records.last().unwrap().body);
    let stored = crate::world::Stored {
        body: sealed.clone(),
        ..plane.records.last().unwrap().clone()
    };
    owner.accept(&stored).unwrap();
    // The next read starts one record earlier and compares.
    assert_eq!(
        owner.transcript.recheck(&plane.records.last().unwrap().raw()),
        Ok(())
    );
    plane.records.last_mut().unwrap().body[30] ^= 1;
    assert_eq!(
        owner.transcript.recheck(&plane.records.last().unwrap().raw()),
        Err(Error::OwnRecordMismatch)
    );
}

#[test]
fn a_message_of_mine_that_was_changed_is_noticed() {
    let (mut plane, mut owner) = session();
    owner.post(&mut plane, "first");
    plane.records.last_mut().unwrap().body[30] ^= 1;
    let before = owner.transcript.head();
    assert_eq!(owner.read(&plane).unwrap_err(), Error::OwnRecordMismatch);
    assert_eq!(owner.transcript.head(), before);
}

#[test]
fn a_message_of_mine_that_was_dropped_is_noticed() {
    let (mut plane, mut owner) = session();
    let mut other = join(&mut plane, &owner, LinkKind::Full);
    owner.read(&plane).unwrap();
    owner.post(&mut plane, "dropped");
    plane.records.pop();
    let (id, sealed) = other.seal("takes its place");
    plane.message(&other.id(), &id, sealed);
    assert_eq!(owner.read(&plane).unwrap_err(), Error::OwnRecordMismatch);
}

#[test]
fn a_notice_in_the_place_of_my_message_is_noticed() {
    let (mut plane, mut owner) = session();
    owner.post(&mut plane, "dropped");
    plane.records.pop();
    plane.notice();
    assert_eq!(owner.read(&plane).unwrap_err(), Error::OwnRecordMismatch);
}

#[test]
fn a_message_in_my_name_that_i_never_sent_is_noticed() {
    let (mut plane, mut owner) = session();
    let (id, sealed) = owner.seal("taken back");
    owner.transcript.withdraw(&id);
    plane.message(&owner.id(), &id, sealed);
    assert_eq!(owner.read(&plane).unwrap_err(), Error::OwnRecordMismatch);
}

#[test]
fn an_answer_for_a_place_that_is_taken_is_noticed() {
    let (mut plane, mut owner) = session();
    let (id, _) = owner.seal("first");
    assert_eq!(
        owner.transcript.posted(&id, 2),
        Err(Error::OwnRecordMismatch),
        "the profile stands at 2"
    );
    assert_eq!(owner.transcript.posted(&id, 3), Ok(()));
    assert_eq!(
        owner.transcript.posted(&id, 4),
        Err(Error::OwnRecordMismatch),
        "another answer than before"
    );
    let (id, seq) = {
        owner.transcript.withdraw(&id);
        owner.post(&mut plane, "second")
    };
    owner.read(&plane).unwrap();
    assert_eq!(
        owner.transcript.posted(&id, seq),
        Ok(()),
        "a retry gets the same answer"
    );
    assert_eq!(
        owner.transcript.posted(&id, seq + 1),
        Err(Error::OwnRecordMismatch)
    );
    assert_eq!(owner.transcript.sending(id, 1, b"anything"), Err(Error::Replay));
}

#[test]
fn an_answer_for_something_never_sent_is_noticed() {
    let (_, mut owner) = session();
    let id = seal::random::message_id().unwrap();
    assert_eq!(owner.transcript.posted(&id, 9), Err(Error::OwnRecordMismatch));
}

#[test]
fn my_message_at_another_place_than_was_answered_is_noticed() {
    let (mut plane, mut owner) = session();
    let (id, sealed) = owner.seal("first");
    let seq = plane.message(&owner.id(), &id, sealed);
    owner.transcript.posted(&id, seq + 1).unwrap();
    assert_eq!(owner.read(&plane).unwrap_err(), Error::OwnRecordMismatch);
}

#[test]
fn my_message_under_another_epoch_than_it_was_sealed_for_is_noticed() {
    let (mut plane, mut owner) = session();
    let (id, sealed) = owner.seal("in flight while somebody re-keys");
    let secret = FullSecret::random().unwrap();
    let next = rekey::by_admin(&plane.session, 1, secret).unwrap();
    plane.enter_epoch(&next.record);
    owner.keys.insert(next.keys);
    owner.read(&plane).unwrap();
    plane.message(&owner.id(), &id, sealed);
    assert_eq!(owner.read(&plane).unwrap_err(), Error::OwnRecordMismatch);
}
