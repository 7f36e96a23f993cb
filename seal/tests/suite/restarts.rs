//! What is kept across restarts, `rollback`, checkpoints, and the last seq (`crypto.md` sections 9.4 and 13).

use seal::Error;
use seal::rekey;
use seal::roster::Roster;
use seal::secret::{FullSecret, LinkKind};
use seal::transcript::{Start, Transcript, TranscriptState};
use wire::encoding::Bytes32;
use wire::sizes::SEQ_MAX;

use crate::world::{Plane, Seat, join, last, session};

/// Through JSON, as a state file does it.
fn restarted(seat: Seat) -> Seat {
    let state = serde_json::to_string(seat.transcript.state()).unwrap();
    let state: TranscriptState = serde_json::from_str(&state).unwrap();
    assert_eq!(state, *seat.transcript.state());
    let roster = serde_json::to_string(&seat.roster.to_state()).unwrap();
    let roster = Roster::from_state(*seat.me.session_id(), serde_json::from_str(&roster).unwrap()).unwrap();
    Seat {
        transcript: Transcript::from_state(state).unwrap(),
        roster,
        ..seat
    }
}

#[test]
fn a_restarted_reader_goes_on_where_it_was() {
    let (mut plane, mut owner) = session();
    let mut other = join(&mut plane, &owner, LinkKind::Full);
    owner.read(&plane).unwrap();
    owner.post(&mut plane, "one");
    let (head, hash) = (owner.transcript.head(), owner.transcript.head().hash);
    let mut owner = restarted(owner);
    assert_eq!(owner.transcript.head(), head);
    assert_eq!(owner.transcript.hash_at(head.seq), Some(&hash));
    assert_eq!(
        owner.transcript.head_for_writing(),
        Ok(None),
        "the post on its way is not forgotten"
    );
    owner.read(&plane).unwrap();
    other.read(&plane).unwrap();
    other.post(&mut plane, "two");
    assert_eq!(
        last(&owner.read(&plane).unwrap()),
        "ok",
        "the other's keys and right are not forgotten"
    );
}

#[test]
fn a_changed_state_file_is_refused() {
    let (_, owner) = session();
    let state = owner.transcript.state();
    let mut empty = state.clone();
    empty.chain.0.clear();
    let mut other_record = state.clone();
    other_record.epoch_record.0[30] ^= 1;
    let mut no_record = state.clone();
    no_record.epoch_record.0.clear();
    for changed in [empty, other_record, no_record] {
        assert_eq!(Transcript::from_state(changed).unwrap_err(), Error::BadRecord);
    }
    let mut roster = owner.roster.to_state();
    roster[0].agreement = Bytes32([7; 32]);
    let session = *owner.me.session_id();
    assert_eq!(
        Roster::from_state(session, roster).unwrap_err(),
        Error::ProfileKeyMismatch
    );
}

#[test]
fn a_plane_that_goes_back_is_noticed() {
    let (mut plane, mut owner) = session();
    plane.notice();
    owner.read(&plane).unwrap();
    let owner = restarted(owner);
    assert_eq!(owner.transcript.check_plane_head(3), Ok(()));
    assert_eq!(owner.transcript.check_plane_head(4), Ok(()));
    assert_eq!(owner.transcript.check_plane_head(2), Err(Error::Rollback));
}

#[test]
fn another_history_up_to_the_head_is_noticed() {
    let (mut plane, mut owner) = session();
    plane.notice();
    owner.read(&plane).unwrap();
    for record in &plane.records {
        assert_eq!(owner.transcript.recheck(&record.raw()), Ok(()));
    }
    plane.records[2].body = br#"{"event":"another"}"#.to_vec();
    assert_eq!(
        owner.transcript.recheck(&plane.records[2].raw()),
        Err(Error::Rollback)
    );
    plane.records[0].body[30] ^= 1;
    assert_eq!(
        owner.transcript.recheck(&plane.records[0].raw()),
        Err(Error::Rollback)
    );
    plane.notice();
    assert_eq!(
        owner.transcript.recheck(&plane.records[3].raw()),
        Err(Error::SeqGap),
        "not read yet"
    );
}

fn start_after(plane: &Plane, reader: &Seat, seq: u64) -> ([u8; 32], Vec<u8>) {
    (
        *reader.transcript.hash_at(seq).unwrap(),
        plane.epoch_records[0].clone(),
    )
}

