#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use proptest::prelude::*;
use seal::transcript::{Access, EpochChange};
use wire::epoch_record::EpochType;
use wire::ids::{MessageId, ParticipantId};

use super::*;
use crate::seat::ConsentRole;
use crate::session::view::{NewEpoch, Posted};

const NOW: i64 = 1_800_000_000_000;
const P: ProposalId = ProposalId::from_bytes([1; 16]);
const OTHER: ProposalId = ProposalId::from_bytes([2; 16]);

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(NOW + millis)
}

/// A yes to 3 messages within 60 s, at record 2.
fn consent() -> Consent {
    Consent {
        role: ConsentRole::Accepted,
        at: at(0),
        budget: 3,
        ttl_s: 60,
        since_seq: 2,
        goal: None,
        started_at: None,
        started_seq: None,
        over: false,
        told: false,
    }
}

fn mode_of(id: ProposalId, expires_at: i64) -> Mode {
    Mode {
        name: ModeName::Auto,
        effective: ModeName::Auto,
        proposal_id: Some(id),
        budget_left: Some(3),
        expires_at: Some(at(expires_at)),
        accepted: None,
        done: None,
        goal: None,
        proposal: None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Record {
    Message,
    Enters { budget: u32, ttl_s: u32 },
    Leaves(Cause),
    Relay,
    Observe,
    Proposed,
    Declined,
    Rekeyed,
}

const ENTERS: Record = Record::Enters { budget: 3, ttl_s: 60 };

/// Records from 1 on; the first two are anything.
fn view(records: &[Record]) -> View {
    let mut view = View::default();
    let all = [Record::Message, Record::Message].iter().chain(records);
    for (seq, record) in (1..).zip(all) {
        let changed = |from, to, cause, budget, ttl_s| {
            What::Notice(Some(Notice::ModeChanged {
                from,
                to,
                cause,
                spent: None,
                budget,
                ttl_s,
            }))
        };
        let what = match record {
            Record::Message => What::Message(Box::new(Posted {
                id: MessageId::from_bytes([9; 16]),
                author: ParticipantId::from_bytes([8; 16]),
                mine: false,
                content: Err("no_key"),
            })),
            Record::Enters { budget, ttl_s } => changed(
                ModeName::Observe,
                ModeName::Auto,
                Cause::Accepted,
                Some(*budget),
                Some(*ttl_s),
            ),
            Record::Leaves(cause) => changed(ModeName::Auto, ModeName::Observe, *cause, Some(3), None),
            Record::Relay => changed(ModeName::Observe, ModeName::Relay, Cause::Requested, None, None),
            Record::Observe => changed(ModeName::Relay, ModeName::Observe, Cause::Requested, None, None),
            Record::Proposed => What::Notice(Some(Notice::AutoProposed { budget: 3, ttl_s: 60 })),
            Record::Declined => What::Notice(Some(Notice::AutoDeclined {})),
            Record::Rekeyed => What::Epoch(NewEpoch {
                change: EpochChange {
                    epoch: 2,
                    epoch_type: EpochType::OwnerRekey,
                    owner: None,
                    access: Access::Held,
                },
                stays: Vec::new(),
                opens_before: false,
            }),
        };
        view.push(Entry {
            seq,
            at: at(0),
            epoch: 1,
            what,
        });
    }
    view
}

fn standing_of(consent: &Consent, records: &[Record], mode: Option<&Mode>, now: i64) -> Standing {
    let view = view(records);
    let facts = Facts {
        view: &view,
        mode,
        now: at(now),
        timed_out: None,
    };
    standing(consent, &P, &facts)
}

fn judged(records: &[Record]) -> Standing {
    standing_of(&consent(), records, Some(&mode_of(P, 60_000)), 1_000)
}

#[test]
fn it_runs_from_the_entry_that_was_agreed_to() {
    let Standing::Running(run) = judged(&[ENTERS, Record::Message]) else {
        panic!("not running");
    };
    assert_eq!((run.started_seq, run.left), (3, 2));
    // The plane's end, which is earlier than 60 s from when this client first saw it.
    assert_eq!(run.ends_at, at(60_000));
}

#[test]
fn without_the_entry_in_the_transcript_the_plane_s_word_changes_nothing() {
    assert_eq!(judged(&[]), Standing::Idle);
    assert_eq!(judged(&[Record::Message]), Standing::Idle);
    assert_eq!(judged(&[Record::Relay]), Standing::Idle);
}

#[test]
fn without_the_plane_s_word_the_entry_in_the_transcript_changes_nothing() {
    let entered = [ENTERS];
    assert_eq!(standing_of(&consent(), &entered, None, 0), Standing::Idle);
    let other = mode_of(OTHER, 60_000);
    assert_eq!(standing_of(&consent(), &entered, Some(&other), 0), Standing::Idle);
    let lowered = Mode {
        effective: ModeName::Observe,
        ..mode_of(P, 60_000)
    };
    assert_eq!(
        standing_of(&consent(), &entered, Some(&lowered), 0),
        Standing::Idle
    );
}

#[test]
fn an_entry_before_the_consent_is_not_the_one_agreed_to() {
    let later = Consent {
        since_seq: 3,
        ..consent()
    };
    let mode = mode_of(P, 60_000);
    assert_eq!(standing_of(&later, &[ENTERS], Some(&mode), 0), Standing::Idle);
}

#[test]
fn other_terms_than_agreed_to_are_none() {
    for (budget, ttl_s) in [(4, 60), (3, 61), (2, 60), (3, 59), (u32::MAX, 60)] {
        assert_eq!(
            judged(&[Record::Enters { budget, ttl_s }]),
            Standing::Over(Why::OtherTerms)
        );
    }
}

#[test]
fn the_own_count_ends_it_whatever_the_plane_says_is_left() {
    let mode = Mode {
        budget_left: Some(1_000),
        ..mode_of(P, 60_000)
    };
    let records = [ENTERS, Record::Message, Record::Message, Record::Message];
    assert_eq!(
        standing_of(&consent(), &records, Some(&mode), 0),
        Standing::Over(Why::Budget)
    );
    let two = standing_of(&consent(), &records[..3], Some(&mode), 0);
    assert!(matches!(two, Standing::Running(Run { left: 1, .. })), "{two:?}");
}

#[test]
fn the_own_clock_ends_it_whatever_the_plane_says_the_end_is() {
    let started = Consent {
        started_at: Some(at(5_000)),
        started_seq: Some(3),
        ..consent()
    };
    let far = mode_of(P, 86_400_000);
    for (now, runs) in [(5_000, true), (64_999, true), (65_000, false), (1_000_000, false)] {
        let standing = standing_of(&started, &[ENTERS], Some(&far), now);
        assert_eq!(
            matches!(standing, Standing::Running(_)),
            runs,
            "{now}: {standing:?}"
        );
        assert!(runs || standing == Standing::Over(Why::Time), "{standing:?}");
    }
    // The plane may say an earlier end.
    let near = mode_of(P, 10_000);
    assert_eq!(
        standing_of(&started, &[ENTERS], Some(&near), 10_000),
        Standing::Over(Why::Time)
    );
}

#[test]
fn a_clock_set_back_gives_no_more_time() {
    let started = Consent {
        started_at: Some(at(0)),
        started_seq: Some(3),
        ..consent()
    };
    let mode = mode_of(P, 60_000);
    let back = standing_of(&started, &[ENTERS], Some(&mode), -60_001);
    assert_eq!(back, Standing::Over(Why::Time));
    let view = view(&[ENTERS]);
    let facts = Facts {
        view: &view,
        mode: Some(&mode),
        now: at(0),
        timed_out: Some(P),
    };
    assert_eq!(standing(&started, &P, &facts), Standing::Over(Why::Time));
}

#[test]
fn a_second_run_under_one_consent_is_none() {
    for records in [
        vec![ENTERS, ENTERS],
        vec![ENTERS, Record::Message, ENTERS],
        vec![ENTERS, Record::Leaves(Cause::Stopped), ENTERS],
    ] {
        assert!(matches!(judged(&records), Standing::Over(_)), "{records:?}");
    }
    // Also where the first was seen by another process of this seat.
    let started = Consent {
        started_seq: Some(4),
        started_at: Some(at(0)),
        ..consent()
    };
    let mode = mode_of(P, 60_000);
    assert_eq!(
        standing_of(&started, &[ENTERS, ENTERS], Some(&mode), 0),
        Standing::Over(Why::Again)
    );
}

/// Under a proposal that is gone nothing begins, whatever the plane calls what others agreed to.
#[test]
fn what_was_declined_replaced_or_dropped_does_not_begin() {
    for gone in [
        Record::Declined,
        Record::Proposed,
        Record::Observe,
        Record::Rekeyed,
    ] {
        assert_eq!(judged(&[gone, ENTERS]), Standing::Over(Why::Dropped), "{gone:?}");
        assert_eq!(judged(&[gone]), Standing::Over(Why::Dropped), "{gone:?}");
    }
    assert!(
        matches!(judged(&[Record::Relay, ENTERS]), Standing::Running(_)),
        "relay keeps it"
    );
    // Its own notice stands behind a proposer's yes, and a second one is somebody else's.
    let proposer = Consent {
        role: ConsentRole::Proposed,
        ..consent()
    };
    let mode = mode_of(P, 60_000);
    let judged = |records: &[Record]| standing_of(&proposer, records, Some(&mode), 0);
    assert!(matches!(
        judged(&[Record::Proposed, ENTERS]),
        Standing::Running(_)
    ));
    let replaced = judged(&[Record::Proposed, Record::Proposed, ENTERS]);
    assert_eq!(replaced, Standing::Over(Why::Dropped));
}

#[test]
fn every_way_out_is_the_end_by_its_name() {
    for cause in [
        Cause::BudgetSpent,
        Cause::TtlExpired,
        Cause::AllDone,
        Cause::Blocked,
        Cause::Stopped,
        Cause::Left,
        Cause::Rekeyed,
        Cause::Ended,
    ] {
        assert_eq!(
            judged(&[ENTERS, Record::Leaves(cause)]),
            Standing::Over(Why::Notice(cause))
        );
    }
    assert_eq!(
        judged(&[ENTERS, Record::Relay]),
        Standing::Over(Why::Notice(Cause::Requested))
    );
}

#[test]
fn a_yes_does_not_wait_for_ever() {
    let mode = mode_of(P, 100_000_000);
    let ten = 10 * 60_000;
    assert!(matches!(
        standing_of(&consent(), &[ENTERS], Some(&mode), ten),
        Standing::Running(_)
    ));
    let late = ten + 60_001;
    assert_eq!(
        standing_of(&consent(), &[ENTERS], Some(&mode), late),
        Standing::Over(Why::Lapsed)
    );
    assert_eq!(
        standing_of(&consent(), &[], None, late),
        Standing::Over(Why::Lapsed)
    );
}

#[test]
fn where_records_are_gone_nothing_is_counted() {
    let view = {
        let whole = view(&[ENTERS, Record::Message]);
        let mut rest = View::default();
        for entry in whole.entries().iter().filter(|entry| entry.seq > 3) {
            rest.push(Entry {
                seq: entry.seq,
                at: entry.at,
                epoch: 1,
                what: What::Notice(None),
            });
        }
        rest
    };
    let mode = mode_of(P, 60_000);
    let facts = Facts {
        view: &view,
        mode: Some(&mode),
        now: at(0),
        timed_out: None,
    };
    assert_eq!(standing(&consent(), &P, &facts), Standing::Idle);
}

#[test]
fn a_late_reply_is_one_until_its_author_was_refused_something() {
    let view = view(&[ENTERS, Record::Leaves(Cause::Stopped)]);
    let facts = Facts {
        view: &view,
        mode: None,
        now: at(0),
        timed_out: None,
    };
    let mut started = Consent {
        started_seq: Some(3),
        started_at: Some(at(0)),
        over: true,
        ..consent()
    };
    let stopped = Some(Standing::Over(Why::Notice(Cause::Stopped)));
    assert_eq!(untold(&BTreeMap::from([(P, started.clone())]), &facts), stopped);
    started.told = true;
    assert_eq!(untold(&BTreeMap::from([(P, started)]), &facts), None);
    assert_eq!(
        untold(&BTreeMap::from([(P, consent())]), &facts),
        None,
        "never acted in"
    );
}

/// What happens next: a record, time, or another word of the plane.
#[derive(Debug, Clone, Copy)]
enum Step {
    Append(Record),
    Time(i64),
    Plane {
        id: ProposalId,
        budget_left: u32,
        ends: i64,
    },
    Silence,
}

fn record() -> impl Strategy<Value = Record> {
    prop_oneof![
        4 => Just(Record::Message),
        3 => Just(ENTERS),
        1 => (1..6_u32, 50..70_u32).prop_map(|(budget, ttl_s)| Record::Enters { budget, ttl_s }),
        1 => Just(Record::Leaves(Cause::Stopped)),
        1 => Just(Record::Relay),
        1 => Just(Record::Observe),
        1 => Just(Record::Proposed),
        1 => Just(Record::Declined),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let plane =
        (any::<bool>(), any::<u32>(), 0..10_000_000_i64).prop_map(|(own, budget_left, ends)| Step::Plane {
            id: if own { P } else { OTHER },
            budget_left,
            ends,
        });
    prop_oneof![
        6 => record().prop_map(Step::Append),
        2 => (-10_000..30_000_i64).prop_map(Step::Time),
        4 => plane,
        1 => Just(Step::Silence),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a plane sends and says: one run, at most as many messages as agreed to, at most as long, and once it is
    /// over it is over.
    #[test]
    fn no_plane_gets_more_than_was_agreed_to(steps in proptest::collection::vec(step(), 1..80)) {
        let mut consents = BTreeMap::from([(P, consent())]);
        let (mut records, mut now, mut mode) = (Vec::new(), 0_i64, None);
        let (mut over, mut ran): (bool, Option<(u64, i64)>) = (false, None);
        for step in steps {
            match step {
                Step::Append(record) => records.push(record),
                Step::Time(by) => now += by,
                Step::Plane { id, budget_left, ends } => {
                    mode = Some(Mode { budget_left: Some(budget_left), ..mode_of(id, ends) });
                }
                Step::Silence => mode = None,
            }
            let view = view(&records);
            let facts = Facts { view: &view, mode: mode.as_ref(), now: at(now), timed_out: None };
            let before = consents.clone();
            follow(&mut consents, &facts);
            prop_assert!(consents[&P].over || !before[&P].over, "over is never taken back");
            if let Standing::Running(run) = standing(&consents[&P], &P, &facts) {
                prop_assert!(!over, "it began again");
                let (seq, since) = *ran.get_or_insert((run.started_seq, now));
                prop_assert_eq!(seq, run.started_seq, "one run");
                // By a count of its own: the records after the entry.
                let entry = usize::try_from(seq).unwrap() - 3;
                prop_assert_eq!(records[entry], ENTERS);
                let first = records.iter().position(|record| matches!(record, Record::Enters { .. }));
                prop_assert_eq!(first, Some(entry), "the first entry behind the yes");
                let messages = records[entry + 1..].iter().filter(|record| **record == Record::Message).count();
                let changed = |record: &&Record| !matches!(record, Record::Message | Record::Proposed | Record::Declined);
                let changes = records[entry + 1..].iter().filter(changed).count();
                prop_assert!(messages < 3 && changes == 0);
                prop_assert_eq!(usize::try_from(run.left).unwrap(), 3 - messages);
                prop_assert!(now - since < 60_000 && i64::from(run.left) > 0);
                let said = mode.as_ref().unwrap();
                prop_assert!(said.proposal_id == Some(P) && said.expires_at.unwrap() > at(now));
            } else if consents[&P].over {
                over = true;
            }
        }
    }
}
