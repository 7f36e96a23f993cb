//! Durable appends over the embedded store.

use anyhow::Result;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::{Figure, Goal, Sample, Unit, Value, missed, order};
use crate::baseline::sqlite;
use crate::fixture::{Fixture, Store};
use crate::load::append;
use crate::system::cpu::Meter;
use crate::system::disk;

const CONNECTIONS: usize = 64;
const GOALS: &[Goal] = &[Goal::at_least(10.0, "of one writer")];

/// 64 connections, 1,000 sessions.
#[derive(Debug)]
pub(crate) struct Embedded;

impl Figure for Embedded {
    fn name(&self) -> &'static str {
        "append-sqlite"
    }

    fn title(&self) -> &'static str {
        "durable appends, embedded, synchronous=FULL, 64 connections, 1,000 sessions"
    }

    fn store(&self) -> Option<Store> {
        Some(Store::Sqlite)
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "As append-spread. Beside it one writer in a loop: write-ahead log, synchronous=FULL, one row a transaction, the head \
         moved and the row inserted, statements prepared."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            let site = fixture.site(Store::Sqlite).await?;
            let part = fixture.options.part();
            let file = site.folder.join("baseline.sqlite");
            let (body, sessions) = (site.sealed.len(), site.seats.len());
            let before = disk::sync_time(&site.folder)?;
            let (mut ours, mut bare, mut cores) = (None, None, Vec::new());
            for step in order(2, round) {
                if step == 0 {
                    let meter = Meter::start(&site.trees());
                    let posts = std::slice::from_ref(&site.spread);
                    ours = Some(append::run(site.plane.address, posts, CONNECTIONS, part).await?);
                    cores = meter.cores();
                } else {
                    bare = Some(sqlite::append(&file, body, sessions, part)?);
                }
            }
            let after = disk::sync_time(&site.folder)?;
            let (ours, bare) = (ours.ok_or_else(missed)?, bare.ok_or_else(missed)?);
            Ok(Sample {
                values: vec![
                    Value::new("appends", Unit::PerSecond, ours.rate),
                    Value::new("one writer", Unit::PerSecond, bare),
                    Value::new("p50", Unit::Micros, append::micros(&ours.latency, 0.5)),
                    Value::new("p99", Unit::Micros, append::micros(&ours.latency, 0.99)),
                ],
                judged: vec![ours.rate / bare],
                sync: Some((before, after)),
                cores,
            })
        }
        .boxed_local()
    }
}
