//! Twenty clients that write to one session at once: everything acknowledged is there, once and in order, and a plane
//! that can't keep up says so.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Result, ensure};
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use wire::api::Page;
use wire::transcript::RecordClass;

use super::{Bound, Figure, Goal, Sample, Unit, Value, count, missed};
use crate::fixture::{Fixture, Site, Store};
use crate::load::append::{self, Posts};
use crate::load::http::Connection;
use crate::load::seat::{self, Seat};
use crate::system::cpu::Meter;
use crate::system::disk;

const CLIENTS: usize = 20;
const GOALS: &[Goal] = &[Goal::of(Unit::PerSecond, Bound::AtLeast(2_000.0), "together")];

/// Twenty clients.
#[derive(Debug)]
pub(crate) struct Together {
    store: Store,
    owner: Option<Seat>,
    posts: Vec<Arc<Posts>>,
    /// How far the session was read when the last round was over.
    head: u64,
}

impl Together {
    /// Nobody writes yet.
    pub(crate) const fn new(store: Store) -> Self {
        Self {
            store,
            owner: None,
            posts: Vec::new(),
            head: 0,
        }
    }

    /// Reads what is new, without a gap and nothing twice; gives the number of messages.
    async fn read(&mut self, site: &Site) -> Result<usize> {
        let reader = self.owner.as_ref().ok_or_else(missed)?;
        let mut connection = Connection::open(site.plane.address).await?;
        let mut messages = BTreeSet::new();
        loop {
            let request = reader.read_request(self.head, "&limit=1000");
            let page: Page = connection.exchange(&request).await?.json(200)?;
            for record in &page.records {
                ensure!(
                    record.seq == self.head + 1,
                    "{} follows {}",
                    record.seq,
                    self.head
                );
                self.head = record.seq;
                if record.class == RecordClass::Message {
                    let new = messages.insert(record.item_id);
                    ensure!(new, "message {:?} is there twice", record.item_id);
                }
            }
            if !page.more {
                return Ok(messages.len());
            }
        }
    }
}

impl Figure for Together {
    fn name(&self) -> &'static str {
        "together"
    }

    fn title(&self) -> &'static str {
        "20 clients in one session together"
    }

    fn store(&self) -> Option<Store> {
        Some(self.store)
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "20 participants of one session, a connection each with one post under way, sealed beforehand. After each round the \
         session is read: as many messages as were acknowledged, each once, no number left out, or the row fails. That a \
         full queue is answered 429 with Retry-After is a test of the plane."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        _round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            let site = fixture.site(self.store).await?;
            if self.owner.is_none() {
                let owner = site.new_session().await?;
                let seats = seat::joined(site.plane.address, &owner, CLIENTS).await?;
                let posts = |seat| Arc::new(Posts::new(std::iter::once(seat), &site.sealed));
                self.posts = seats.iter().map(posts).collect();
                self.owner = Some(owner);
                self.read(&site).await?;
            }
            let before = disk::sync_time(&site.folder)?;
            let meter = Meter::start(&site.trees());
            let appended =
                append::run(site.plane.address, &self.posts, CLIENTS, fixture.options.part()).await?;
            let cores = meter.cores();
            let after = disk::sync_time(&site.folder)?;
            let (acknowledged, stored) = (appended.acknowledged, self.read(&site).await?);
            ensure!(
                acknowledged == stored,
                "{acknowledged} were acknowledged, {stored} are there"
            );
            Ok(Sample {
                values: vec![
                    Value::new("together", Unit::PerSecond, appended.rate),
                    Value::new("p50", Unit::Micros, append::micros(&appended.latency, 0.5)),
                    Value::new("p99", Unit::Micros, append::micros(&appended.latency, 0.99)),
                    Value::new("acknowledged and read", Unit::Count, count(stored)),
                ],
                judged: vec![appended.rate],
                sync: Some((before, after)),
                cores,
            })
        }
        .boxed_local()
    }
}
