//! Durable appends by many writers of one session: its row is one lock, and only batches get past it.

use std::sync::Arc;

use anyhow::Result;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::{Figure, Goal, Sample, Unit, Value, missed, order};
use crate::baseline::pgbench;
use crate::fixture::{Fixture, Site, Store};
use crate::load::append::{self, Posts};
use crate::load::seat;
use crate::system::cpu::Meter;
use crate::system::disk;

const WRITERS: usize = 64;
const GOALS: &[Goal] = &[Goal::at_least(5.0, "of pgbench")];

/// 64 writers in one session.
#[derive(Debug)]
pub(crate) struct Hot {
    store: Store,
    /// One of each writer.
    posts: Vec<Arc<Posts>>,
}

impl Hot {
    /// Nobody writes yet.
    pub(crate) const fn new(store: Store) -> Self {
        Self {
            store,
            posts: Vec::new(),
        }
    }

    async fn enter(&mut self, site: &Site) -> Result<()> {
        if self.posts.is_empty() {
            let owner = site.new_session().await?;
            let seats = seat::joined(site.plane.address, &owner, WRITERS).await?;
            self.posts = seats
                .iter()
                .map(|seat| Arc::new(Posts::new(std::iter::once(seat), &site.sealed)))
                .collect();
        }
        Ok(())
    }
}

impl Figure for Hot {
    fn name(&self) -> &'static str {
        "append-hot"
    }

    fn title(&self) -> &'static str {
        "durable appends, 64 writers in one session"
    }

    fn store(&self) -> Option<Store> {
        Some(self.store)
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "64 participants of one session, a connection each with one post under way. pgbench: 64 clients, one row a transaction, \
         on one head row."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            let site = fixture.site(self.store).await?;
            self.enter(&site).await?;
            let (url, body) = (site.baselines()?, site.sealed.len());
            let (folder, part) = (fixture.folder.path(), fixture.options.part());
            let before = disk::sync_time(&site.folder)?;
            let (mut ours, mut bare, mut cores) = (None, None, Vec::new());
            for step in order(2, round) {
                if step == 0 {
                    let meter = Meter::start(&site.trees());
                    ours = Some(append::run(site.plane.address, &self.posts, WRITERS, part).await?);
                    cores = meter.cores();
                } else {
                    bare = Some(pgbench::append(url, folder, body, (WRITERS, 1), part).await?);
                }
            }
            let after = disk::sync_time(&site.folder)?;
            let (ours, bare) = (ours.ok_or_else(missed)?, bare.ok_or_else(missed)?);
            Ok(Sample {
                values: vec![
                    Value::new("appends", Unit::PerSecond, ours.rate),
                    Value::new("pgbench", Unit::PerSecond, bare.rate),
                    Value::new("p50", Unit::Micros, append::micros(&ours.latency, 0.5)),
                    Value::new("p99", Unit::Micros, append::micros(&ours.latency, 0.99)),
                ],
                judged: vec![ours.rate / bare.rate],
                sync: Some((before, after)),
                cores,
            })
        }
        .boxed_local()
    }
}
