//! Two thousand messages by one client, one after the other, while another one reads them.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value as Json, json};

use super::{Bound, Figure, Goal, Sample, Unit, Value, missed, order};
use crate::fixture::{Fixture, Pair, Store};
use crate::load::append;
use crate::load::mcp::Client;
use crate::system::cpu::Meter;
use crate::system::disk;

const MESSAGES: usize = 2_000;
/// How long the reader leaves the writer alone when there is nothing new.
const PAUSE: Duration = Duration::from_millis(20);
const GOALS: &[Goal] = &[
    Goal::at_least(0.4, "of one client's appends"),
    Goal::of(Unit::PerSecond, Bound::AtLeast(836.0), "(conclave-cli)"),
];

/// One writes, one reads.
#[derive(Debug)]
pub(crate) struct Serial {
    store: Store,
    pair: Option<Pair>,
}

impl Serial {
    /// Not started yet.
    pub(crate) const fn new(store: Store) -> Self {
        Self { store, pair: None }
    }
}

async fn write(client: &mut Client, messages: usize) -> Result<()> {
    for number in 0..messages {
        client
            .call(
                "post",
                json!({ "text": format!("{number:06}{}", "x".repeat(1_018)) }),
            )
            .await?;
    }
    Ok(())
}

/// Reads until all are there, in order.
async fn read(client: &mut Client, all: usize) -> Result<()> {
    let mut next = 0;
    while next < all {
        let answer = client.call("read", json!({ "limit": 200 })).await?;
        let messages = answer
            .get("messages")
            .and_then(Json::as_array)
            .map_or(&[][..], Vec::as_slice);
        for message in messages {
            let text = message.get("text").and_then(Json::as_str).unwrap_or_default();
            let number: usize = text.get(..6).unwrap_or_default().parse()?;
            ensure!(number == next, "message {number} came in place of {next}");
            next += 1;
        }
        if messages.is_empty() {
            tokio::time::sleep(PAUSE).await;
        }
    }
    Ok(())
}

impl Figure for Serial {
    fn name(&self) -> &'static str {
        "serial"
    }

    fn title(&self) -> &'static str {
        "2,000 messages by one client, one after the other, all read by another"
    }

    fn store(&self) -> Option<Store> {
        Some(self.store)
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "Two clients over MCP stdio; each `post` is called once the last one has answered, while the other calls `read` again and \
         again. The time ends when the reader has all of them, each in its place, or the row fails."
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
                let folder = site.folder.join("serial");
                self.pair = Some(Pair::new(&site, &fixture.options.client, &folder).await?);
            }
            let pair = self.pair.as_mut().ok_or_else(missed)?;
            let count = fixture.options.many(MESSAGES);
            let before = disk::sync_time(&site.folder)?;
            let (mut times, mut one, mut cores) = (None, None, Vec::new());
            for step in order(2, round) {
                if step == 0 {
                    let meter = Meter::start(&[site.trees(), pair.trees()].concat());
                    let start = Instant::now();
                    let (written, read) = tokio::try_join!(
                        async {
                            write(&mut pair.ada, count).await?;
                            Ok::<_, anyhow::Error>(start.elapsed())
                        },
                        async {
                            read(&mut pair.ben, count).await?;
                            Ok(start.elapsed())
                        }
                    )?;
                    times = Some((written, read));
                    cores = meter.cores();
                } else {
                    let posts = std::slice::from_ref(&site.spread);
                    one = Some(
                        append::run(site.plane.address, posts, 1, fixture.options.part())
                            .await?
                            .rate,
                    );
                }
            }
            let after = disk::sync_time(&site.folder)?;
            let ((written, read), one) = (times.ok_or_else(missed)?, one.ok_or_else(missed)?);
            #[allow(clippy::cast_precision_loss, reason = "a small count")]
            let rate = |time: Duration| count as f64 / time.as_secs_f64();
            Ok(Sample {
                values: vec![
                    Value::new("until read", Unit::PerSecond, rate(read)),
                    Value::new("until written", Unit::PerSecond, rate(written)),
                    Value::new("one client's appends", Unit::PerSecond, one),
                ],
                judged: vec![rate(read) / one, rate(read)],
                sync: Some((before, after)),
                cores,
            })
        }
        .boxed_local()
    }
}
