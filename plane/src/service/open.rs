//! The service: opened from its configuration, shared by all requests, drained at the end.

use std::fmt;
use std::sync::Arc;

use super::deadlines::Deadlines;
use super::departures::Departures;
use super::live::Live;
use super::look::Looks;
use super::lookups::{self, Lookups};
use super::roster::Roster;
use super::state::{Viewer, state};
use super::tasks::Tasks;
use super::turns::Turns;
use super::{Answer, ServiceError, SessionCaller};
use crate::appender::Appender;
use crate::clock::Clock;
use crate::limits::Limits;
use crate::modes::Bounds;
use crate::presence::Presence;
use crate::rate::{Allowance, Counted, Rates};
use crate::store::session::SessionRow;
use crate::store::{Store, StoreError, StoreUrl};
use crate::sweeper;
use crate::wake::{self, Ear, Hearing, Hub, Relay, WakeTimes, Wakes};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use wire::api::State;
use wire::ids::{ParticipantId, SessionId};
use wire::timestamp::Timestamp;

/// What a service is made of.
#[derive(Debug, Clone)]
pub struct ServiceConfig {
    /// Where the data lives.
    pub store: StoreUrl,
    /// The limits in force.
    pub limits: Limits,
    /// Where the time comes from.
    pub clock: Clock,
    /// When what is done about wake-ups between processes.
    pub wakes: WakeTimes,
}

/// The plane's calls. A clone is the same service.
#[derive(Clone)]
pub struct Service {
    pub(super) shared: Arc<Shared>,
    pub(super) appender: Appender,
    tasks: Arc<Tasks>,
}

/// What all calls and all background tasks share.
pub(crate) struct Shared {
    pub(super) store: Store,
    pub(super) limits: Limits,
    pub(super) bounds: Bounds,
    pub(super) clock: Clock,
    pub(super) rates: Rates,
    pub(super) wakes: Wakes,
    pub(crate) presence: Arc<Presence>,
    pub(super) deadlines: Deadlines,
    pub(crate) live: Live,
    pub(super) looks: Looks,
    pub(super) turns: Turns,
    /// Who is here, for those who stream.
    pub(super) rosters: Hub<Roster>,
    pub(super) lookups: Lookups,
    pub(crate) departures: Departures,
    /// Waits and streams end when this is cancelled.
    pub(super) draining: CancellationToken,
    /// Sessions that grew beyond their limits.
    oversized: mpsc::Sender<SessionId>,
}

/// The ends of channels that background tasks read.
struct Channels {
    oversized: mpsc::Receiver<SessionId>,
    relay: Option<(Relay, mpsc::Receiver<SessionId>)>,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Service")
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shared")
    }
}

impl Service {
    /// Opens the store, brings its schema up to date and starts the background tasks.
    ///
    /// # Errors
    /// The database can't be reached, or its schema is newer than this binary knows.
    pub async fn open(config: ServiceConfig) -> Result<Self, StoreError> {
        let (service, channels) = Self::build(config).await?;
        let shared = &service.shared;
        let tasks = &service.tasks;
        tasks.start(|stop| sweeper::sweep(Arc::clone(shared), stop));
        tasks.start(|stop| sweeper::evict(Arc::clone(shared), channels.oversized, stop));
        tasks.start(|stop| sweeper::read_again(Arc::clone(shared), stop));
        tasks.start(|stop| sweeper::write_presence(Arc::clone(shared), stop));
        if let Some((relay, changed)) = channels.relay {
            relay.announce();
            let relay = Arc::new(relay);
            let sends = Arc::clone(&relay);
            tasks.start(|stop| async move { sends.send(changed, stop).await });
            tasks.start(|stop| async move {
                stop.run_until_cancelled(relay.receive()).await;
            });
        }
        Ok(service)
    }

    /// Opens the store for the operator's verbs alone: nothing runs in the background but the writer.
    ///
    /// # Errors
    /// As [`Service::open`].
    pub async fn open_for_admin(config: ServiceConfig) -> Result<Self, StoreError> {
        let (service, channels) = Self::build(config).await?;
        if let Some((relay, changed)) = channels.relay {
            let tasks = &service.tasks;
            tasks.start(|stop| async move { relay.send(changed, stop).await });
        }
        Ok(service)
    }

