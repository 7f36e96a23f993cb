//! How a task came out. Only what a host tells and what a command's exit code says counts: what an agent writes about its own
//! success is shown to the reader and never judged here.

use crate::contract::{End, Outcome};

/// What ended a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The host said how.
    Told(End),
    /// Its conversation was closed before.
    SessionEnded,
    /// The next one began, or the conversation began anew, and nothing had been heard.
    Overtaken,
}

/// The outcome, and by what it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) outcome: Outcome,
    pub(crate) why: &'static str,
}

/// Judges an ending. `check_failed`: how the last check went that the agent ran, if it ran one.
pub(crate) fn verdict(ending: Ending, check_failed: Option<bool>) -> Verdict {
    let (outcome, why) = match (ending, check_failed) {
        (Ending::Told(End::Error), _) => (Outcome::Failed, "host_error"),
        (Ending::Told(End::Finished), Some(true)) => (Outcome::Failed, "check_failed"),
        (Ending::Told(End::Finished), _) => (Outcome::Done, "finished"),
        (Ending::SessionEnded, _) => (Outcome::Failed, "session_ended"),
        // A person who interrupts an agent may have seen enough.
        (Ending::Overtaken, _) => (Outcome::Unknown, "interrupted"),
    };
    Verdict { outcome, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_has_its_outcome() {
        let cases = [
            (Ending::Told(End::Finished), None, Outcome::Done, "finished"),
            (
                Ending::Told(End::Finished),
                Some(false),
                Outcome::Done,
                "finished",
            ),
            (
                Ending::Told(End::Finished),
                Some(true),
                Outcome::Failed,
                "check_failed",
            ),
            (
                Ending::Told(End::Error),
                Some(false),
                Outcome::Failed,
                "host_error",
            ),
            (
                Ending::SessionEnded,
                Some(false),
                Outcome::Failed,
                "session_ended",
            ),
            (Ending::Overtaken, Some(true), Outcome::Unknown, "interrupted"),
        ];
        for (ending, check, outcome, why) in cases {
            assert_eq!(verdict(ending, check), Verdict { outcome, why });
        }
    }
}
