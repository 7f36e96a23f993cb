//! Pages of a transcript, read from anywhere in it.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use hdrhistogram::Histogram;

use super::http::Connection;
use super::seat::Seat;

/// Records of a page.
pub(crate) const PAGE: usize = 50;
/// Not counted at the beginning.
const WARM_UP: Duration = Duration::from_millis(300);

/// What reading came to.
#[derive(Debug)]
pub(crate) struct Pages {
    /// Pages a second.
    pub(crate) rate: f64,
    /// From the request to the whole answer, in microseconds.
    pub(crate) latency: Histogram<u64>,
}

/// Pages of sessions with so many records each, drawn at random, by so many connections that stay open.
///
/// # Errors
/// The plane refused.
pub(crate) async fn read(
    address: SocketAddr,
    seats: &[Seat],
    records: usize,
    connections: usize,
    duration: Duration,
) -> Result<Pages> {
    let from = Instant::now() + WARM_UP;
    let until = from + duration;
    let readers = (0..connections).map(|_| async move {
        let mut connection = Connection::open(address).await?;
        let mut latency = Histogram::<u64>::new(3)?;
        loop {
            let after = u64::try_from(fastrand::usize(..=records.saturating_sub(PAGE)))?;
            let seat = seats
                .get(fastrand::usize(..seats.len()))
                .context("pages of no session")?;
            let request = seat.read_request(after, "&limit=50");
            let sent = Instant::now();
            if sent >= until {
                return Ok::<_, anyhow::Error>(latency);
            }
            connection.exchange(&request).await?.is(200)?;
            let read = Instant::now();
            if read >= from && read < until {
                latency.record(u64::try_from((read - sent).as_micros())?)?;
            }
        }
    });
    let mut latency = Histogram::new(3)?;
    for reader in futures_util::future::try_join_all(readers).await? {
        latency.add(reader)?;
    }
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let rate = latency.len() as f64 / duration.as_secs_f64();
    Ok(Pages { rate, latency })
}
