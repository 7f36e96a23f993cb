//! One test for each row of the transition table of `modes.md`, with the notice's exact text, and one for each
//! rule of `plane-api.md`, Modes.

use wire::api::Signal;
use wire::event::ModeName;

use super::*;

const LEFT_BY_REQUEST: &str =
    r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"requested","spent":0,"budget":10}"#;

#[test]
fn set_observe() {
    let mut session = Session::relay();
    session.ok(&propose(ANA, 1, 10, 600));
    assert_eq!(
        session.ok(&Event::SetObserve).unwrap(),
        r#"{"event":"mode_changed","from":"relay","to":"observe","cause":"requested"}"#
    );
    assert_eq!(session.mode().proposal, None);

    session = Session::in_auto(10);
    assert_eq!(session.ok(&Event::SetObserve).unwrap(), LEFT_BY_REQUEST);
    assert_eq!(session.mode().name, ModeName::Observe);
}

#[test]
fn set_observe_in_observe_drops_the_proposal_without_a_notice() {
    let mut session = Session::new();
    session.ok(&propose(ANA, 1, 10, 600));
    assert_eq!(session.ok(&Event::SetObserve), None);
    assert_eq!(session.mode().proposal, None);
    assert_eq!(session.refused(&accept(BEN, 1)), Refused::ProposalGone);
}

#[test]
fn set_relay_keeps_the_proposal() {
    let mut session = Session::new();
    session.ok(&propose(ANA, 1, 10, 600));
    assert_eq!(
        session.ok(&Event::SetRelay).unwrap(),
        r#"{"event":"mode_changed","from":"observe","to":"relay","cause":"requested"}"#
    );
    assert_eq!(session.mode().proposal.unwrap().proposal_id, proposal(1));
    assert_eq!(Session::in_auto(10).refused(&Event::SetRelay), Refused::InAuto);
}

#[test]
fn setting_the_mode_in_force_changes_nothing() {
    Session::new().unmoved(&Event::SetObserve);
    let mut session = Session::relay();
    session.ok(&propose(ANA, 1, 10, 600));
    session.unmoved(&Event::SetRelay);
}

#[test]
fn propose_auto() {
    let mut session = Session::new();
    assert_eq!(
        session.ok(&propose(ANA, 1, 7, 120)).unwrap(),
        r#"{"event":"auto_proposed","budget":7,"ttl_s":120}"#
    );
    let shown = session.mode().proposal.unwrap();
    assert_eq!((shown.proposal_id, shown.by), (proposal(1), who(ANA)));
    assert_eq!((shown.budget, shown.ttl_s), (7, 120));
    assert_eq!(shown.lapses_at, at(600_000));
    assert_eq!(session.mode().name, ModeName::Observe);
}

#[test]
fn a_proposal_replaces_an_earlier_one() {
    let mut session = Session::new();
    session.ok(&propose(ANA, 1, 7, 120));
    session.ok(&propose(BEN, 2, 8, 121));
    assert_eq!(session.refused(&accept(CLO, 1)), Refused::ProposalGone);
    session.ok(&accept(CLO, 2)).unwrap();
}

#[test]
fn what_a_proposal_leaves_open_is_the_default() {
    let open = Event::Propose {
        id: proposal(1),
        by: who(ANA),
        kind: Kind::Agent,
        budget: None,
        ttl_s: None,
        goal: goal(),
    };
    let mut session = Session::new();
    assert_eq!(
        session.ok(&open).unwrap(),
        r#"{"event":"auto_proposed","budget":20,"ttl_s":1800}"#
    );

    let tight = Bounds {
        max_budget: 5,
        max_ttl_s: 90,
        ..bounds()
    };
    let step = ModeState::default().step(&open, at(0), &tight).unwrap();
    assert_eq!(
        json(&step.notice.unwrap()),
        r#"{"event":"auto_proposed","budget":5,"ttl_s":90}"#
    );
}

