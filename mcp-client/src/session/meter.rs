//! How far the reading of a long transcript is, for whoever shows it to a person. Says numbers, never words.

use std::fmt;
use std::sync::Arc;

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Records of this machine's cache are verified and opened.
    Opening,
    /// Records are fetched from the plane, verified and opened.
    Fetching,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// What is being done.
    pub step: Step,
    /// The seq reached.
    pub done: u64,
    /// The seq to reach.
    pub of: u64,
}

/// Who is told. Cheap to clone; one that was not given anybody tells nobody.
#[derive(Clone, Default)]
pub struct Meter(Option<Arc<dyn Fn(Reading) + Send + Sync>>);

impl Meter {
    /// Tells `show`, once for each page of records; it must return at once.
    pub fn new(show: impl Fn(Reading) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(show)))
    }

    pub(super) fn tell(&self, step: Step, done: u64, of: u64) {
        if let Some(show) = &self.0 {
            show(Reading { step, done, of });
        }
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Meter")
    }
}
