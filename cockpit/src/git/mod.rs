//! Asks git, and nothing else: what a working tree is, what differs in it, which commits were made, which merges collide.
//!
//! A repository can name programs to run: hooks, filters, merge drivers, monitors. None of them is run. In the repository's own
//! configuration only `rev-parse`, `config --get`, `for-each-ref` and `rev-list` are called, which execute nothing; everything
//! that compares or merges runs in an empty scratch repository that reads the other's objects and index, and writes nothing into
//! them. Nothing is fetched. Arguments are fixed; paths and ids go in as data, never as options.

mod checkout;
mod commits;
mod format;
mod ignored;
mod look;
mod merges;
mod run;
mod scratch;

pub use checkout::{Checkout, identify};
pub(crate) use commits::made_since;
pub use format::ObjectFormat;
use ignored::Ignored;
pub(crate) use look::look;
pub(crate) use merges::{again, merges_since, unfinished};
pub(crate) use scratch::Scratch;

/// Git could not be asked, or did not answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It is not there.
    #[error("git can't be started: {0}. Install it, or put it on the PATH.")]
    Missing(std::io::Error),
    /// It took too long, and was ended.
    #[error("git took too long")]
    TimedOut,
    /// It printed more than is taken.
    #[error("git printed too much")]
    TooMuch,
    /// It refused.
    #[error("git refused (exit code {code}): {said}")]
    Refused {
        /// Its exit code; -1 if it was ended by a signal.
        code: i32,
        /// The first line of its standard error.
        said: String,
    },
    /// Its answer or one of its files can't be used.
    #[error("{0}")]
    Unusable(#[from] std::io::Error),
}
