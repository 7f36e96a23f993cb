//! Rows whose feature is not there yet: the table says so.

use anyhow::{Result, bail};
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::{Figure, Goal, Sample};
use crate::fixture::{Fixture, Store};

/// A row without a feature.
#[derive(Debug)]
pub(crate) struct Missing {
    name: &'static str,
    title: &'static str,
    why: &'static str,
}

/// Claims.
pub(crate) const CLAIM: Missing = Missing {
    name: "claim",
    title: "claim create, 1 and 16 clients on one session",
    why: "the plane has no claims",
};

impl Figure for Missing {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn store(&self) -> Option<Store> {
        None
    }

    fn goals(&self) -> &'static [Goal] {
        &[]
    }

    fn method(&self) -> &'static str {
        self.why
    }

    fn missing(&self) -> Option<&'static str> {
        Some(self.why)
    }

    fn round<'a>(&'a mut self, _: &'a mut Fixture<'_>, _: usize) -> LocalBoxFuture<'a, Result<Sample>> {
        async { bail!("{}", self.why) }.boxed_local()
    }
}
