//! A search over ten thousand messages, a post through the guard, and the memory of the client that did both.

use std::time::Instant;

use anyhow::Result;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use serde_json::json;

use super::open::micros;
use super::{Bound, Figure, Goal, Sample, Unit, Value, count};
use crate::fixture::{Fixture, Store};
use crate::report::median;
use crate::system::cpu;

/// Searches of a round.
const SEARCHES: usize = 9;
const GOALS: &[Goal] = &[
    Goal::of(Unit::Micros, Bound::AtMost(50_000.0), "a search, once loaded"),
    Goal::of(
        Unit::Micros,
        Bound::AtMost(20_000.0),
        "the first guarded post, with its append",
    ),
];

/// One client a round.
#[derive(Debug)]
pub(crate) struct Search;

impl Figure for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn title(&self) -> &'static str {
        "client: a search over 10,000 messages; one guarded post; its memory then"
    }

    fn store(&self) -> Option<Store> {
        None
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "A client whose cache has all messages is started and searches at once: that is the loading, with the search in it. Then \
         the median of nine searches that find a thousandth of the messages. Then its first post, of 1,000 bytes: the guard reads \
         its rules for it, and the whole post, appended to Postgres in memory, is held against the guard's goal; beside it the \
         second post."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        _round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            let archive = fixture.archive().await?;
            let mut client = archive.client().await?;
            let before = cpu::resident(client.id(), "VmRSS:")?;
            let loading = micros(archive.find(&mut client).await?);
            let mut searches = Vec::with_capacity(SEARCHES);
            for _ in 0..SEARCHES {
                searches.push(micros(archive.find(&mut client).await?));
            }
            let mut posts = Vec::new();
            for _ in 0..2 {
                let text = "What was read twice is read once now. ".repeat(26);
                let start = Instant::now();
                client.call("post", json!({ "text": text })).await?;
                posts.push(micros(start.elapsed()));
            }
            let after = cpu::resident(client.id(), "VmRSS:")?;
            let most = cpu::resident(client.id(), "VmHWM:")?;
            client.close().await;
            let search = median(&searches);
            let post = |place: usize| posts.get(place).copied().unwrap_or(f64::NAN);
            Ok(Sample {
                values: vec![
                    Value::new("search", Unit::Micros, search),
                    Value::new("loading", Unit::Micros, loading),
                    Value::new("first post", Unit::Micros, post(0)),
                    Value::new("second post", Unit::Micros, post(1)),
                    Value::new("memory at start", Unit::Bytes, before),
                    Value::new("then", Unit::Bytes, after),
                    Value::new("the most", Unit::Bytes, most),
                    Value::new("messages", Unit::Count, count(archive.messages)),
                ],
                judged: vec![search, post(0)],
                ..Sample::default()
            })
        }
        .boxed_local()
    }
}
