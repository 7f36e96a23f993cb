//! A hundred waiting requests of one session, released by one post.

use anyhow::Result;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::{Bound, Figure, Goal, Sample, Unit, Value, missed, wake};
use crate::fixture::{Fixture, Store};
use crate::load::append::micros;
use crate::load::release::Room;
use crate::system::cpu::Meter;
use crate::system::disk;

const READERS: usize = 100;
/// Posts of a round, for each second of a part.
const POSTS: usize = 50;
const GOALS: &[Goal] = &[Goal::of(Unit::Micros, Bound::AtMost(6_000.0), "p99")];

/// The last of a hundred.
#[derive(Debug)]
pub(crate) struct FanOut {
    store: Store,
    room: Option<Room>,
}

impl FanOut {
    /// Nobody waits yet.
    pub(crate) const fn new(store: Store) -> Self {
        Self { store, room: None }
    }
}

impl Figure for FanOut {
    fn name(&self) -> &'static str {
        "fan-out"
    }

    fn title(&self) -> &'static str {
        "100 waiting requests of one session released, the last one, p99"
    }

    fn store(&self) -> Option<Store> {
        Some(self.store)
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "A hundred participants wait on a connection each; from sending a post until the last of them has its whole answer. The \
         generator reads all of them on the same two cores."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        _round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            let site = fixture.site(self.store).await?;
            if self.room.is_none() {
                self.room = Some(wake::room(&site, READERS).await?);
            }
            let posts = POSTS * usize::try_from(fixture.options.seconds)?;
            let before = disk::sync_time(&site.folder)?;
            let meter = Meter::start(&site.trees());
            let released = self.room.as_mut().ok_or_else(missed)?.run(posts).await?;
            let cores = meter.cores();
            let after = disk::sync_time(&site.folder)?;
            let p99 = micros(&released.last, 0.99);
            Ok(Sample {
                values: vec![
                    Value::new("p99", Unit::Micros, p99),
                    Value::new("p50", Unit::Micros, micros(&released.last, 0.5)),
                    Value::new("the answer, p50", Unit::Micros, micros(&released.answered, 0.5)),
                ],
                judged: vec![p99],
                sync: Some((before, after)),
                cores,
            })
        }
        .boxed_local()
    }
}
