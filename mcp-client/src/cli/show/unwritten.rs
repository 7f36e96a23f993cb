//! What a command has done although its answer could not be written: whoever gets an error instead must not do it twice.

use std::io;

use crate::verbs::{Failure, code};

/// What stands without the answer.
pub(crate) enum Unwritten {
    /// It only looked.
    Looked,
    /// It would have shown what now counts as unread.
    Unread,
    /// Something was done: what, as the beginning of a sentence, and what to do about the answer.
    Done {
        /// What was done.
        what: String,
        /// What to do, and what not.
        then: &'static str,
    },
}

impl Unwritten {
    /// Something was done.
    pub(crate) fn done(what: impl Into<String>, then: &'static str) -> Self {
        Self::Done {
            what: what.into(),
            then,
        }
    }

    /// The failure to say on standard error.
    pub(crate) fn because_of(self, error: &io::Error) -> Failure {
        let not = format!("the answer could not be written to standard output ({error})");
        let text = match self {
            Self::Looked => {
                format!(
                    "Nothing was changed, but {not}. Run the command again with an output that can be written."
                )
            }
            Self::Unread => format!(
                "What was fetched counts as unread: {not}. Run the command again with an output that can be written."
            ),
            Self::Done { what, then } => format!("{what}, but {not}: {then}"),
        };
        Failure::new(code::LOCAL_FILE, text)
    }
}