#[test]
fn budget_and_time_are_bounded() {
    for (budget, ttl_s) in [(1, 60), (200, 28_800)] {
        Session::new().ok(&propose(ANA, 1, budget, ttl_s)).unwrap();
    }
    let cases = [
        (0, 600, "min_budget"),
        (201, 600, "max_budget"),
        (u32::MAX, 600, "max_budget"),
        (10, 0, "min_ttl_s"),
        (10, 59, "min_ttl_s"),
        (10, 28_801, "max_ttl_s"),
        (10, u32::MAX, "max_ttl_s"),
    ];
    for (budget, ttl_s, name) in cases {
        match Session::new().refused(&propose(ANA, 1, budget, ttl_s)) {
            Refused::BadRequest { limit, .. } => assert_eq!(limit, name),
            other => panic!("{budget} posts in {ttl_s} s: {other:?}"),
        }
    }
}

#[test]
fn accept_first() {
    let mut session = Session::relay();
    session.ok(&propose(ANA, 1, 10, 600));
    session.pass_seconds(30);
    assert_eq!(
        session.ok(&accept(BEN, 1)).unwrap(),
        r#"{"event":"mode_changed","from":"relay","to":"auto","cause":"accepted","budget":10,"ttl_s":600}"#
    );
    let mode = session.mode();
    assert_eq!(mode.name, ModeName::Auto);
    assert_eq!(mode.budget_left, Some(10));
    assert_eq!(
        mode.expires_at,
        Some(at(630_000)),
        "the time starts at acceptance"
    );
    assert_eq!(mode.accepted, Some(vec![who(ANA), who(BEN)]));
    assert_eq!(mode.proposal, None);
}

#[test]
fn accept_first_takes_another_than_the_proposer_and_a_proposal_that_is_alive() {
    let mut session = Session::new();
    session.ok(&propose(ANA, 1, 10, 600));
    assert!(matches!(
        session.refused(&accept(ANA, 1)),
        Refused::Forbidden { .. }
    ));
    assert_eq!(session.refused(&accept(BEN, 2)), Refused::ProposalGone);
    session.millis = 600_000;
    assert_eq!(session.refused(&accept(BEN, 1)), Refused::ProposalGone);
    session.millis = 599_999;
    session.ok(&accept(BEN, 1)).unwrap();
}

#[test]
fn accept_later() {
    let mut session = Session::in_auto(10);
    assert_eq!(session.ok(&accept(CLO, 1)), None);
    assert_eq!(session.mode().accepted, Some(vec![who(ANA), who(BEN), who(CLO)]));
    session.unmoved(&accept(CLO, 1));
    session.unmoved(&accept(ANA, 1));
    assert_eq!(session.refused(&accept(HUE, 2)), Refused::ProposalGone);
}

#[test]
fn decline_drops_the_proposal() {
    let mut session = Session::relay();
    session.ok(&propose(ANA, 1, 10, 600));
    assert_eq!(session.refused(&decline(2)), Refused::ProposalGone);
    assert_eq!(session.ok(&decline(1)).unwrap(), r#"{"event":"auto_declined"}"#);
    assert_eq!(
        (session.mode().name, session.mode().proposal),
        (ModeName::Relay, None)
    );
    assert_eq!(session.refused(&decline(1)), Refused::ProposalGone);
    assert_eq!(Session::in_auto(10).refused(&decline(1)), Refused::ProposalGone);
}

#[test]
fn post_in_auto_spends_one_whoever_writes() {
    let mut session = Session::in_auto(10);
    for (author, left) in [(ANA, 9), (HUE, 8), (CLO, 7), (BEN, 6)] {
        assert_eq!(session.ok(&post(author)), None);
        assert_eq!(session.mode().budget_left, Some(left));
    }
    Session::relay().unmoved(&post(ANA));
}

#[test]
fn the_post_that_spends_the_last_unit() {
    let mut session = Session::in_auto(2);
    assert_eq!(session.ok(&post_for_auto(ANA)), None);
    assert_eq!(
        session.ok(&post_for_auto(BEN)).unwrap(),
        r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"budget_spent","spent":2,"budget":2}"#
    );
    session.unmoved(&post(ANA));
}

#[test]
fn the_clock_reaches_expires_at() {
    let mut session = Session::in_auto(10);
    session.ok(&post(ANA));
    session.millis = 599_999;
    assert_eq!(session.expire(), None);
    assert_eq!(session.mode().name, ModeName::Auto);
    session.millis = 600_000;
    assert_eq!(session.mode().name, ModeName::Observe);
    assert_eq!(
        session.expire().unwrap(),
        r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"ttl_expired","spent":1,"budget":10}"#
    );
    assert_eq!(session.state.expire(session.now()), None);
}

