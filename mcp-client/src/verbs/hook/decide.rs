//! Whether a host's agent is told something at an event, and what. Pure.

use wire::event::ModeName;
use wire::timestamp::Timestamp;

use super::input::{Event, HookInput};
use super::unread::Facts;
use crate::seat::Mark;

/// What is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tell {
    /// That something is unread.
    Unread,
    /// The way back after the host's context was cut.
    WayBack,
    /// Not to end the turn yet.
    GoOn,
}

/// What a session of a host is told now; none is nothing. Each message is told of once, and asked to go on for once.
pub(super) fn decide(event: Event, input: &HookInput, facts: &Facts, mark: Option<Mark>) -> Option<Tell> {
    let unread = facts.unread.messages > 0;
    let newest = facts.unread.newest;
    let is_new = unread && mark.is_none_or(|mark| newest > mark.unread);
    match (event, input.source.as_deref()) {
        (Event::SessionStart, Some("compact" | "resume")) => Some(Tell::WayBack),
        // Of what it was told nothing is left.
        (Event::SessionStart, Some("clear")) => unread.then_some(Tell::Unread),
        (Event::SessionStart | Event::UserPromptSubmit, _) => is_new.then_some(Tell::Unread),
        (Event::Stop, _) => {
            let acts = matches!(facts.mode, ModeName::Relay | ModeName::Auto);
            let unasked = mark.is_none_or(|mark| newest > mark.go_on);
            (unread && acts && unasked && !input.goes_on).then_some(Tell::GoOn)
        }
    }
}

/// The mark after it was told.
pub(super) fn noted(tell: Tell, facts: &Facts, mark: Option<Mark>, now: Timestamp) -> Mark {
    let newest = facts.unread.newest;
    Mark {
        at: now,
        unread: newest.max(mark.map_or(0, |mark| mark.unread)),
        go_on: match tell {
            Tell::GoOn => newest,
            Tell::Unread | Tell::WayBack => mark.map_or(0, |mark| mark.go_on),
        },
    }
}
