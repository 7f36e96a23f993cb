//! What it costs that two plane processes over one database wake each other's waiting requests.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use sqlx::{Connection as _, PgConnection};

use super::{Figure, Goal, Sample, Unit, Value, missed, order};
use crate::fixture::{Data, Fixture, Grown, Plane, Store};
use crate::load::append::{self, Posts};
use crate::load::http;
use crate::system::cpu::Meter;
use crate::system::disk;

/// Of each plane.
const CONNECTIONS: usize = 32;
const SESSIONS: usize = 1_000;
const LISTENS: &str = "devpilot_plane_listening";
/// How long a plane may take until it hears the other one.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(100);
/// A function of the same name before the system's, that tells nobody; what the plane makes it makes in `public`.
const MUTE: &str = "CREATE SCHEMA mute; \
     CREATE FUNCTION mute.pg_notify(text, text) RETURNS void LANGUAGE sql AS ''";
const MUTE_FIRST: &str = "?options=-c%20search_path%3Dpublic%2Cmute%2Cpg_catalog";
const GOALS: &[Goal] = &[Goal::at_least(0.9, "of those without wake-ups")];

/// Two pairs of planes.
#[derive(Debug)]
struct Planes {
    /// The database with its sessions, and the first plane that tells.
    grown: Grown,
    tells: Plane,
    /// Two that run the statement and tell nobody.
    mute: [Plane; 2],
    /// Posts to a half of the sessions for each plane of a pair.
    halves: [Arc<Posts>; 2],
}

/// The two pairs in turn.
#[derive(Debug, Default)]
pub(crate) struct Across {
    planes: Option<Planes>,
}

impl Planes {
    async fn start(fixture: &Fixture<'_>) -> Result<Self> {
        let homes = fixture.folder.path();
        let grown = Grown::open(fixture.options, homes, "across", (SESSIONS, 1), SESSIONS).await?;
        let mut connection = PgConnection::connect(&grown.url).await?;
        sqlx::raw_sql(MUTE).execute(&mut connection).await?;
        connection.close().await?;
        let start = async |name, url| grown.setup.beside(name, Data::Postgres(url))?.start().await;
        let mute = |name| start(name, format!("{}{MUTE_FIRST}", grown.url));
        let (tells, mute) = (
            start("across-tells", grown.url.clone()).await?,
            [mute("across-mute-1").await?, mute("across-mute-2").await?],
        );
        let sealed = &grown.sealed;
        let (first, second) = grown.seats.split_at(SESSIONS / 2);
        let halves = [first, second].map(|half| Arc::new(Posts::new(half.iter(), sealed)));
        let planes = Self {
            tells,
            mute,
            halves,
            grown,
        };
        let end = Instant::now() + PATIENCE;
        while planes.check().await.is_err() && Instant::now() < end {
            tokio::time::sleep(LOOK).await;
        }
        Ok(planes)
    }

    const fn pair(&self, muted: bool) -> [&Plane; 2] {
        let [one, other] = &self.mute;
        if muted {
            [one, other]
        } else {
            [&self.grown.plane, &self.tells]
        }
    }

    /// That one pair hears, and the other does not.
    async fn check(&self) -> Result<()> {
        for (muted, expected) in [(false, 1.0), (true, 0.0)] {
            for plane in self.pair(muted) {
                let listens = http::gauge(plane.address, LISTENS).await?;
                ensure!(listens == expected, "{LISTENS} is {listens} and not {expected}");
            }
        }
        Ok(())
    }

    /// Appends a second of a pair, each plane with half the connections and half the sessions.
    async fn appends(&self, muted: bool, part: Duration) -> Result<f64> {
        let [one, other] = self.pair(muted).map(|plane| plane.address);
        let [first, second] = &self.halves;
        let run =
            |address: SocketAddr, posts| append::run(address, std::slice::from_ref(posts), CONNECTIONS, part);
        let (one, other) = tokio::try_join!(run(one, first), run(other, second))?;
        Ok(one.rate + other.rate)
    }
}

impl Figure for Across {
    fn name(&self) -> &'static str {
        "across"
    }

    fn title(&self) -> &'static str {
        "appends through two plane processes that wake each other"
    }

    fn store(&self) -> Option<Store> {
        Some(Store::Postgres)
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "Two planes over one database, 32 connections and 500 sessions each. Without wake-ups: two planes whose connections find \
         another function `pg_notify` first, which tells nobody; the plane sends its statement as ever, outside any append, and \
         finds that it hears nothing. That the one pair hears and the other does not is read from their own figures each round."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            if self.planes.is_none() {
                self.planes = Some(Planes::start(fixture).await?);
            }
            let planes = self.planes.as_ref().ok_or_else(missed)?;
            let options = fixture.options;
            planes.check().await?;
            let before = disk::sync_time(&options.disk)?;
            let (mut waking, mut mute, mut cores) = (0.0, 0.0, Vec::new());
            for step in order(2, round) {
                if step == 0 {
                    let more = ("the other plane", planes.tells.tree());
                    let meter = Meter::start(&[planes.grown.trees(), vec![more]].concat());
                    waking = planes.appends(false, options.part()).await?;
                    cores = meter.cores();
                } else {
                    mute = planes.appends(true, options.part()).await?;
                }
            }
            let after = disk::sync_time(&options.disk)?;
            planes.check().await?;
            Ok(Sample {
                values: vec![
                    Value::new("appends", Unit::PerSecond, waking),
                    Value::new("without wake-ups", Unit::PerSecond, mute),
                ],
                judged: vec![waking / mute],
                sync: Some((before, after)),
                cores,
            })
        }
        .boxed_local()
    }
}
