//! The rows of the table, in its order. A row takes itself and its baselines once a round; which part comes first
//! changes from round to round, so that a machine that grows slower or faster favours none.

mod appends;
mod sample;

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

    /// Takes it once, with its baselines.
    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>>;
}

fn all() -> Vec<Box<dyn Figure>> {
    vec![
        Box::new(appends::Appends(Store::Postgres)),
        Box::new(appends::Appends(Store::PostgresInMemory)),
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

/// All rows, or those whose name begins so.
///
/// # Errors
/// There is none.
pub(crate) fn chosen(only: Option<&str>) -> Result<Vec<Box<dyn Figure>>> {
    let mut rows = all();
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
///
/// # Errors
/// A row that can't be measured: a table with a gap would look whole.
pub(crate) async fn measure(
    rows: &mut [Box<dyn Figure>],
    fixture: &mut Fixture<'_>,
) -> Result<Vec<Measured>> {
    let mut measured = Vec::with_capacity(rows.len());
    for row in rows {
        let mut series = Measured::new(row.as_ref());
        for round in 0..fixture.options.rounds {
            series.add(row.round(fixture, round).await?);
            say(&series.progress(round));
        }
        measured.push(series);
    }
    Ok(measured)
}
