//! Durable appends through the whole API: credentials, checks, the appender, the commit.

use anyhow::Result;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::{Figure, Goal, Sample, Unit, Value};
use crate::baseline::{pgbench, unnest};
use crate::fixture::{Fixture, Store};
use crate::load::append;
use crate::system::cpu::Meter;
use crate::system::disk;

const CONNECTIONS: usize = 64;
/// Of pgbench: where it is at its best.
const CLIENTS: usize = 32;
const GOALS: &[Goal] = &[
    Goal::at_least(0.30, "of the ceiling"),
    Goal::at_least(1.5, "of pgbench"),
];

/// 64 connections, 1,000 sessions.
#[derive(Debug)]
pub(crate) struct Spread(pub(crate) Store);

impl Figure for Spread {
    fn name(&self) -> &'static str {
        "append-spread"
    }

    fn title(&self) -> &'static str {
        "durable appends, 64 connections, 1,000 sessions"
    }

    fn store(&self) -> Option<Store> {
        Some(self.0)
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "64 connections that stay open, each with one post under way, to sessions drawn at random. The ceiling: one unnest \
         statement of 128 rows after the other on one connection. pgbench: one row a transaction, 32 clients. Latencies are \
         those of the full load, not of a given rate."
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
            let (mut ceiling, mut ours, mut bare, mut cores) = (0.0, None, 0.0, Vec::new());
            for step in super::order(3, round) {
                match step {
                    0 => ceiling = unnest::append(url, body, sessions, part).await?,
                    1 => {
                        let meter = Meter::start(&site.trees());
                        ours = Some(
                            append::run(
                                site.plane.address,
                                std::slice::from_ref(&site.spread),
                                CONNECTIONS,
                                part,
                            )
                            .await?,
                        );
                        cores = meter.cores();
                    }
                    _ => {
                        bare = pgbench::append(url, folder, body, (CLIENTS, sessions), part)
                            .await?
                            .rate
                    }
                }
            }
            let after = disk::sync_time(&site.folder)?;
            let ours = ours.ok_or_else(super::missed)?;
            Ok(Sample {
                values: vec![
                    Value::new("appends", Unit::PerSecond, ours.rate),
                    Value::new("ceiling", Unit::PerSecond, ceiling),
                    Value::new("pgbench", Unit::PerSecond, bare),
                    Value::new("p50", Unit::Micros, append::micros(&ours.latency, 0.5)),
                    Value::new("p99", Unit::Micros, append::micros(&ours.latency, 0.99)),
                ],
                judged: vec![ours.rate / ceiling, ours.rate / bare],
                sync: Some((before, after)),
                cores,
            })
        }
        .boxed_local()
    }
}
