//! Appends over a database that has grown, against one that is nearly empty.

use anyhow::Result;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::{Figure, Goal, Sample, Unit, Value, count, missed, order};
use crate::fixture::{Fixture, Grown, Store};
use crate::load::append;
use crate::system::cpu::Meter;
use crate::system::disk;

const CONNECTIONS: usize = 64;
/// Sessions and records.
const LITTLE: (usize, usize) = (1_000, 1_000);
const MUCH: (usize, usize) = (10_000, 1_000_000);
/// Sessions of each that are posted to.
const SPREAD: usize = 1_000;
const GOALS: &[Goal] = &[Goal::at_least(0.8, "of those with 1,000 stored")];

/// The database that has grown.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    much: Option<Grown>,
}

impl Figure for Stored {
    fn name(&self) -> &'static str {
        "stored"
    }

    fn title(&self) -> &'static str {
        "appends with 1,000,000 records in 10,000 sessions stored"
    }

    fn store(&self) -> Option<Store> {
        Some(Store::Postgres)
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "Two databases of one cluster, each with a plane. 64 connections post to 1,000 sessions of each in turn, drawn at random; \
         beside it the same to all sessions of the large one. Records are stored beforehand by SQL in the form that the plane \
         writes. The small database is made anew for each round; a session has a record or two from its beginning, so it holds a \
         few more than 1,000: what each held is told. A second of posts comes before what counts."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            let (options, homes) = (fixture.options, fixture.folder.path());
            if self.much.is_none() {
                let much = (options.many(MUCH.0), options.many(MUCH.1));
                self.much = Some(Grown::open(options, homes, "much", much, SPREAD).await?);
            }
            let much = self.much.as_ref().ok_or_else(missed)?;
            // A round fills it, so each has a new one.
            let little = &Grown::open(options, homes, &format!("little_{round}"), LITTLE, SPREAD).await?;
            let part = options.part();
            let before = disk::sync_time(&options.disk)?;
            let (mut rates, mut cores) = ([0.0; 3], Vec::new());
            let [few, many, all] = &mut rates;
            for step in order(3, round) {
                let (rate, grown, posts) = match step {
                    0 => (&mut *few, little, &little.some),
                    1 => (&mut *many, much, &much.some),
                    _ => (&mut *all, much, &much.all),
                };
                let meter = Meter::start(&grown.trees());
                let posts = std::slice::from_ref(posts);
                *rate = append::run(grown.plane.address, posts, CONNECTIONS, part)
                    .await?
                    .rate;
                if step == 1 {
                    cores = meter.cores();
                }
            }
            let after = disk::sync_time(&options.disk)?;
            let [few, many, all] = rates;
            Ok(Sample {
                values: vec![
                    Value::new("appends", Unit::PerSecond, many),
                    Value::new("with little stored", Unit::PerSecond, few),
                    Value::new("to all sessions of the large one", Unit::PerSecond, all),
                    Value::new("records stored before", Unit::Count, count(much.records)),
                    Value::new("and in the small one", Unit::Count, count(little.records)),
                ],
                judged: vec![many / few],
                sync: Some((before, after)),
                cores,
            })
        }
        .boxed_local()
    }
}
