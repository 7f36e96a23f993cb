//! How the strings are made: consent of two is frequent, or auto would rarely be reached.

use proptest::collection::{SizeRange, vec};
use proptest::prelude::*;
use wire::api::Signal;

use super::model::Act;

/// A proposal by its number, or the one that is open or in force.
#[derive(Debug, Clone, Copy)]
enum Which {
    Current,
    Number(u8),
}

/// An act, how long before it nothing happens, and which proposal it is about.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    /// Milliseconds.
    pub(crate) pause: i64,
    act: Act,
    which: Which,
}

impl Turn {
    /// The act, now that it is known which proposal is open or in force.
    pub(crate) fn act(&self, current: Option<u8>) -> Act {
        let id = match self.which {
            Which::Current => current.unwrap_or(0),
            Which::Number(number) => number,
        };
        match self.act.clone() {
            Act::Accept { by, .. } => Act::Accept { by, id },
            Act::Decline { .. } => Act::Decline { id },
            act => act,
        }
    }
}

fn which() -> impl Strategy<Value = Which> {
    prop_oneof![6 => Just(Which::Current), 1 => (1..24u8).prop_map(Which::Number)]
}

fn someone(most: u8) -> impl Strategy<Value = u8> {
    0..most
}

fn signal() -> impl Strategy<Value = Option<Signal>> {
    prop_oneof![
        4 => Just(None),
        1 => Just(Some(Signal::Continue)),
        6 => Just(Some(Signal::Done)),
        1 => Just(Some(Signal::Blocked)),
    ]
}

fn budget() -> impl Strategy<Value = u32> {
    prop_oneof![12 => 1..8u32, 1 => Just(200), 1 => Just(0), 1 => Just(201)]
}

fn ttl_s() -> impl Strategy<Value = u32> {
    prop_oneof![12 => 60..400u32, 1 => Just(28_800), 1 => Just(59), 1 => Just(28_801)]
}

/// Acts of the first `most` participants.
fn act(most: u8) -> impl Strategy<Value = Act> {
    prop_oneof![
        1 => Just(Act::Observe),
        1 => Just(Act::Relay),
        4 => (someone(most), 1..24u8, budget(), ttl_s())
            .prop_map(|(by, id, budget, ttl_s)| Act::Propose { by, id, budget, ttl_s }),
        6 => someone(most).prop_map(|by| Act::Accept { by, id: 0 }),
        1 => Just(Act::Decline { id: 0 }),
        18 => (someone(most), signal(), any::<bool>())
            .prop_map(|(by, signal, expect)| Act::Post { by, signal, expect }),
        2 => Just(Act::Stop),
        4 => someone(most).prop_map(|by| Act::Leave { by }),
        1 => Just(Act::Rekey),
        1 => Just(Act::End),
    ]
}

/// Milliseconds: mostly a moment, sometimes as long as an auto or a proposal lives.
fn pause() -> impl Strategy<Value = i64> {
    prop_oneof![20 => 0..2_000i64, 2 => 0..100_000i64, 1 => 0..700_000i64, 1 => Just(60_000)]
}

fn turn(most: u8) -> impl Strategy<Value = Turn> {
    (pause(), act(most), which()).prop_map(|(pause, act, which)| Turn { pause, act, which })
}

/// Somebody proposes, and somebody, perhaps another one, accepts at once.
fn consent(most: u8) -> impl Strategy<Value = Vec<Turn>> {
    (someone(most), someone(most), 1..24u8, 1..8u32, 60..400u32).prop_map(|(by, other, id, budget, ttl_s)| {
        let acts = [
            Act::Propose {
                by,
                id,
                budget,
                ttl_s,
            },
            Act::Accept { by: other, id: 0 },
        ];
        let turn = |act| Turn {
            pause: 10,
            act,
            which: Which::Current,
        };
        acts.map(turn).into()
    })
}

/// Strings of the first `most` participants, of so many parts of one or two turns.
pub(crate) fn turns(most: u8, parts: impl Into<SizeRange>) -> impl Strategy<Value = Vec<Turn>> {
    let part = prop_oneof![5 => turn(most).prop_map(|turn| vec![turn]), 1 => consent(most)];
    vec(part, parts).prop_map(|parts| parts.concat())
}
