//! What is known of a session, and how far.

use bytes::Bytes;
use wire::event::{Capability, Kind};
use wire::ids::ParticipantId;
use wire::transcript::RecordClass;

use super::*;
use crate::door::DoorPolicy;
use crate::modes::ModeState;

const SESSION: SessionId = SessionId::from_bytes([1; 16]);
const TOKEN: [u8; 32] = [2; 32];

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn row_of(session: SessionId, version: i64, head_seq: u64) -> SessionRow {
    SessionRow {
        session_id: session,
        org_id: wire::ids::OrgId::from_bytes([3; 16]),
        owner_user: wire::ids::UserId::from_bytes([4; 16]),
        owner: None,
        label: None,
        epoch: 1,
        full_verifier: [0; 32],
        view_verifier: [0; 32],
        version,
        head_seq,
        min_seq: 1,
        carried_hash: [0; 32],
        bytes: 0,
        mode: ModeState::default(),
        door: DoorPolicy::default(),
        knocking: 0,
        knocks_due: None,
        created_at: at(0),
        expires_at: at(1_000),
        ended: None,
        look_at: at(0),
    }
}

fn row(version: i64, head_seq: u64) -> SessionRow {
    row_of(SESSION, version, head_seq)
}

fn record(seq: u64, bytes: usize) -> RecordRow {
    RecordRow {
        seq,
        at: at(0),
        epoch: 1,
        class: RecordClass::Message,
        sender: None,
        item_id: None,
        signal: None,
        body: Bytes::from(vec![0; bytes]),
    }
}

fn token(version: i64) -> TokenRow {
    TokenRow {
        participant_id: ParticipantId::from_bytes([5; 16]),
        kind: Kind::Agent,
        capability: Capability::Full,
        epoch: 1,
        expires_at: at(500),
        session_epoch: 1,
        version,
    }
}

fn caller(version: i64) -> SessionCaller {
    SessionCaller {
        session_id: SESSION,
        participant_id: ParticipantId::from_bytes([5; 16]),
        kind: Kind::Agent,
        capability: Capability::Full,
        epoch: 1,
        token_hash: TOKEN,
        turn: 0,
        checked: Checked {
            version,
            expires_at: at(500),
        },
    }
}

fn seqs(seen: Option<Seen>) -> Option<Vec<u64>> {
    Some(seen?.records?.iter().map(|record| record.seq).collect())
}

#[test]
fn a_token_counts_through_appends_of_this_process() {
    let live = Live::default();
    live.saw(&row(7, 3));
    live.looked_up(SESSION, TOKEN, &token(7));
    live.appended(7, &row(8, 4), &[record(4, 10)]);
    assert_eq!(live.token(SESSION, &TOKEN).map(|token| token.version), Some(8));
    assert!(live.counts_at(SESSION, 7, 8));
    assert!(
        !live.counts_at(SESSION, 7, 9),
        "of a version that is not known nothing is said"
    );
    assert!(
        !live.counts_at(SESSION, 6, 8),
        "nor of a time before what is known"
    );
}

#[test]
fn a_change_that_was_no_append_of_this_process_ends_what_is_known_of_tokens() {
    let live = Live::default();
    live.saw(&row(7, 3));
    live.looked_up(SESSION, TOKEN, &token(7));
    live.saw(&row(8, 3));
    assert_eq!(live.token(SESSION, &TOKEN).map(|token| token.version), None);
    assert!(!live.counts_at(SESSION, 7, 8));

    live.looked_up(SESSION, TOKEN, &token(8));
    live.appended(9, &row(10, 5), &[record(5, 10)]);
    assert!(
        live.token(SESSION, &TOKEN).is_none(),
        "somebody else's version 9 lies between"
    );
    assert!(!live.counts_at(SESSION, 8, 10));
}

#[test]
fn a_look_up_of_another_version_than_is_known_is_not_kept() {
    let live = Live::default();
    live.looked_up(SESSION, TOKEN, &token(7));
    live.saw(&row(7, 3));
    assert!(live.token(SESSION, &TOKEN).is_none());
    live.looked_up(SESSION, TOKEN, &token(8));
    live.looked_up(SESSION, TOKEN, &token(6));
    assert!(live.token(SESSION, &TOKEN).is_none());
}

#[test]
fn an_append_that_is_told_late_takes_nothing_back() {
    let live = Live::default();
    live.saw(&row(9, 5));
    live.appended(7, &row(8, 4), &[record(4, 10)]);
    assert_eq!(live.row(SESSION).map(|row| row.version), Some(9));
    assert_eq!(
        seqs(live.after_append(&caller(9), 8, 4, at(0))),
        None,
        "the record 5 is in the store alone"
    );
    live.forget_all();
    assert!(live.row(SESSION).is_none());
}

#[test]
fn of_a_session_so_many_tokens_are_known_and_no_more() {
    let live = Live::default();
    live.saw(&row(7, 3));
    for n in 0..100 {
        live.looked_up(SESSION, [n; 32], &token(7));
        live.looked_up(SESSION, [n; 32], &token(7));
    }
    assert!(live.token(SESSION, &[63; 32]).is_some() && live.token(SESSION, &[64; 32]).is_none());
    assert_eq!(live.inner().tokens, 64);
    live.saw(&row(8, 3));
    assert_eq!(live.inner().tokens, 0);
}

