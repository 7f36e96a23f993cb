//! The machine against its table (`rows`), its stored form and readings (`reads`), and random event strings
//! (`properties`, by the strings and the independent model of `tests/support`).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "../../../tests/support/mode_strings/mod.rs"]
mod mode_strings;
mod properties;
mod reads;
mod rows;

use wire::api::Signal;
use wire::encoding::Blob;
use wire::event::{Kind, Notice};
use wire::ids::{ParticipantId, ProposalId};
use wire::timestamp::Timestamp;

use mode_strings::{ANA, BEN, CLO, HUE};

use super::{Bounds, Event, Goal, ModeState, Refused};
use crate::limits::Limits;

/// 2026-01-02T03:04:05.000Z.
const START: i64 = 1_767_323_045_000;

fn at(millis_after_start: i64) -> Timestamp {
    Timestamp::from_millis(START + millis_after_start)
}

fn who(index: u8) -> ParticipantId {
    ParticipantId::from_bytes([0xa0 + index; 16])
}

fn kind_of(index: u8) -> Kind {
    if index == HUE { Kind::Human } else { Kind::Agent }
}

fn proposal(index: u8) -> ProposalId {
    ProposalId::from_bytes([index; 16])
}

fn bounds() -> Bounds {
    Bounds::from(&Limits::default())
}

fn goal() -> Goal {
    Goal {
        epoch: 7,
        sealed: Blob(vec![1, 2, 255]),
    }
}

fn propose(by: u8, id: u8, budget: u32, ttl_s: u32) -> Event {
    Event::Propose {
        id: proposal(id),
        by: who(by),
        kind: kind_of(by),
        budget: Some(budget),
        ttl_s: Some(ttl_s),
        goal: goal(),
    }
}

fn accept(by: u8, id: u8) -> Event {
    Event::Accept {
        id: proposal(id),
        by: who(by),
        kind: kind_of(by),
    }
}

fn decline(id: u8) -> Event {
    Event::Decline { id: proposal(id) }
}

fn post(author: u8) -> Event {
    Event::Post {
        author: who(author),
        signal: None,
        expect_auto: false,
    }
}

fn post_for_auto(author: u8) -> Event {
    Event::Post {
        author: who(author),
        signal: None,
        expect_auto: true,
    }
}

fn say(author: u8, signal: Signal) -> Event {
    Event::Post {
        author: who(author),
        signal: Some(signal),
        expect_auto: false,
    }
}

fn leave(index: u8) -> Event {
    Event::Leave { who: who(index) }
}

fn json(notice: &Notice) -> String {
    serde_json::to_string(notice).unwrap()
}

/// A session as a caller keeps it: what is due is applied first, a refusal changes nothing.
struct Session {
    state: ModeState,
    millis: i64,
}

impl Session {
    fn new() -> Self {
        Self {
            state: ModeState::default(),
            millis: 0,
        }
    }

    /// Ana proposed with this budget for 600 s, Ben accepted at once.
    fn in_auto(budget: u32) -> Self {
        let mut session = Self::new();
        session.ok(&propose(ANA, 1, budget, 600));
        session.ok(&accept(BEN, 1));
        session
    }

    fn relay() -> Self {
        let mut session = Self::new();
        session.ok(&Event::SetRelay);
        session
    }

    fn now(&self) -> Timestamp {
        at(self.millis)
    }

    fn pass_seconds(&mut self, seconds: i64) -> &mut Self {
        self.millis += seconds * 1_000;
        self
    }

    fn expire(&mut self) -> Option<String> {
        let (state, notice) = self.state.expire(self.now())?;
        self.state = state;
        notice.as_ref().map(json)
    }

    /// The event's notice, serialised. Nothing may be due.
    fn ok(&mut self, event: &Event) -> Option<String> {
        assert_eq!(self.state.expire(self.now()), None, "expire first");
        let step = self.state.step(event, self.now(), &bounds()).unwrap();
        assert_eq!(step.changed, step.state != self.state);
        self.state = step.state;
        step.notice.as_ref().map(json)
    }

    /// The event is taken, changes nothing and has no notice.
    fn unmoved(&mut self, event: &Event) {
        let step = self.state.step(event, self.now(), &bounds()).unwrap();
        assert_eq!((step.notice, step.changed), (None, false));
        assert_eq!(step.state, self.state);
    }

    fn refused(&self, event: &Event) -> Refused {
        self.state.step(event, self.now(), &bounds()).unwrap_err()
    }

    fn mode(&self) -> wire::api::Mode {
        self.state.mode_for(None, self.now())
    }
}
