//! What a plane takes of the memory: at rest, under load, for each waiting request and each event stream.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::{Bound, Figure, Goal, Sample, Unit, Value, count};
use crate::fixture::{Fixture, Site, Store};
use crate::load::append;
use crate::load::hold::{self, Held};
use crate::load::http;
use crate::system::cpu;

const HELD: usize = 5_000;
const CONNECTIONS: usize = 64;
/// Memory that has changed by less than a hundredth for so long is at rest.
const STILL: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_secs(30);
const MIB: f64 = 1_048_576.0;
const GOALS: &[Goal] = &[
    Goal::of(Unit::Bytes, Bound::AtMost(15.0 * MIB), "at rest"),
    Goal::of(Unit::Bytes, Bound::AtMost(60.0 * MIB), "under load, the most"),
    Goal::of(Unit::Bytes, Bound::AtMost(14_000.0), "per waiting request"),
    Goal::of(Unit::Bytes, Bound::AtMost(14_000.0), "per event stream"),
];

/// A plane's memory.
#[derive(Debug)]
pub(crate) struct PlaneMemory;

/// The memory of a process once it does not change any more.
async fn at_rest(process: u32) -> Result<f64> {
    let end = Instant::now() + PATIENCE;
    let (mut last, mut since) = (cpu::resident(process, "VmRSS:")?, Instant::now());
    while since.elapsed() < STILL && Instant::now() < end {
        tokio::time::sleep(LOOK).await;
        let now = cpu::resident(process, "VmRSS:")?;
        if (now - last).abs() > last / 100.0 {
            (last, since) = (now, Instant::now());
        }
    }
    cpu::resident(process, "VmRSS:")
}

/// Bytes of each of so many, on a plane that has done nothing else.
async fn each(site: &Site, held: Held, gauge: &str) -> Result<f64> {
    let plane = site.setup.start().await?;
    let before = at_rest(plane.id()).await?;
    let connections = hold::open(plane.address, &site.seats, held, HELD).await?;
    let after = at_rest(plane.id()).await?;
    let open = http::gauge(plane.address, gauge).await?;
    let count = count(HELD);
    // The question itself may count.
    ensure!(
        open == count || open == count + 1.0,
        "{gauge} is {open} and not {HELD}"
    );
    drop(connections);
    plane.stop().await;
    Ok((after - before) / count)
}

impl Figure for PlaneMemory {
    fn name(&self) -> &'static str {
        "plane-memory"
    }

    fn title(&self) -> &'static str {
        "a plane's memory, at rest; under load; per waiting request and event stream, of 5,000"
    }

    fn store(&self) -> Option<Store> {
        Some(Store::Postgres)
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "Resident memory as the kernel counts it, without socket buffers. Planes that were just started: one at rest and then \
         under the load of append-spread, one with 5,000 waits, one with 5,000 streams, five of each session's participant; \
         that as many are held is read from the plane's own figures."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        _round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            let site = fixture.site(Store::Postgres).await?;
            let plane = site.setup.start().await?;
            let rest = at_rest(plane.id()).await?;
            let posts = std::slice::from_ref(&site.spread);
            append::run(plane.address, posts, CONNECTIONS, fixture.options.part()).await?;
            let load = cpu::resident(plane.id(), "VmHWM:")?;
            plane.stop().await;
            let wait = each(&site, Held::Waits, "devpilot_plane_http_requests_under_way").await?;
            let stream = each(&site, Held::Streams, "devpilot_plane_event_streams").await?;
            Ok(Sample {
                values: vec![Value::new("at rest", Unit::Bytes, rest)],
                judged: vec![rest, load, wait, stream],
                ..Sample::default()
            })
        }
        .boxed_local()
    }
}
