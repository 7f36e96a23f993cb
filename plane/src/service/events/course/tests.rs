#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use wire::api::{DoorState, DoorSummary, Mode, Presence};
use wire::encoding::{Blob, Bytes32};
use wire::event::{Capability, ModeName};
use wire::ids::{ParticipantId, SessionId};
use wire::timestamp::Timestamp;
use wire::transcript::RecordClass;

use super::*;

/// Of the row at the beginning.
const VERSION: i64 = 7;

fn state(head_seq: u64) -> State {
    State {
        session_id: SessionId::from_bytes([1; 16]),
        epoch: 1,
        head_seq,
        min_seq: 1,
        mode: Mode {
            name: ModeName::Observe,
            effective: ModeName::Observe,
            proposal_id: None,
            budget_left: None,
            expires_at: None,
            accepted: None,
            done: None,
            goal: None,
            proposal: None,
        },
        door: DoorSummary {
            state: DoorState::Open,
            knocking: 0,
        },
        capability: Some(Capability::Full),
        owner: None,
        created_at: Timestamp::from_millis(0),
        expires_at: Timestamp::from_millis(1_000),
        ended: None,
    }
}

fn records(seqs: std::ops::RangeInclusive<u64>) -> Vec<Record> {
    seqs.map(|seq| Record {
        seq,
        at: Timestamp::from_millis(0),
        epoch: 1,
        class: RecordClass::Message,
        sender: None,
        item_id: None,
        sealed: Some(Blob(vec![1; 20])),
        signal: None,
        body: None,
        epoch_record: None,
    })
    .collect()
}

fn roster(fetched_seq: u64) -> Roster {
    [Presence {
        participant_id: ParticipantId::from_bytes([2; 16]),
        listening: true,
        last_seen_at: Timestamp::from_millis(0),
        fetched_seq,
    }]
    .into()
}

/// Names, with the seq of a record and the head of a state.
fn said(events: &[StreamEvent]) -> Vec<String> {
    let one = |event: &StreamEvent| match event {
        StreamEvent::Checkpoint(checkpoint) => format!("checkpoint {}", checkpoint.seq),
        StreamEvent::Record(record) => format!("record {}", record.seq),
        StreamEvent::State(state) => format!("state {}", state.head_seq),
        StreamEvent::Presence(_) => "presence".to_owned(),
        StreamEvent::Bye(bye) => format!("bye {:?}", bye.code),
    };
    events.iter().map(one).collect()
}

fn begin(after: u64, head: u64, checkpoint: Option<u64>, now: Instant) -> (Course, Vec<StreamEvent>) {
    let opening = Opening {
        checkpoint: checkpoint.map(|seq| Checkpoint {
            seq,
            hash: Bytes32([0; 32]),
            epoch_record: Blob(Vec::new()),
        }),
        state: state(head),
        version: VERSION,
        roster: roster(0),
    };
    Course::begin(after, opening, now)
}

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[test]
fn a_stream_begins_with_state_and_presence_and_before_them_a_checkpoint_where_there_is_one() {
    let now = Instant::now();
    let (course, events) = begin(2, 5, None, now);
    assert_eq!(said(&events), ["state 5", "presence"]);
    assert_eq!((course.seq(), course.is_behind()), (2, true));

    let (mut course, events) = begin(2, 20, Some(10), now);
    assert_eq!(said(&events), ["checkpoint 10", "state 20", "presence"]);
    assert_eq!(course.seq(), 10, "what it stands for is not sent");
    let events = course.follow(records(11..=20), state(20), VERSION).unwrap();
    assert_eq!(events.len(), 10, "the state has been sent");
}