#[test]
fn a_proposal_lapses_without_a_notice() {
    let mut session = Session::relay();
    session.ok(&propose(ANA, 1, 10, 60));
    session.millis = 600_000;
    let (state, notice) = session.state.expire(session.now()).unwrap();
    assert_eq!(notice, None);
    assert_eq!(state.mode_for(None, at(0)).proposal, None);
    assert_eq!(state.name(at(0)), ModeName::Relay);
}

#[test]
fn all_agents_done() {
    let mut session = Session::in_auto(10);
    session.ok(&accept(HUE, 1));
    assert_eq!(session.ok(&say(ANA, Signal::Done)), None);
    assert_eq!(session.mode().done, Some(vec![who(ANA)]));
    assert_eq!(
        session.ok(&say(BEN, Signal::Done)).unwrap(),
        r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"all_done","spent":2,"budget":10}"#
    );
}

#[test]
fn continue_takes_done_back_and_silence_does_not() {
    let mut session = Session::in_auto(10);
    session.ok(&say(ANA, Signal::Done));
    session.ok(&post(ANA));
    session.ok(&say(BEN, Signal::Continue));
    assert_eq!(session.mode().done, Some(vec![who(ANA)]));
    session.ok(&say(ANA, Signal::Continue));
    assert_eq!(session.mode().done, Some(vec![]));
    assert_eq!(session.ok(&say(BEN, Signal::Done)), None);
}

#[test]
fn people_alone_are_never_all_done() {
    let mut session = Session::new();
    let person = |index: u8| Event::Accept {
        id: proposal(1),
        by: who(index),
        kind: Kind::Human,
    };
    session.ok(&propose(HUE, 1, 10, 600));
    session.ok(&person(9));
    assert_eq!(session.ok(&say(HUE, Signal::Done)), None);
    assert_eq!(session.ok(&say(9, Signal::Done)), None);
    assert_eq!(session.mode().name, ModeName::Auto);
}

#[test]
fn blocked() {
    let mut session = Session::in_auto(10);
    assert_eq!(
        session.ok(&say(BEN, Signal::Blocked)).unwrap(),
        r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"blocked","spent":1,"budget":10}"#
    );
}

#[test]
fn signals_of_those_who_did_not_accept_count_for_nothing() {
    let mut session = Session::in_auto(10);
    assert_eq!(session.ok(&say(CLO, Signal::Done)), None);
    assert_eq!(session.ok(&say(CLO, Signal::Blocked)), None);
    assert_eq!(
        (session.mode().done, session.mode().budget_left),
        (Some(vec![]), Some(8))
    );
    Session::relay().unmoved(&say(ANA, Signal::Blocked));
}

#[test]
fn of_several_causes_the_first_counts() {
    let mut session = Session::in_auto(1);
    assert_eq!(
        session.ok(&say(ANA, Signal::Blocked)).unwrap(),
        r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"blocked","spent":1,"budget":1}"#
    );
    session = Session::in_auto(2);
    session.ok(&say(ANA, Signal::Done));
    assert_eq!(
        session.ok(&say(BEN, Signal::Done)).unwrap(),
        r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"all_done","spent":2,"budget":2}"#
    );
}

#[test]
fn stop() {
    assert_eq!(
        Session::in_auto(10).ok(&Event::Stop).unwrap(),
        r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"stopped","spent":0,"budget":10}"#
    );
    let mut session = Session::relay();
    session.ok(&propose(ANA, 1, 10, 600));
    session.unmoved(&Event::Stop);
}

#[test]
fn fewer_than_two_of_accepted_remain() {
    let mut session = Session::in_auto(10);
    session.ok(&accept(CLO, 1));
    session.unmoved(&leave(HUE));
    assert_eq!(session.ok(&leave(ANA)), None);
    assert_eq!(session.mode().accepted, Some(vec![who(BEN), who(CLO)]));
    assert_eq!(
        session.ok(&leave(CLO)).unwrap(),
        r#"{"event":"mode_changed","from":"auto","to":"observe","cause":"left","spent":0,"budget":10}"#
    );
}

