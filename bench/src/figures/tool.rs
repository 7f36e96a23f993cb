//! From the tool that posts in one client to the return of the tool that waits in another.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use hdrhistogram::Histogram;
use serde_json::json;

use super::{Bound, Figure, Goal, Sample, Unit, Value, missed, order};
use crate::fixture::{Fixture, Pair, Store};
use crate::load::append::{self, micros};
use crate::load::mcp::structured;
use crate::system::cpu::Meter;
use crate::system::disk;

/// Messages of a round, for each second of a part.
const MESSAGES: usize = 50;
/// Not counted at the beginning of a round.
const WARM_UP: usize = 5;
/// How long a client gets until its request waits at the plane.
const SETTLE: Duration = Duration::from_millis(12);
/// More than all rounds take.
const BUDGET: usize = 100_000;
const GOALS: &[Goal] = &[
    Goal::of(Unit::Micros, Bound::AtMost(2_500.0), "above one append, p50"),
    Goal::of(Unit::Micros, Bound::AtMost(6_000.0), "above one append, p99"),
];

/// Two clients.
#[derive(Debug)]
pub(crate) struct Tool {
    store: Store,
    pair: Option<Pair>,
}

impl Tool {
    /// Not started yet.
    pub(crate) const fn new(store: Store) -> Self {
        Self { store, pair: None }
    }
}

/// So many times: one waits, the other posts. From the post to the return of the wait, in microseconds.
async fn messages(pair: &mut Pair, count: usize) -> Result<Histogram<u64>> {
    let mut latency = Histogram::new(3)?;
    for number in 0..count + WARM_UP {
        let text = format!("{number:06}{}", "x".repeat(1_018));
        let waiting = pair.ben.start("wait", json!({ "timeout_s": 50 })).await?;
        tokio::time::sleep(SETTLE).await;
        let sent = Instant::now();
        let posting = pair.ada.start("post", json!({ "text": text })).await?;
        let (line, posted) = tokio::try_join!(
            async {
                let line = pair.ben.line().await?;
                Ok((sent.elapsed(), line))
            },
            pair.ada.answer(posting)
        )?;
        structured(posted).context("post")?;
        let (elapsed, line) = line;
        let answer: serde_json::Value = serde_json::from_str(&line)?;
        anyhow::ensure!(
            answer.get("id").is_some_and(|id| *id == waiting) && line.contains(&text),
            "the wait returned {line}"
        );
        if number >= WARM_UP {
            latency.record(u64::try_from(elapsed.as_micros())?)?;
        }
    }
    Ok(latency)
}

impl Figure for Tool {
    fn name(&self) -> &'static str {
        "tool"
    }

    fn title(&self) -> &'static str {
        "`post` tool → the other client's `wait` tool returns, both over MCP stdio, p50"
    }

    fn store(&self) -> Option<Store> {
        Some(self.store)
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "Two clients as processes of their own in one session in auto, so that no human is asked; sealed, signed, verified. From \
         writing the call of `post` until the line with the answer of `wait` is read. One append is that of append-one, its p50 \
         against the p50 and its p99 against the p99."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            let site = fixture.site(self.store).await?;
            if self.pair.is_none() {
                // A client syncs its seat before it sends: on the disk that the row is about.
                let folder = site.folder.join("tool");
                let mut pair = Pair::new(&site, &fixture.options.client, &folder).await?;
                pair.in_auto(BUDGET).await?;
                self.pair = Some(pair);
            }
            let pair = self.pair.as_mut().ok_or_else(missed)?;
            let count = MESSAGES * usize::try_from(fixture.options.seconds)?;
            let before = disk::sync_time(&site.folder)?;
            let (mut latency, mut one, mut cores) = (None, None, Vec::new());
            for step in order(2, round) {
                if step == 0 {
                    let meter = Meter::start(&[site.trees(), pair.trees()].concat());
                    latency = Some(messages(pair, count).await?);
                    cores = meter.cores();
                } else {
                    let posts = std::slice::from_ref(&site.spread);
                    one = Some(
                        append::run(site.plane.address, posts, 1, fixture.options.part())
                            .await?
                            .latency,
                    );
                }
            }
            let after = disk::sync_time(&site.folder)?;
            let (latency, one) = (latency.ok_or_else(missed)?, one.ok_or_else(missed)?);
            let (p50, p99) = (micros(&latency, 0.5), micros(&latency, 0.99));
            let (one_p50, one_p99) = (micros(&one, 0.5), micros(&one, 0.99));
            Ok(Sample {
                values: vec![
                    Value::new("p50", Unit::Micros, p50),
                    Value::new("one append, p50", Unit::Micros, one_p50),
                    Value::new("p99", Unit::Micros, p99),
                    Value::new("one append, p99", Unit::Micros, one_p99),
                ],
                judged: vec![p50 - one_p50, p99 - one_p99],
                sync: Some((before, after)),
                cores,
            })
        }
        .boxed_local()
    }
}
