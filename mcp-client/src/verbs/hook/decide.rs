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
        (Event::StopFailure | Event::SessionEnd, _) => None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verbs::hook::unread::Unread;

    fn facts(messages: u32, newest: u64, mode: ModeName) -> Facts {
        Facts {
            session: "6f1c1f5e".to_owned(),
            title: "T".to_owned(),
            unread: Unread { messages, newest },
            mode,
        }
    }

    fn input(source: Option<&str>, goes_on: bool) -> HookInput {
        HookInput {
            source: source.map(str::to_owned),
            goes_on,
            ..HookInput::default()
        }
    }

    fn mark(unread: u64, go_on: u64) -> Option<Mark> {
        let at = Timestamp::from_millis(1);
        Some(Mark { at, unread, go_on })
    }

    #[test]
    fn each_message_is_told_of_once_and_a_cut_context_of_the_way_back() {
        use Event::{SessionStart, UserPromptSubmit};
        let some = facts(2, 9, ModeName::Observe);
        let none = facts(0, 0, ModeName::Observe);
        let cases = [
            (UserPromptSubmit, None, &some, None, Some(Tell::Unread)),
            (UserPromptSubmit, None, &some, mark(9, 0), None),
            (UserPromptSubmit, None, &some, mark(8, 9), Some(Tell::Unread)),
            (UserPromptSubmit, None, &none, None, None),
            (SessionStart, Some("startup"), &some, None, Some(Tell::Unread)),
            (SessionStart, Some("startup"), &some, mark(9, 0), None),
            (SessionStart, Some("clear"), &some, mark(9, 0), Some(Tell::Unread)),
            (SessionStart, Some("clear"), &none, None, None),
            (
                SessionStart,
                Some("compact"),
                &none,
                mark(9, 9),
                Some(Tell::WayBack),
            ),
            (
                SessionStart,
                Some("resume"),
                &some,
                mark(9, 9),
                Some(Tell::WayBack),
            ),
            (SessionStart, Some("a later one"), &some, None, Some(Tell::Unread)),
        ];
        for (event, source, facts, mark, expected) in cases {
            let told = decide(event, &input(source, false), facts, mark);
            assert_eq!(told, expected, "{event:?} {source:?} {mark:?}");
        }
    }

    #[test]
    fn a_turn_is_held_back_once_a_message_where_agents_act_and_never_twice_in_a_row() {
        let acts = facts(1, 9, ModeName::Relay);
        let stop = |facts: &Facts, goes_on, mark| decide(Event::Stop, &input(None, goes_on), facts, mark);
        assert_eq!(stop(&acts, false, None), Some(Tell::GoOn));
        assert_eq!(
            stop(&acts, false, mark(9, 8)),
            Some(Tell::GoOn),
            "told of is not asked for"
        );
        assert_eq!(stop(&acts, false, mark(9, 9)), None);
        assert_eq!(stop(&acts, true, None), None);
        assert_eq!(stop(&facts(1, 9, ModeName::Observe), false, None), None);
        assert_eq!(stop(&facts(0, 0, ModeName::Auto), false, None), None);
    }

    #[test]
    fn what_is_noted_never_goes_back() {
        let now = Timestamp::from_millis(2);
        let read = facts(0, 0, ModeName::Relay);
        let after = noted(Tell::WayBack, &read, mark(9, 7), now);
        assert_eq!((after.at, after.unread, after.go_on), (now, 9, 7));
        let after = noted(Tell::GoOn, &facts(1, 12, ModeName::Relay), mark(9, 7), now);
        assert_eq!((after.unread, after.go_on), (12, 12));
    }
}