#[test]
fn leaving_takes_the_done_along() {
    let mut session = Session::in_auto(10);
    session.ok(&accept(CLO, 1));
    session.ok(&say(ANA, Signal::Done));
    session.ok(&leave(ANA));
    assert_eq!(session.mode().done, Some(vec![]));
    session.ok(&accept(ANA, 1));
    assert_eq!(
        session.mode().done,
        Some(vec![]),
        "consent given anew starts anew"
    );
}

#[test]
fn a_proposal_goes_with_its_proposer() {
    let mut session = Session::relay();
    session.ok(&propose(ANA, 1, 10, 600));
    session.unmoved(&leave(BEN));
    assert_eq!(session.ok(&leave(ANA)), None);
    assert_eq!(session.refused(&accept(BEN, 1)), Refused::ProposalGone);
}

#[test]
fn rekey_and_end() {
    for (event, cause) in [(Event::Rekey, "rekeyed"), (Event::End, "ended")] {
        let expected = format!(
            r#"{{"event":"mode_changed","from":"auto","to":"observe","cause":"{cause}","spent":0,"budget":10}}"#
        );
        assert_eq!(Session::in_auto(10).ok(&event).unwrap(), expected);

        let mut session = Session::relay();
        session.ok(&propose(ANA, 1, 10, 600));
        assert_eq!(session.ok(&event), None);
        assert_eq!(
            (session.mode().name, session.mode().proposal),
            (ModeName::Relay, None)
        );
        session.unmoved(&event);
    }
}

#[test]
fn the_current_id_again_changes_nothing() {
    let mut session = Session::new();
    session.ok(&propose(ANA, 1, 10, 600));
    session.pass_seconds(60).unmoved(&propose(ANA, 1, 10, 600));
    session.ok(&accept(BEN, 1));
    session.unmoved(&propose(ANA, 1, 10, 600));
    assert_eq!(session.refused(&propose(ANA, 2, 10, 600)), Refused::InAuto);
}

#[test]
fn the_last_sixteen_ids_can_not_be_used_again() {
    let mut session = Session::new();
    for id in 1..=17 {
        session.ok(&propose(ANA, id, 10, 600)).unwrap();
    }
    for id in 2..=16 {
        assert_eq!(session.refused(&propose(ANA, id, 10, 600)), Refused::ProposalGone);
    }
    session.ok(&propose(ANA, 1, 10, 600)).unwrap();
}

#[test]
fn an_id_stays_used_over_every_way_out() {
    for out in [
        Event::SetObserve,
        Event::Stop,
        Event::Rekey,
        leave(ANA),
        say(ANA, Signal::Blocked),
    ] {
        let mut session = Session::in_auto(10);
        session.ok(&out);
        assert_eq!(session.refused(&propose(ANA, 1, 10, 600)), Refused::ProposalGone);
    }
}

#[test]
fn a_post_for_auto_is_held_against_the_authors_effective_mode() {
    let over = |mode| Refused::AutoOver { mode };
    assert_eq!(
        Session::new().refused(&post_for_auto(ANA)),
        over(ModeName::Observe)
    );
    assert_eq!(
        Session::relay().refused(&post_for_auto(ANA)),
        over(ModeName::Relay)
    );
    let mut session = Session::in_auto(10);
    assert_eq!(session.refused(&post_for_auto(CLO)), over(ModeName::Observe));
    assert_eq!(session.mode().budget_left, Some(10));
    session.pass_seconds(600);
    assert_eq!(session.refused(&post_for_auto(ANA)), over(ModeName::Observe));
}

#[test]
fn an_overdue_auto_is_moved_by_nothing_but_its_expiry() {
    let mut session = Session::in_auto(10);
    session.pass_seconds(600);
    for event in [
        Event::SetObserve,
        post(ANA),
        say(BEN, Signal::Blocked),
        Event::Stop,
    ] {
        session.unmoved(&event);
    }
    for event in [leave(ANA), leave(BEN), Event::Rekey, Event::End] {
        session.unmoved(&event);
    }
    assert_eq!(session.refused(&Event::SetRelay), Refused::InAuto);
    assert_eq!(session.refused(&propose(ANA, 2, 10, 600)), Refused::InAuto);
    assert_eq!(session.refused(&accept(CLO, 1)), Refused::ProposalGone);
    assert!(
        session
            .expire()
            .unwrap()
            .contains(r#""cause":"ttl_expired","spent":0"#)
    );
}
