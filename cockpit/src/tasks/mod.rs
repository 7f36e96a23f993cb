//! From events and git's facts to tasks. Pure: no I/O and no clock.
//!
//! - `outcome`: how a task came out, as far as that can be observed
//! - `changed`: what it changed
//! - `collisions`: where that collided on a merge

mod changed;
mod collisions;
mod outcome;

pub(crate) use changed::{Changed, Dirty, Extent, Listing, changed};
pub(crate) use collisions::{Collided, Known, collisions};
pub(crate) use outcome::{Ending, Verdict, verdict};

/// A commit. Times of git are seconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) hash: String,
    pub(crate) at: i64,
    pub(crate) subject: String,
    pub(crate) paths: Vec<String>,
}

/// A merge commit of two lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Merged {
    pub(crate) hash: String,
    pub(crate) at: i64,
    pub(crate) parents: [String; 2],
}

/// A merge that was made again, or one that is unfinished: it has no commit and no time yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Merge {
    pub(crate) hash: Option<String>,
    pub(crate) at: Option<i64>,
    /// What collided.
    pub(crate) paths: Vec<String>,
    /// What each side, and not the other, did to those paths, the newest first.
    pub(crate) sides: [Vec<Commit>; 2],
}
