//! The rows of the table, in its order. A row takes itself and its baselines once a round; which part comes first
//! changes from round to round, so that a machine that grows slower or faster favours none.

mod across;
mod append_hot;
mod append_one;
mod append_spread;
mod append_sqlite;
mod client_start;
mod fan_out;
mod history;
mod missing;
mod open;
mod plane_memory;
mod sample;
mod search;
mod serial;
mod stored;
mod together;
mod tool;
mod wake;

use anyhow::{Result, bail};
use futures_util::future::LocalBoxFuture;

use crate::fixture::{Fixture, Store};
use crate::report::{Measured, say};

pub(crate) use sample::{Bound, Goal, Sample, Unit, Value};

/// A row of the table.
pub(crate) trait Figure {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What is measured.
    fn title(&self) -> &'static str;

    /// On which store; none: on no plane.
    fn store(&self) -> Option<Store>;

    /// What its ratios are held against, in their order. Those of a row that is shown beside another have none.
    fn goals(&self) -> &'static [Goal];

    /// How it is measured, in a sentence under the table.
    fn method(&self) -> &'static str;

    /// Why it can't be measured, if its feature is not there.
    fn missing(&self) -> Option<&'static str> {
        None
    }

    /// Takes it once, with its baselines.
    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>>;
}

fn all() -> Vec<Box<dyn Figure>> {
    vec![
        Box::new(append_spread::Spread(Store::Postgres)),
        Box::new(append_spread::Spread(Store::PostgresInMemory)),
        Box::new(append_hot::Hot::new(Store::Postgres)),
        Box::new(append_hot::Hot::new(Store::PostgresInMemory)),
        Box::new(append_sqlite::Embedded),
        Box::new(append_one::One(Store::Postgres)),
        Box::new(append_one::One(Store::PostgresInMemory)),
        Box::new(wake::Wake::new(Store::Postgres)),
        Box::new(wake::Wake::new(Store::PostgresInMemory)),
        Box::new(tool::Tool::new(Store::Postgres)),
        Box::new(tool::Tool::new(Store::PostgresInMemory)),
        Box::new(fan_out::FanOut::new(Store::Postgres)),
        Box::new(serial::Serial::new(Store::Postgres)),
        Box::new(serial::Serial::new(Store::PostgresInMemory)),
        Box::new(together::Together::new(Store::Postgres)),
        Box::new(across::Across::default()),
        Box::new(history::History::default()),
        Box::new(stored::Stored::default()),
        Box::new(client_start::ClientStart::default()),
        Box::new(search::Search),
        Box::new(open::Open::default()),
        Box::new(plane_memory::PlaneMemory),
        Box::new(missing::CLAIM),
    ]
}

/// The parts of a round, from the first to the last and then the other way round.
fn order(parts: usize, round: usize) -> Vec<usize> {
    let forward = 0..parts;
    if round.is_multiple_of(2) {
        forward.collect()
    } else {
        forward.rev().collect()
    }
}

/// A count, as a number of the table.
#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
const fn count(count: usize) -> f64 {
    count as f64
}

/// A part of a round that was not measured.
fn missed() -> anyhow::Error {
    anyhow::anyhow!("a part of the round was not measured")
}

/// All rows, or those whose name begins so, or without those of the store in memory.
///
/// # Errors
/// There is none.
pub(crate) fn chosen(only: Option<&str>, on_disk: bool) -> Result<Vec<Box<dyn Figure>>> {
    let mut rows = all();
    if on_disk {
        rows.retain(|row| row.store() != Some(Store::PostgresInMemory));
    }
    if let Some(only) = only {
        let mut names: Vec<&str> = rows.iter().map(|row| row.name()).collect();
        names.dedup();
        let names = names.join(", ");
        rows.retain(|row| row.name().starts_with(only));
        if rows.is_empty() {
            bail!("there is no row `{only}`; the rows are {names}");
        }
    }
    Ok(rows)
}

/// Measures the rows one after the other, all rounds of each in a stretch: its baselines are what it is held against.
/// A row that fails is told as such, and the others are measured.
pub(crate) async fn measure(rows: &mut [Box<dyn Figure>], fixture: &mut Fixture<'_>) -> Vec<Measured> {
    let mut measured = Vec::with_capacity(rows.len());
    for row in rows {
        let mut series = Measured::new(row.as_ref());
        let rounds = if row.missing().is_some() {
            0
        } else {
            fixture.options.rounds
        };
        for round in 0..rounds {
            match row.round(fixture, round).await {
                Ok(sample) => series.add(sample),
                Err(error) => {
                    series.fail(&error);
                    break;
                }
            }
            say(&series.progress(round));
        }
        measured.push(series);
    }
    measured
}