    async fn build(config: ServiceConfig) -> Result<(Self, Channels), StoreError> {
        let store = Store::open(&config.store).await?;
        let hub = Hub::default();
        let (lookups, asked) = Lookups::new();
        let (oversized, to_evict) = mpsc::channel(sweeper::OVERSIZED);
        let mut tag = [0; 16];
        getrandom::fill(&mut tag).map_err(|_| StoreError::NoRandomness)?;
        let (ear, others, relay) = match store.side() {
            Some(side) => {
                let ear = Ear::new(Hearing::Polling);
                let (others, changed) = mpsc::channel(wake::QUEUE);
                let relay = Relay::new(side.clone(), hub.clone(), ear.clone(), config.wakes, tag);
                (ear, Some(others), Some((relay, changed)))
            }
            None => (Ear::new(Hearing::Alone), None, None),
        };
        let shared = Arc::new(Shared {
            store,
            bounds: Bounds::from(&config.limits),
            presence: Arc::new(Presence::new(config.limits.token_life_s)),
            limits: config.limits,
            clock: config.clock,
            rates: Rates::default(),
            wakes: Wakes::new(hub, others, ear, config.wakes),
            deadlines: Deadlines::default(),
            live: Live::default(),
            looks: Looks::default(),
            turns: Turns::default(),
            rosters: Hub::default(),
            lookups,
            departures: Departures::default(),
            draining: CancellationToken::new(),
            oversized,
        });
        let service = Self {
            appender: Appender::start(&shared),
            tasks: Arc::new(Tasks::default()),
            shared,
        };
        let looks_up = Arc::clone(&service.shared);
        service.tasks.start(|stop| lookups::run(looks_up, asked, stop));
        let channels = Channels {
            oversized: to_evict,
            relay,
        };
        Ok((service, channels))
    }

    /// `GET /readyz`: the store is reachable and its schema known.
    ///
    /// # Errors
    /// `Draining`; `Store`: it is not.
    pub async fn ready(&self) -> Answer<()> {
        if self.shared.draining.is_cancelled() {
            return Err(ServiceError::Draining);
        }
        self.shared.store.check().await?;
        Ok(())
    }

    /// How this process learns of what others commit over the same database.
    pub fn hearing(&self) -> Hearing {
        self.shared.wakes.hearing()
    }

    /// Ends all waits ("draining, try again") and turns readiness false. Other calls go on until
    /// [`Service::drain`], so that requests under way can finish.
    pub fn end_waits(&self) {
        self.shared.draining.cancel();
    }

    /// Ends all waits ("draining, try again"), finishes open appends, stops the background tasks and writes what
    /// they hold. Idempotent.
    pub async fn drain(&self) {
        self.shared.draining.cancel();
        self.appender.finish().await;
        self.tasks.stop().await;
        self.shared.store.close().await;
    }
}

impl Shared {
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) const fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    pub(crate) const fn rates(&self) -> &Rates {
        &self.rates
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The time for statements that compare with the database's clock; none where it has its own.
    pub(crate) fn store_time(&self) -> Option<Timestamp> {
        self.store.time_for(&self.clock)
    }

    /// Returns when sessions that are waited for are to be read again.
    pub(crate) async fn read_again_is_due(&self) {
        self.wakes.read_again_is_due().await;
    }

    /// The time to judge a session's mode by.
    pub(crate) fn mode_time(&self, row: &SessionRow, now: Timestamp) -> Timestamp {
        let expires_at = row.mode.auto_expires_at();
        self.deadlines
            .judge(row.session_id, expires_at, now, self.clock.monotonic())
    }

    /// An auto is seen first by who starts it, at the time of its start.
    pub(crate) fn saw_mode(&self, row: &SessionRow, now: Timestamp) {
        self.mode_time(row, now);
    }

    /// The session as it stands now for one who is told.
    pub(crate) fn state_for(&self, row: &SessionRow, viewer: Viewer) -> State {
        state(row, viewer, self.mode_time(row, self.now()))
    }

    /// What counts a participant's appends, and how many it may make.
    pub(crate) fn appends(&self, session: SessionId, who: ParticipantId) -> (Counted, Allowance) {
        let allowance = Allowance::bursting(self.limits.appends_per_minute, self.limits.append_burst);
        (Counted::Appends(session, who), allowance)
    }

    /// Counts a change against a participant's appends.
    pub(super) fn take_change(&self, by: &SessionCaller, now: Timestamp) -> Answer<()> {
        let (appends, allowance) = self.appends(by.session_id, by.participant_id);
        self.rates
            .take(appends, 1, allowance, now)
            .map_err(|retry_after_s| ServiceError::RateLimited {
                limit: "appends_per_minute",
                retry_after_s,
            })
    }

    /// An append is committed that led to this row, and known here: who waits is woken.
    pub(crate) fn appended(&self, row: &SessionRow) {
        self.wakes.wake_appended(row.session_id, row.version);
        self.measure(row);
    }

    /// Has a session evicted from if it grew too large.
    pub(super) fn measure(&self, row: &SessionRow) {
        if self.is_oversized(row) {
            // Where it finds no place, the session's next record brings it again.
            let _lost = self.oversized.try_send(row.session_id);
        }
    }

    pub(crate) fn session_life_ms(&self) -> i64 {
        millis(self.limits.session_life_s)
    }

    pub(super) fn token_life_ms(&self) -> i64 {
        millis(self.limits.token_life_s)
    }

    pub(super) fn tombstone_life_ms(&self) -> i64 {
        millis(self.limits.tombstone_life_s)
    }
}

/// Milliseconds, at most as many as a time can hold.
pub(super) fn millis(seconds: u64) -> i64 {
    i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX)
}
