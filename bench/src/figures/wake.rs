//! From a post to the return of a request that waited for it.

use anyhow::Result;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::{Figure, Goal, Sample, Unit, Value, missed};
use crate::fixture::{Fixture, Site, Store};
use crate::load::append::micros;
use crate::load::release::Room;
use crate::load::seat;
use crate::system::cpu::Meter;
use crate::system::disk;

/// Posts of a round, for each second of a part.
const POSTS: usize = 150;
/// What p99 may be above twice the p50 of the answer.
const ABOVE: f64 = 500.0;
const GOALS: &[Goal] = &[
    Goal::at_most(1.1, "of the answer, p50"),
    Goal::at_most(1.0, "of 2 × the answer's p50 + 0.5 ms, p99"),
];

/// One waiting request.
#[derive(Debug)]
pub(crate) struct Wake {
    store: Store,
    room: Option<Room>,
}

impl Wake {
    /// Nobody waits yet.
    pub(crate) const fn new(store: Store) -> Self {
        Self { store, room: None }
    }
}

/// A session of its own with so many readers.
pub(super) async fn room(site: &Site, readers: usize) -> Result<Room> {
    let owner = site.new_session().await?;
    let seats = seat::joined(site.plane.address, &owner, readers).await?;
    Room::open(site.plane.address, &owner, seats, &site.sealed).await
}

impl Figure for Wake {
    fn name(&self) -> &'static str {
        "wake"
    }

    fn title(&self) -> &'static str {
        "append → a waiting request returns, p50"
    }

    fn store(&self) -> Option<Store> {
        Some(self.store)
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "A reader's request waits; some milliseconds later another participant posts; both clocks start as the post is sent, one \
         stops at its answer, the other as the waiting request has returned with that record. Some milliseconds lie between the \
         posts, so none is held up by the one before."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        _round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            let site = fixture.site(self.store).await?;
            if self.room.is_none() {
                self.room = Some(room(&site, 1).await?);
            }
            let posts = POSTS * usize::try_from(fixture.options.seconds)?;
            let before = disk::sync_time(&site.folder)?;
            let meter = Meter::start(&site.trees());
            let released = self.room.as_mut().ok_or_else(missed)?.run(posts).await?;
            let cores = meter.cores();
            let after = disk::sync_time(&site.folder)?;
            let answer = micros(&released.answered, 0.5);
            let (p50, p99) = (micros(&released.last, 0.5), micros(&released.last, 0.99));
            Ok(Sample {
                values: vec![
                    Value::new("p50", Unit::Micros, p50),
                    Value::new("the answer, p50", Unit::Micros, answer),
                    Value::new("p99", Unit::Micros, p99),
                    Value::new("the answer, p99", Unit::Micros, micros(&released.answered, 0.99)),
                ],
                judged: vec![p50 / answer, p99 / (2.0 * answer + ABOVE)],
                sync: Some((before, after)),
                cores,
            })
        }
        .boxed_local()
    }
}