#[test]
fn an_older_row_than_is_known_says_nothing() {
    let live = Live::default();
    live.saw(&row(7, 3));
    live.saw(&row(6, 2));
    assert_eq!(live.row(SESSION).map(|row| row.version), Some(7));
    live.forget(SESSION);
    assert!(live.row(SESSION).is_none());
}

#[test]
fn records_are_given_where_all_after_a_seq_are_here() {
    let live = Live::default();
    live.saw(&row(7, 3));
    assert_eq!(seqs(live.at(SESSION, 7, 3)), Some(vec![]));
    assert_eq!(
        seqs(live.at(SESSION, 7, 2)),
        None,
        "the record 3 is in the store alone"
    );
    live.appended(7, &row(8, 4), &[record(4, 10)]);
    live.appended(8, &row(9, 6), &[record(5, 10), record(6, 10)]);
    assert_eq!(seqs(live.at(SESSION, 9, 3)), Some(vec![4, 5, 6]));
    assert_eq!(seqs(live.at(SESSION, 9, 5)), Some(vec![6]));
    assert_eq!(seqs(live.at(SESSION, 9, 2)), None);
    assert_eq!(
        seqs(live.at(SESSION, 8, 3)),
        None,
        "the database told another version"
    );
    live.saw_records(&row(9, 6), &[record(6, 10)]);
    assert_eq!(
        seqs(live.at(SESSION, 9, 3)),
        Some(vec![4, 5, 6]),
        "fewer than are here change nothing"
    );
}

#[test]
fn records_that_were_read_count_up_to_the_head_of_the_row_they_were_read_with() {
    let live = Live::default();
    live.saw(&row(7, 6));
    live.saw_records(&row(7, 6), &[record(4, 10), record(5, 10)]);
    assert_eq!(
        seqs(live.at(SESSION, 7, 4)),
        None,
        "the page did not reach the head"
    );
    live.saw_records(&row(6, 6), &[record(6, 10)]);
    assert_eq!(seqs(live.at(SESSION, 7, 5)), None, "another version's");
    live.saw_records(&row(7, 6), &[record(5, 10), record(6, 10)]);
    assert_eq!(seqs(live.at(SESSION, 7, 4)), Some(vec![5, 6]));
}

#[test]
fn who_follows_is_given_an_append_only_while_its_token_counts() {
    let live = Live::default();
    live.saw(&row(7, 3));
    live.appended(7, &row(8, 4), &[record(4, 10)]);
    let given = |version, told, now| seqs(live.after_append(&caller(version), told, 3, at(now)));
    assert_eq!(given(7, 8, 0), Some(vec![4]));
    assert_eq!(given(8, 8, 0), Some(vec![4]));
    assert_eq!(
        given(6, 8, 0),
        None,
        "what lies between 6 and 7 may have ended it"
    );
    assert_eq!(given(7, 9, 0), None, "what was told is not known here");
    assert_eq!(given(7, 8, 500), None, "its time is up");
}

#[test]
fn what_is_kept_of_a_session_is_bounded_in_number_and_bytes() {
    let live = Live::default();
    live.saw(&row(1, 0));
    for seq in 1..=100 {
        live.appended(seq as i64, &row(seq as i64 + 1, seq), &[record(seq, 10)]);
    }
    assert_eq!(seqs(live.at(SESSION, 101, 36)), Some((37..=100).collect()));
    assert_eq!(seqs(live.at(SESSION, 101, 35)), None);
    live.appended(101, &row(102, 101), &[record(101, 65_500)]);
    assert_eq!(seqs(live.at(SESSION, 102, 97)), Some((98..=101).collect()));
    assert_eq!(seqs(live.at(SESSION, 102, 96)), None);
    live.appended(102, &row(103, 102), &[record(102, 100_000)]);
    assert_eq!(
        seqs(live.at(SESSION, 103, 101)),
        Some(vec![102]),
        "the last one in any case"
    );
    assert_eq!(live.inner().bytes, 100_000);
}

#[test]
fn what_is_kept_of_all_sessions_is_bounded_in_bytes_and_number() {
    let live = Live::default();
    let session = |n: u32| {
        let mut id = [0; 16];
        id[..4].copy_from_slice(&n.to_be_bytes());
        SessionId::from_bytes(id)
    };
    for n in 0..300 {
        live.appended(1, &row_of(session(n), 2, 1), &[record(1, 65_000)]);
    }
    let held: u64 = live.inner().sessions.values().map(|known| known.bytes).sum();
    assert_eq!(live.inner().bytes, held);
    assert!((14_600_000..=16_777_216).contains(&held), "{held}");
    assert_eq!(seqs(live.at(session(0), 2, 0)), None, "the oldest goes first");
    assert_eq!(
        seqs(live.at(session(299), 2, 0)),
        Some(vec![1]),
        "the newest is kept"
    );
    for n in 300..17_000 {
        live.saw(&row_of(session(n), 1, 0));
    }
    assert_eq!(live.inner().sessions.len(), 16_384);
    assert!(live.row(session(16_999)).is_some());
    assert!(live.row(session(0)).is_none());
    let held: u64 = live.inner().sessions.values().map(|known| known.bytes).sum();
    assert_eq!(live.inner().bytes, held);
}
