//! Pages of a long transcript.

use std::slice::from_ref;

use anyhow::Result;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::{Figure, Goal, Sample, Unit, Value, missed, order};
use crate::baseline::history as bare;
use crate::fixture::{Fixture, Site, Store, stored};
use crate::load::append::micros;
use crate::load::history::{self, Pages};
use crate::load::seat::Seat;
use crate::system::cpu::Meter;

const LONG: usize = 100_000;
const SHORT: usize = 100;
const CLIENTS: usize = 8;
const GOALS: &[Goal] = &[
    Goal::at_most(3.0, "of the bare statement, p50, one client"),
    Goal::at_least(0.5, "of the bare statement, pages a second, eight clients"),
    Goal::at_most(1.3, "of a history of 100 records, p50"),
];

/// Pages of 50.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// In a session of 100,000 records and in one of 100.
    seats: Option<(Seat, Seat)>,
}

async fn filled(site: &Site, records: usize) -> Result<Seat> {
    let seat = site.new_session().await?;
    stored::add(site.database_url()?, &[seat.session], records, &site.sealed).await?;
    Ok(seat)
}

impl Figure for History {
    fn name(&self) -> &'static str {
        "history"
    }

    fn title(&self) -> &'static str {
        "history page of 50 records, 100,000 stored, p50"
    }

    fn store(&self) -> Option<Store> {
        Some(Store::Postgres)
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "Pages from anywhere in the transcript, all in the database's memory. The bare statement by one client in the binary form, \
         over one connection of this program, planned as the plane's are; by eight clients through pgbench, which reads the text \
         form."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            let site = fixture.site(Store::Postgres).await?;
            if self.seats.is_none() {
                self.seats = Some((filled(&site, LONG).await?, filled(&site, SHORT).await?));
            }
            let (long, short) = self.seats.as_ref().ok_or_else(missed)?;
            let (url, address) = (site.database_url()?, site.plane.address);
            let (folder, part) = (fixture.folder.path(), fixture.options.part());
            let mut ours: [Option<Pages>; 3] = [None, None, None];
            let (mut one, mut eight, mut cores) = (None, 0.0, Vec::new());
            let [alone, together, brief] = &mut ours;
            for step in order(5, round) {
                match step {
                    0 => one = Some(bare::one(url, long.session, LONG, part).await?),
                    1 => *alone = Some(history::read(address, from_ref(long), LONG, 1, part).await?),
                    2 => *brief = Some(history::read(address, from_ref(short), SHORT, 1, part).await?),
                    3 => {
                        let meter = Meter::start(&site.trees());
                        *together = Some(history::read(address, from_ref(long), LONG, CLIENTS, part).await?);
                        cores = meter.cores();
                    }
                    _ => eight = bare::eight(url, folder, long.session, LONG, part).await?,
                }
            }
            let [Some(alone), Some(together), Some(brief)] = ours else {
                return Err(missed());
            };
            let p50 = micros(&alone.latency, 0.5);
            let bare_p50 = micros(&one.ok_or_else(missed)?, 0.5);
            let brief_p50 = micros(&brief.latency, 0.5);
            Ok(Sample {
                values: vec![
                    Value::new("p50", Unit::Micros, p50),
                    Value::new("bare p50", Unit::Micros, bare_p50),
                    Value::new("of 100 records, p50", Unit::Micros, brief_p50),
                    Value::new("eight clients, pages", Unit::PerSecond, together.rate),
                    Value::new("bare, eight clients", Unit::PerSecond, eight),
                ],
                judged: vec![p50 / bare_p50, together.rate / eight, p50 / brief_p50],
                sync: None,
                cores,
            })
        }
        .boxed_local()
    }
}
