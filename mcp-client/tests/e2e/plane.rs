//! A plane in this process, on a port of its own, with a store of its own.

use std::time::{SystemTime, UNIX_EPOCH};

use plane::clock::{Clock, SetClock};
use plane::http::{Listeners, Options, serve};
use plane::limits::Limits;
use plane::service::{Role, Scope, Service, ServiceConfig, WakeTimes};
use plane::store::StoreUrl;
use sqlx::{Connection as _, Executor as _, PgConnection};
use tokio_util::sync::CancellationToken;

/// Where a plane keeps its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Store {
    Sqlite,
    Postgres,
}

impl Store {
    /// Those that can be tested here; what is left out is said.
    #[allow(clippy::print_stderr, reason = "what is skipped is said")]
    pub fn here() -> Vec<Self> {
        match std::env::var("DEVPILOT_TEST_POSTGRES") {
            Ok(_) => vec![Self::Sqlite, Self::Postgres],
            Err(_) => {
                assert!(
                    std::env::var_os("CI").is_none(),
                    "in CI nothing is skipped: set DEVPILOT_TEST_POSTGRES"
                );
                eprintln!("SKIPPED: Postgres, since DEVPILOT_TEST_POSTGRES is not set");
                vec![Self::Sqlite]
            }
        }
    }

    async fn url(self, data: &tempfile::TempDir) -> StoreUrl {
        if self == Self::Sqlite {
            return StoreUrl::Sqlite(data.path().join("plane.db"));
        }
        let server = std::env::var("DEVPILOT_TEST_POSTGRES").unwrap();
        let name = format!("e2e_{}", uuid::Uuid::new_v4().simple());
        let mut admin = PgConnection::connect(&server).await.unwrap();
        let create = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
        admin.execute(create).await.unwrap();
        let (base, _) = server.rsplit_once('/').unwrap();
        StoreUrl::Postgres(format!("{base}/{name}"))
    }
}

/// A clock for a plane that shows the time now and then stands still until it is moved.
pub fn clock() -> SetClock {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    SetClock::new(wire::timestamp::Timestamp::from_millis(now.as_millis() as i64))
}

pub struct TestPlane {
    pub origin: String,
    pub token: String,
    pub service: Service,
    stop: CancellationToken,
    _data: tempfile::TempDir,
}

impl TestPlane {
    pub async fn start() -> Self {
        Self::with(|_| ()).await
    }

    /// With other limits than the plane's own.
    pub async fn with(change: impl FnOnce(&mut Limits)) -> Self {
        let mut limits = Limits::default();
        change(&mut limits);
        Self::run(Store::Sqlite, limits, Clock::System).await
    }

    /// On a store.
    pub async fn on(store: Store) -> Self {
        Self::run(store, Limits::default(), Clock::System).await
    }

    /// On a store, with a clock that the test moves.
    pub async fn at(store: Store, clock: &SetClock) -> Self {
        Self::run(store, Limits::default(), Clock::Set(clock.clone())).await
    }

    async fn run(store: Store, limits: Limits, clock: Clock) -> Self {
        let data = tempfile::tempdir().unwrap();
        let service = Service::open(ServiceConfig {
            store: store.url(&data).await,
            limits: limits.clone(),
            clock,
            wakes: WakeTimes::default(),
        })
        .await
        .unwrap();
        service.admin_create_org("test").await.unwrap();
        service
            .admin_create_member("test", "owner", Role::Admin)
            .await
            .unwrap();
        let scopes = [Scope::Share, Scope::Rekey];
        let made = service
            .admin_create_token("test", "owner", &scopes, None)
            .await
            .unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let options = Options {
            limits,
            origin: Some(origin.clone()),
            ..Options::default()
        };
        let handle = service.clone();
        let listeners = Listeners {
            plane: listener,
            metrics: None,
        };
        tokio::spawn(async move { serve(listeners, service, options, stopped.cancelled_owned()).await });
        Self {
            origin,
            token: made.token.0,
            service: handle,
            stop,
            _data: data,
        }
    }
}

impl Drop for TestPlane {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