#[test]
fn a_late_reader_is_confirmed_by_the_first_message_after_the_checkpoint() {
    let (mut plane, mut owner) = session();
    plane.notice();
    owner.read(&plane).unwrap();
    let (hash, epoch_record) = start_after(&plane, &owner, 3);
    let late = join(&mut plane, &owner, LinkKind::View);
    owner.read(&plane).unwrap();
    owner.post(&mut plane, "after");
    let start = Start {
        seq: 3,
        hash,
        epoch_record: &epoch_record,
    };
    let transcript = Transcript::from_checkpoint(plane.session, &start, &late.keys).unwrap();
    let mut late = Seat { transcript, ..late };
    assert_eq!(late.transcript.base(), 3);
    assert_eq!(late.transcript.confirmed().count(), 0);
    assert_eq!(last(&late.read(&plane).unwrap()), "ok");
    assert_eq!(
        late.transcript.confirmed().collect::<Vec<_>>(),
        [(&owner.id(), 4)]
    );
}

#[test]
fn a_checkpoint_with_a_false_epoch_record_is_refused_by_who_holds_the_key() {
    let (plane, owner) = session();
    let (hash, mut epoch_record) = start_after(&plane, &owner, 2);
    epoch_record[86] ^= 1;
    let start = Start {
        seq: 2,
        hash,
        epoch_record: &epoch_record,
    };
    let refused = Transcript::from_checkpoint(plane.session, &start, &owner.keys);
    assert_eq!(refused.unwrap_err(), Error::VerifierMismatch);
}

#[test]
fn a_reader_skips_what_was_evicted_and_ignores_what_it_has() {
    let (mut plane, mut owner) = session();
    let mut ahead = join(&mut plane, &owner, LinkKind::Full);
    owner.read(&plane).unwrap();
    let (id, seq) = owner.post(&mut plane, "evicted before it was read back");
    for _ in 0..3 {
        plane.notice();
    }
    ahead.read(&plane).unwrap();
    let (hash, epoch_record) = start_after(&plane, &ahead, seq + 2);
    let start = Start {
        seq: seq + 2,
        hash,
        epoch_record: &epoch_record,
    };
    assert_eq!(ahead.transcript.skip_to(&start, &ahead.keys), Ok(false));
    assert_eq!(owner.transcript.skip_to(&start, &owner.keys), Ok(true));
    assert!(
        owner.transcript.is_own(&id),
        "the plane had answered, so it was stored"
    );
    assert_eq!(owner.transcript.base(), seq + 2);
    owner.read(&plane).unwrap();
    assert_eq!(owner.transcript.head(), ahead.transcript.head());

    let mut other_record = epoch_record.clone();
    other_record[22] ^= 1;
    let other = Start {
        seq: seq + 9,
        hash,
        epoch_record: &other_record,
    };
    let view = join(&mut plane, &ahead, LinkKind::View);
    let mut view = view;
    assert_eq!(
        view.transcript.skip_to(&other, &view.keys),
        Err(Error::Rollback),
        "same epoch, other record"
    );
}

#[test]
fn a_checkpoint_of_an_earlier_epoch_than_the_one_in_force_is_refused() {
    let (mut plane, mut owner) = session();
    let next = rekey::by_admin(&plane.session, 1, FullSecret::random().unwrap()).unwrap();
    plane.enter_epoch(&next.record);
    owner.read(&plane).unwrap();
    let (hash, epoch_record) = start_after(&plane, &owner, 2);
    let start = Start {
        seq: 9,
        hash,
        epoch_record: &epoch_record,
    };
    assert_eq!(
        owner.transcript.skip_to(&start, &owner.keys),
        Err(Error::EpochOrder)
    );
    assert_eq!(owner.transcript.head().seq, 3);
}

#[test]
fn at_the_last_seq_nothing_is_written_and_nothing_accepted() {
    let (mut plane, owner) = session();
    let (hash, epoch_record) = start_after(&plane, &owner, 2);
    let start = Start {
        seq: SEQ_MAX,
        hash,
        epoch_record: &epoch_record,
    };
    let transcript = Transcript::from_checkpoint(plane.session, &start, &owner.keys).unwrap();
    let mut full = Seat { transcript, ..owner };
    assert_eq!(full.transcript.head_for_writing(), Err(Error::LimitReached));
    plane.notice();
    let mut beyond = plane.records.pop().unwrap();
    beyond.seq = SEQ_MAX + 1;
    assert_eq!(full.accept(&beyond).unwrap_err(), Error::SeqGap);
}
