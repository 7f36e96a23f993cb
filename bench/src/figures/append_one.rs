//! One durable append after the other by one client: what a message costs when nobody else writes.

use anyhow::Result;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::{Figure, Goal, Sample, Unit, Value, missed, order};
use crate::baseline::pgbench;
use crate::fixture::{Fixture, Store};
use crate::load::append;
use crate::system::cpu::Meter;
use crate::system::disk;

const GOALS: &[Goal] = &[Goal::at_most(2.0, "of pgbench")];

/// One client.
#[derive(Debug)]
pub(crate) struct One(pub(crate) Store);

impl Figure for One {
    fn name(&self) -> &'static str {
        "append-one"
    }

    fn title(&self) -> &'static str {
        "one append, one client, p50"
    }

    fn store(&self) -> Option<Store> {
        Some(self.0)
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "One connection, one post after the other, to sessions drawn at random. pgbench: one client, the mean of its latencies, \
         which is all it tells; a few slow commits make it larger than its median."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            let site = fixture.site(self.0).await?;
            let (url, body, sessions) = (site.baselines()?, site.sealed.len(), site.seats.len());
            let (folder, part) = (fixture.folder.path(), fixture.options.part());
            let before = disk::sync_time(&site.folder)?;
            let (mut ours, mut bare, mut cores) = (None, None, Vec::new());
            for step in order(2, round) {
                if step == 0 {
                    let meter = Meter::start(&site.trees());
                    let posts = std::slice::from_ref(&site.spread);
                    ours = Some(append::run(site.plane.address, posts, 1, part).await?);
                    cores = meter.cores();
                } else {
                    bare = Some(pgbench::append(url, folder, body, (1, sessions), part).await?);
                }
            }
            let after = disk::sync_time(&site.folder)?;
            let (ours, bare) = (ours.ok_or_else(missed)?, bare.ok_or_else(missed)?);
            let p50 = append::micros(&ours.latency, 0.5);
            Ok(Sample {
                values: vec![
                    Value::new("p50", Unit::Micros, p50),
                    Value::new("pgbench, mean", Unit::Micros, bare.mean),
                    Value::new("mean", Unit::Micros, ours.latency.mean()),
                    Value::new("p99", Unit::Micros, append::micros(&ours.latency, 0.99)),
                    Value::new("appends", Unit::PerSecond, ours.rate),
                ],
                judged: vec![p50 / bare.mean],
                sync: Some((before, after)),
                cores,
            })
        }
        .boxed_local()
    }
}
