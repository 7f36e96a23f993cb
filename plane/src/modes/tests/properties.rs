//! The properties that `modes.md` asks for, over random event strings of two agents, a person and a third agent.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use wire::event::{Cause, ModeName};

use super::mode_strings::{Act, Model, Turn, turns};
use super::*;

const EVERYBODY: [u8; 4] = [ANA, BEN, HUE, CLO];
/// Strings that failed once are kept and come first.
const KEPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/src/modes/tests/properties.regressions"
);
/// Strings of up to so many parts.
const LONG: std::ops::Range<usize> = 1..120;

/// The number of the proposal that is open or in force.
fn current(session: &Session) -> Option<u8> {
    let mode = session.mode();
    let current = mode.proposal_id.or(mode.proposal.map(|open| open.proposal_id));
    current.map(|id| id.as_bytes()[0])
}

fn event(act: &Act) -> Event {
    match *act {
        Act::Observe => Event::SetObserve,
        Act::Relay => Event::SetRelay,
        Act::Propose {
            by,
            id,
            budget,
            ttl_s,
        } => propose(by, id, budget, ttl_s),
        Act::Accept { by, id } => accept(by, id),
        Act::Decline { id } => decline(id),
        Act::Post { by, signal, expect } => Event::Post {
            author: who(by),
            signal,
            expect_auto: expect,
        },
        Act::Stop => Event::Stop,
        Act::Leave { by } => leave(by),
        Act::Rekey => Event::Rekey,
        Act::End => Event::End,
    }
}

fn code(refused: Refused) -> &'static str {
    match refused {
        Refused::BadRequest { .. } => "bad_request",
        Refused::Forbidden { .. } => "forbidden",
        Refused::AutoOver { .. } => "auto_over",
        Refused::InAuto => "in_auto",
        Refused::ProposalGone => "proposal_gone",
    }
}

/// Whether auto is stored, overdue or not.
fn in_auto(session: &Session) -> bool {
    session.state.auto_expires_at().is_some()
}

fn exit(notice: Option<&Notice>) -> Option<(Cause, u32, u32)> {
    match notice {
        Some(Notice::ModeChanged {
            from: ModeName::Auto,
            to: ModeName::Observe,
            cause,
            spent: Some(spent),
            budget: Some(budget),
            ttl_s: None,
        }) => Some((*cause, *spent, *budget)),
        _ => None,
    }
}

