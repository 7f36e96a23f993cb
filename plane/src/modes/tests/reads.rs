//! What is stored and what readers are told.

use serde_json::{Value, json};
use wire::event::ModeName;

use super::*;

fn mode(session: &Session, participant: Option<u8>) -> Value {
    serde_json::to_value(session.state.mode_for(participant.map(who), session.now())).unwrap()
}

fn stored(state: &ModeState) -> Value {
    serde_json::to_value(state).unwrap()
}

const A: &str = "a0a0a0a0-a0a0-a0a0-a0a0-a0a0a0a0a0a0";
const B: &str = "a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1";
const P: &str = "01010101-0101-0101-0101-010101010101";

#[test]
fn outside_auto_the_effective_mode_is_the_sessions() {
    let shown = json!({"name": "relay", "effective": "relay"});
    assert_eq!(mode(&Session::relay(), Some(ANA)), shown);
    assert_eq!(mode(&Session::relay(), None), shown);
}

#[test]
fn a_proposal_is_shown_with_its_goal_until_it_lapses() {
    let mut session = Session::new();
    session.ok(&propose(ANA, 1, 10, 600));
    assert_eq!(
        mode(&session, Some(BEN)),
        json!({
            "name": "observe",
            "effective": "observe",
            "proposal": {
                "proposal_id": P,
                "by": A,
                "budget": 10,
                "ttl_s": 600,
                "lapses_at": "2026-01-02T03:14:05.000Z",
                "goal": {"participant_id": A, "epoch": 7, "proposal_id": P, "sealed": "AQL_"},
            },
        })
    );
    session.pass_seconds(600);
    assert_eq!(
        mode(&session, Some(BEN)),
        json!({"name": "observe", "effective": "observe"})
    );
}

#[test]
fn in_auto_it_depends_on_consent() {
    let mut session = Session::in_auto(10);
    session.ok(&say(BEN, Signal::Done));
    let mut shown = json!({
        "name": "auto",
        "effective": "auto",
        "proposal_id": P,
        "budget_left": 9,
        "expires_at": "2026-01-02T03:14:05.000Z",
        "accepted": [A, B],
        "done": [B],
        "goal": {"participant_id": A, "epoch": 7, "proposal_id": P, "sealed": "AQL_"},
    });
    assert_eq!(mode(&session, Some(ANA)), shown);
    assert_eq!(mode(&session, None), shown);
    shown["effective"] = json!("observe");
    assert_eq!(mode(&session, Some(CLO)), shown);
    session.pass_seconds(600);
    assert_eq!(
        mode(&session, Some(ANA)),
        json!({"name": "observe", "effective": "observe"})
    );
    assert_eq!(
        session.state.effective(who(ANA), session.now()),
        ModeName::Observe
    );
}

#[test]
fn deadlines() {
    let mut session = Session::new();
    assert_eq!(
        (session.state.next_deadline(), session.state.auto_expires_at()),
        (None, None)
    );
    session.ok(&propose(ANA, 1, 10, 60));
    assert_eq!(session.state.next_deadline(), Some(at(600_000)));
    assert_eq!(session.state.auto_expires_at(), None);
    session.ok(&accept(BEN, 1));
    assert_eq!(session.state.next_deadline(), Some(at(60_000)));
    assert_eq!(session.state.auto_expires_at(), Some(at(60_000)));
}

#[test]
fn the_fingerprint_moves_with_the_mode_and_not_with_messages() {
    let mut session = Session::new();
    let mut moves = |event: &Event, expected: bool| {
        let before = session.state.fingerprint();
        session.ok(event);
        assert_eq!(session.state.fingerprint() != before, expected, "{event:?}");
    };
    moves(&propose(ANA, 1, 10, 600), true);
    moves(&Event::SetRelay, true);
    moves(&post(ANA), false);
    moves(&accept(BEN, 1), true);
    moves(&post(ANA), false);
    moves(&say(ANA, Signal::Done), false);
    moves(&accept(CLO, 1), true);
    moves(&leave(CLO), true);
    moves(&Event::Stop, true);
    moves(&Event::Stop, false);
    moves(&propose(ANA, 2, 10, 600), true);
    moves(&Event::SetObserve, true);
}

#[test]
fn the_stored_form_is_frozen() {
    let fresh = json!({"standing": {"manual": {"mode": "observe"}}, "recent": []});
    assert_eq!(stored(&ModeState::default()), fresh);

    let terms = json!({
        "proposal_id": P, "by": A, "budget": 10, "ttl_s": 600, "goal": {"epoch": 7, "sealed": "AQL_"},
    });
    let mut session = Session::relay();
    session.ok(&propose(ANA, 1, 10, 600));
    let proposed = json!({
        "standing": {"manual": {
            "mode": "relay",
            "proposal": {"terms": terms, "by_kind": "agent", "lapses_at": "2026-01-02T03:14:05.000Z"},
        }},
        "recent": [P],
    });
    assert_eq!(stored(&session.state), proposed);
    assert_eq!(
        serde_json::from_value::<ModeState>(proposed).unwrap(),
        session.state
    );

    session.ok(&accept(HUE, 1));
    session.ok(&say(ANA, Signal::Continue));
    let auto = json!({
        "standing": {"auto": {
            "terms": terms,
            "spent": 1,
            "expires_at": "2026-01-02T03:14:05.000Z",
            "accepted": {
                A: {"kind": "agent", "done": false},
                "a2a2a2a2-a2a2-a2a2-a2a2-a2a2a2a2a2a2": {"kind": "human", "done": false},
            },
        }},
        "recent": [P],
    });
    assert_eq!(stored(&session.state), auto);
    assert_eq!(serde_json::from_value::<ModeState>(auto).unwrap(), session.state);
}

#[test]
fn an_unknown_stored_field_is_refused() {
    for path in [
        "",
        "/standing/auto",
        "/standing/auto/terms",
        "/standing/auto/terms/goal",
    ] {
        let mut value = stored(&Session::in_auto(10).state);
        assert!(serde_json::from_value::<ModeState>(value.clone()).is_ok());
        value.pointer_mut(path).unwrap()["extra"] = json!(1);
        assert!(serde_json::from_value::<ModeState>(value).is_err(), "{path}");
    }
}
