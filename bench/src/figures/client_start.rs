//! The client by itself: how soon it is there, how much memory it takes, how large it is.

use std::time::Duration;

use anyhow::{Context as _, Result};
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use serde_json::json;

use super::{Bound, Figure, Goal, Sample, Unit, Value, missed};
use crate::fixture::{Fixture, Pair, Store};
use crate::load::mcp::Machine;
use crate::report::median;
use crate::system::cpu;

/// Starts of a round; the first fills the page cache and does not count.
const STARTS: usize = 10;
const MESSAGES: usize = 100;
const IDLE: Duration = Duration::from_secs(10);
const MIB: f64 = 1_048_576.0;
const GOALS: &[Goal] = &[
    Goal::of(
        Unit::Micros,
        Bound::AtMost(10_000.0),
        "until `tools/list` is answered",
    ),
    Goal::of(Unit::Bytes, Bound::AtMost(12.0 * MIB), "idle"),
    Goal::of(Unit::Bytes, Bound::AtMost(12_000_000.0), "of program"),
];

/// The program that was given.
#[derive(Debug, Default)]
pub(crate) struct ClientStart {
    /// Who joined a session of a hundred messages.
    link: Option<String>,
    rounds: usize,
}

impl Figure for ClientStart {
    fn name(&self) -> &'static str {
        "client-start"
    }

    fn title(&self) -> &'static str {
        "client: start → `tools/list` answered; idle memory 10 s later with a session of 100 messages joined; program"
    }

    fn store(&self) -> Option<Store> {
        None
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "The program itself, started by this one; `make figures` measures it beside Node servers and through npx. Each round is the \
         median of nine starts after one that does not count, and one client that joins, reads everything and idles for 10 s. \
         session-collab-mcp, the fastest Node server tried: 103 ms, 57 MiB."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        _round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            let site = fixture.site(Store::Sqlite).await?;
            let program = &fixture.options.client;
            let folder = fixture.folder.path().join("client-start");
            if self.link.is_none() {
                let (mut pair, link) = Pair::with_link(&site, program, &folder).await?;
                for number in 1..MESSAGES {
                    pair.ada
                        .call(
                            "post",
                            json!({ "text": format!("{number:04}{}", "x".repeat(1_020)) }),
                        )
                        .await?;
                }
                pair.close().await;
                self.link = Some(link);
            }
            let machine = Machine::new(program, &folder, "start")?;
            let mut starts = Vec::with_capacity(STARTS);
            for _ in 0..STARTS {
                let mut client = machine.start()?;
                client.initialize().await?;
                let number = client.request("tools/list", json!({})).await?;
                client.answer(number).await?;
                #[allow(clippy::cast_precision_loss, reason = "microseconds of a start")]
                starts.push(client.started.elapsed().as_micros() as f64);
                client.close().await;
            }
            let start = median(starts.get(1..).unwrap_or_default());

            self.rounds += 1;
            let link = self.link.clone().ok_or_else(missed)?;
            let name = format!("idle-{}", self.rounds);
            let mut client = Machine::new(program, &folder, &name)?
                .with("DEVPILOT_SESSION_LINK", link)
                .start()?;
            client.initialize().await?;
            client.call("join", json!({})).await?;
            client.call("read", json!({ "since": 0, "limit": 200 })).await?;
            tokio::time::sleep(fixture.options.long(IDLE)).await;
            let idle = cpu::resident(client.id(), "VmRSS:")?;
            let most = cpu::resident(client.id(), "VmHWM:")?;
            client.close().await;
            #[allow(clippy::cast_precision_loss, reason = "a program's size")]
            let size = std::fs::metadata(program).context("the client's program")?.len() as f64;
            Ok(Sample {
                values: vec![
                    Value::new("start", Unit::Micros, start),
                    Value::new("memory, the most", Unit::Bytes, most),
                ],
                judged: vec![start, idle, size],
                ..Sample::default()
            })
        }
        .boxed_local()
    }
}