/// Runs the string; `check` sees each change with the session as it was before it.
fn run(turns: &[Turn], mut check: impl FnMut(&Session, Option<&Event>, &ModeState, Option<&Notice>)) {
    let mut session = Session::new();
    for turn in turns {
        session.millis += turn.pause;
        if let Some((state, notice)) = session.state.expire(session.now()) {
            check(&session, None, &state, notice.as_ref());
            session.state = state;
        }
        let event = event(&turn.act(current(&session)));
        if let Ok(step) = session.state.step(&event, session.now(), &bounds()) {
            check(&session, Some(&event), &step.state, step.notice.as_ref());
            session.state = step.state;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(KEPT))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_machine_does_what_the_model_does(turns in turns(4, LONG)) {
        let (mut session, mut model) = (Session::new(), Model::default());
        for turn in &turns {
            session.millis += turn.pause;
            prop_assert_eq!(session.expire(), model.sweep(session.millis));
            let act = turn.act(current(&session));
            let expected = model.act(&act, session.millis);
            let got = match session.state.step(&event(&act), session.now(), &bounds()) {
                Ok(step) => {
                    prop_assert_eq!(step.changed, step.state != session.state);
                    session.state = step.state;
                    Ok(step.notice.as_ref().map(json))
                }
                Err(refused) => Err(code(refused)),
            };
            prop_assert_eq!(got, expected, "{:?}", act);

            let mode = session.mode();
            prop_assert_eq!(serde_json::to_value(mode.name).unwrap(), model.mode());
            for participant in EVERYBODY {
                let effective = session.state.effective(who(participant), session.now());
                prop_assert_eq!(effective, model.effective(participant));
            }
            let ascending = |members: &[u8]| {
                let mut members = members.to_vec();
                members.sort_by_key(|member| who(*member));
                members.into_iter().map(who).collect::<Vec<_>>()
            };
            prop_assert_eq!(mode.accepted, model.auto.then(|| ascending(&model.accepted)));
            prop_assert_eq!(mode.done, model.auto.then(|| ascending(&model.done)));
            prop_assert_eq!(mode.budget_left, model.auto.then(|| model.budget - model.spent));
            prop_assert_eq!(mode.expires_at, model.auto.then(|| at(model.deadline)));
            prop_assert_eq!(mode.proposal_id, model.auto.then(|| proposal(model.id)));
            let open = mode.proposal.map(|open| (open.proposal_id, open.by, open.budget, open.ttl_s, open.lapses_at));
            let pending = (proposal(model.id), who(model.by), model.budget, model.ttl_s, at(model.deadline));
            prop_assert_eq!(open, model.pending.then_some(pending));

            let text = serde_json::to_string(&session.state).unwrap();
            prop_assert_eq!(&serde_json::from_str::<ModeState>(&text).unwrap(), &session.state);
        }
    }

    #[test]
    fn between_entering_and_leaving_auto_there_are_never_more_posts_than_the_budget(turns in turns(4, LONG)) {
        let (mut posts, mut granted) = (0, 0);
        run(&turns, |before, event, after, notice| {
            if in_auto(before) && matches!(event, Some(Event::Post { .. })) {
                posts += 1;
                assert!(posts <= granted, "{posts} posts of {granted}");
            }
            if let Some((_, spent, budget)) = exit(notice) {
                assert_eq!((spent, budget), (posts, granted));
            }
            if let (false, Some(Notice::ModeChanged { budget: Some(budget), .. })) = (in_auto(before), notice) {
                assert!(after.auto_expires_at().is_some());
                (posts, granted) = (0, *budget);
            }
        });
    }

    #[test]
    fn it_is_never_auto_from_expires_at_on(turns in turns(4, LONG), late in 0..10_000_000i64) {
        run(&turns, |before, _, after, _| {
            let Some(expires_at) = after.auto_expires_at() else { return };
            let granted = expires_at.millis() - before.now().millis();
            assert!(granted <= 28_800_000, "an auto of {granted} ms");
            let now = expires_at.plus_millis(late);
            assert_eq!(after.name(now), ModeName::Observe);
            for participant in EVERYBODY {
                assert_eq!(after.effective(who(participant), now), ModeName::Observe);
                let refused = after.step(&post_for_auto(participant), now, &bounds()).unwrap_err();
                assert_eq!(refused, Refused::AutoOver { mode: ModeName::Observe });
                assert!(!after.step(&post(participant), now, &bounds()).unwrap().changed);
            }
            let (ended, notice) = after.expire(now).expect("an overdue auto is due");
            assert_eq!(ended.auto_expires_at(), None);
            assert_eq!(exit(notice.as_ref()).map(|(cause, ..)| cause), Some(Cause::TtlExpired));
        });
    }

    #[test]
    fn every_exit_from_auto_leaves_exactly_one_notice(turns in turns(4, LONG)) {
        run(&turns, |before, _, after, notice| {
            let left = in_auto(before) && after.auto_expires_at().is_none();
            assert_eq!(exit(notice).is_some(), left, "{notice:?}");
        });
    }

    #[test]
    fn the_way_into_auto_takes_two(turns in turns(4, LONG)) {
        run(&turns, |before, event, after, _| {
            if !in_auto(before) && after.auto_expires_at().is_some() {
                let proposer = before.mode().proposal.expect("an open proposal").by;
                match event {
                    Some(Event::Accept { by, .. }) => assert_ne!(*by, proposer),
                    other => panic!("auto by {other:?}"),
                }
            }
            let accepted = after.mode_for(None, before.now()).accepted;
            assert!(accepted.is_none_or(|accepted| accepted.len() >= 2));
        });
    }

    #[test]
    fn one_participant_alone_never_reaches_auto(turns in turns(1, LONG)) {
        run(&turns, |_, _, after, _| assert_eq!(after.auto_expires_at(), None));
    }

    #[test]
    fn without_expiry_an_overdue_auto_is_moved_by_nothing(
        turns in turns(4, LONG),
        late in turns(4, 1..10),
    ) {
        run(&turns, |before, _, after, _| {
            let Some(expires_at) = after.auto_expires_at() else { return };
            for turn in &late {
                let event = event(&turn.act(current(before)));
                if let Ok(step) = after.step(&event, expires_at.plus_millis(turn.pause), &bounds()) {
                    assert_eq!((step.changed, &step.notice), (false, &None));
                }
            }
        });
    }
}

/// The strings above must come to auto often, and leave it in every way, or the properties say little.
#[test]
fn random_strings_come_to_auto_and_leave_it_in_every_way() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let strategy = turns(4, LONG);
    let mut causes = std::collections::HashMap::new();
    for _ in 0..256 {
        let turns = strategy.new_tree(&mut runner).unwrap().current();
        run(&turns, |_, _, _, notice| {
            if let Some((cause, ..)) = exit(notice) {
                *causes.entry(cause).or_insert(0_u32) += 1;
            }
        });
    }
    assert_eq!(causes.len(), 9, "{causes:?}");
    assert!(causes.values().all(|times| *times >= 5), "{causes:?}");
}
