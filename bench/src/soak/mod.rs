//! Posts, waits, joins and re-keys for many minutes at a rate that leaves the machine room: neither memory nor connections
//! nor latency may grow.
//!
//! - [`rooms`]: sessions with a writer and waiting readers · [`room`]: what one of them sent and saw
//! - [`comings`]: sessions that come and go, and re-keys
//! - [`ledger`]: what all of them note · [`trend`]: whether a series grows · [`report`]: what is told

mod comings;
mod ledger;
mod report;
mod room;
mod rooms;
mod trend;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Error, Result, anyhow, bail};
use sqlx::{Connection as _, PgConnection};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::fixture::{Fixture, Site, Store};
use crate::report::{conditions, print, say};
use crate::system::cpu;
use ledger::{Ledger, Sample};
use report::Report;

/// Between two looks.
const LOOK: Duration = Duration::from_secs(5);
/// The first of so many parts is not judged: caches fill, connections are made.
const SETTLING: usize = 5;
/// Fewer looks than this tell nothing of a trend.
const LEAST: usize = 6;

/// Loads a plane over Postgres on the disk for so many minutes, tells what was seen, and keeps it where results are kept.
///
/// # Errors
/// Something grew, could not be measured, or was too slow all the time; a request was refused that may not be; a record was
/// lost, came twice, or did not come to a reader.
pub(crate) async fn run(fixture: &mut Fixture<'_>, minutes: u64) -> Result<()> {
    let site = fixture.site(Store::Postgres).await?;
    let ledger = Arc::new(Ledger::new()?);
    let mut load = JoinSet::new();
    let rooms = rooms::start(&site, &ledger, &mut load).await?;
    comings::start(&site, &ledger, &mut load).await?;

    let start = Instant::now();
    let end = start + Duration::from_secs(60 * minutes);
    let mut database = PgConnection::connect(&fixture.options.postgres_disk).await?;
    let mut looks = tokio::time::interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    looks.tick().await;
    let mut samples = Vec::new();
    while Instant::now() < end {
        tokio::select! {
            _ = looks.tick() => {
                let sample = look(&site, &ledger, &mut database, start).await?;
                say(&sample.to_string());
                samples.push(sample);
            }
            error = failure(&mut load) => return Err(error),
        }
    }
    tokio::select! {
        finished = rooms.finish() => finished?,
        error = failure(&mut load) => return Err(error),
    }
    load.shutdown().await;
    database.close().await?;

    let judged = samples
        .get(samples.len().div_ceil(SETTLING)..)
        .unwrap_or_default();
    if judged.len() < LEAST {
        bail!(
            "{} looks tell nothing of a trend: let it run for two minutes at the least",
            judged.len()
        );
    }
    let report = Report::new(conditions(fixture.options), &samples, judged);
    print(&report.to_string());
    if let Some(folder) = &fixture.options.output {
        report
            .write(folder)
            .with_context(|| format!("{} can't be written", folder.display()))?;
    }
    match report.faults() {
        faults if faults.is_empty() => Ok(()),
        faults => bail!("does not hold: {}", faults.join("; ")),
    }
}

/// Why a part of the load ended. None does while all is well.
async fn failure(load: &mut JoinSet<Result<()>>) -> Error {
    match load.join_next().await {
        Some(Ok(Err(error))) => error.context("the load ended"),
        Some(Ok(Ok(()))) => anyhow!("a part of the load ended by itself"),
        Some(Err(error)) => anyhow!("a part of the load ended: {error}"),
        None => anyhow!("there is no load"),
    }
}

/// What the processes have now, and what the load noted since the last look.
async fn look(site: &Site, ledger: &Ledger, database: &mut PgConnection, start: Instant) -> Result<Sample> {
    let process = site.plane.id();
    let connections: i64 =
        sqlx::query_scalar("SELECT count(*) FROM pg_stat_activity WHERE datname = 'plane'")
            .fetch_one(database)
            .await?;
    Ok(Sample {
        at: start.elapsed(),
        memory: cpu::resident(process, "VmRSS:")?,
        handles: cpu::handles(process)?,
        connections: u32::try_from(connections)?,
        noted: ledger.take(),
    })
}