#[test]
fn a_row_older_than_one_that_was_followed_says_nothing() {
    let (mut course, _) = begin(3, 3, None, Instant::now());
    let events = course.follow(records(4..=5), state(5), VERSION + 2).unwrap();
    assert_eq!(said(&events), ["record 4", "record 5", "state 5"]);
    assert_eq!(course.follow(Vec::new(), state(4), VERSION + 1).unwrap(), []);
    assert!(!course.is_behind());
    let events = course.follow(records(6..=6), state(6), VERSION + 3).unwrap();
    assert_eq!(said(&events), ["record 6", "state 6"]);
}

#[test]
fn a_state_follows_the_records_that_change_it_and_is_not_repeated() {
    let (mut course, _) = begin(3, 3, None, Instant::now());
    let events = course.follow(records(4..=5), state(5), VERSION).unwrap();
    assert_eq!(said(&events), ["record 4", "record 5", "state 5"]);
    assert_eq!(course.follow(Vec::new(), state(5), VERSION).unwrap(), []);
    let relay = State {
        mode: Mode {
            name: ModeName::Relay,
            ..state(5).mode
        },
        ..state(5)
    };
    let events = course.follow(Vec::new(), relay, VERSION).unwrap();
    assert_eq!(said(&events), ["state 5"], "a change without a record");
}

#[test]
fn a_state_waits_until_all_records_it_speaks_of_are_out() {
    let (mut course, _) = begin(0, 3, None, Instant::now());
    let events = course.follow(records(1..=4), state(9), VERSION).unwrap();
    assert_eq!(said(&events), ["record 1", "record 2", "record 3", "record 4"]);
    assert!(course.is_behind());
    let events = course.follow(records(5..=9), state(9), VERSION).unwrap();
    assert_eq!(said(&events)[4..], ["record 9", "state 9"]);
    assert!(!course.is_behind());
}

#[test]
fn nothing_is_sent_over_a_gap() {
    for bad in [
        records(5..=6),
        records(3..=4),
        [records(4..=4), records(6..=6)].concat(),
    ] {
        let (mut course, _) = begin(3, 3, None, Instant::now());
        assert_eq!(course.follow(bad, state(6), VERSION), Err(Evicted));
    }
}

#[test]
fn a_reader_that_has_more_than_there_is_waits_for_what_comes_after() {
    let (mut course, _) = begin(9, 3, None, Instant::now());
    assert!(!course.is_behind());
    let events = course.follow(Vec::new(), state(4), VERSION).unwrap();
    assert_eq!(said(&events), ["state 4"]);
    assert_eq!(
        said(&course.follow(records(10..=10), state(10), VERSION).unwrap()),
        ["record 10", "state 10"]
    );
}

#[test]
fn who_is_here_is_told_when_it_changes_and_not_within_five_seconds() {
    let start = Instant::now();
    let (mut course, _) = begin(3, 3, None, start);
    assert!(!course.wants(&roster(0), start + seconds(60)), "nothing changed");
    let now = roster(7);
    assert!(!course.wants(&now, start + Duration::from_millis(4_999)));
    assert_eq!(course.next_at(&now), start + seconds(5));
    assert!(course.wants(&now, start + seconds(5)));

    let told = start + seconds(8);
    assert_eq!(
        course.presence(now.clone(), told),
        StreamEvent::Presence(now.to_vec())
    );
    assert!(!course.wants(&now, told + seconds(60)));
    assert!(!course.wants(&roster(8), told + Duration::from_millis(4_999)));
    assert!(course.wants(&roster(8), told + seconds(5)));
}

#[test]
fn a_comment_comes_every_fifteen_seconds_whatever_else_does() {
    let start = Instant::now();
    let (mut course, _) = begin(3, 3, None, start);
    assert_eq!(course.next_at(&roster(0)), start + seconds(15));
    assert!(!course.comment(start + Duration::from_millis(14_999)));
    course.follow(records(4..=4), state(4), VERSION).unwrap();
    course.presence(roster(4), start + seconds(10));
    assert!(course.comment(start + seconds(15)));
    assert!(!course.comment(start + seconds(15)), "one");
    assert_eq!(course.next_at(&roster(4)), start + seconds(30));
}
