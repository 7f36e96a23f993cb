//! The statement that reads a page, bare: what the plane's answer can't be faster than.

use std::path::Path;
use std::str::FromStr as _;
use std::time::{Duration, Instant};

use anyhow::Result;
use hdrhistogram::Histogram;
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection};
use wire::ids::SessionId;

use super::pgbench;
use crate::load::history::PAGE;

/// Not counted at the beginning.
const WARM_UP: Duration = Duration::from_millis(300);
const PLANNING: [(&str, &str); 2] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
];
const READ: &str = "SELECT seq, at, epoch, class, sender, item_id, signal, body FROM records \
     WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT 50";

/// By one client over one connection, in the binary form; latencies in microseconds.
///
/// # Errors
/// The database is not there.
pub(crate) async fn one(
    url: &str,
    session: SessionId,
    records: usize,
    duration: Duration,
) -> Result<Histogram<u64>> {
    // Planned as the plane's own connections have it: else the baseline would pay for plans that nobody needs.
    let options = PgConnectOptions::from_str(url)?.options(PLANNING);
    let mut connection = PgConnection::connect_with(&options).await?;
    let mut latency = Histogram::new(3)?;
    let from = Instant::now() + WARM_UP;
    while from.elapsed() < duration {
        let after = i64::try_from(fastrand::usize(..=records.saturating_sub(PAGE)))?;
        let sent = Instant::now();
        let rows = sqlx::query(READ)
            .bind(&session.as_bytes()[..])
            .bind(after)
            .fetch_all(&mut connection)
            .await?;
        anyhow::ensure!(rows.len() == PAGE, "a page of {} records", rows.len());
        if sent >= from {
            latency.record(u64::try_from(sent.elapsed().as_micros())?)?;
        }
    }
    connection.close().await?;
    Ok(latency)
}

/// Pages a second by eight clients of pgbench, which reads the text form: twice the bytes on the way.
///
/// # Errors
/// pgbench is not there or fails.
pub(crate) async fn eight(
    url: &str,
    folder: &Path,
    session: SessionId,
    records: usize,
    duration: Duration,
) -> Result<f64> {
    let last = records.saturating_sub(PAGE);
    let bytes = session.to_string().replace('-', "");
    let read = READ
        .replace("$1", &format!("'\\x{bytes}'::bytea"))
        .replace("$2", ":after");
    let script = format!("\\set after random(0, {last})\n{read};\n");
    Ok(pgbench::run(url, folder, &script, 8, duration).await?.rate)
}
