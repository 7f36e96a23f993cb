//! A database for each test.

use plane::store::StoreUrl;
use sqlx::{Connection as _, Executor as _, PgConnection};

use super::{hex, pooler, random};

/// Where a test keeps its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// A database that goes with the test.
pub(crate) struct Database {
    /// For the plane: through the pooler where `DEVPILOT_TEST_THROUGH_POOLER` is set.
    pub(crate) url: StoreUrl,
    /// For the test's own looks: the same database itself.
    pub(crate) direct: StoreUrl,
    _folder: Option<tempfile::TempDir>,
}

impl Database {
    pub(crate) async fn new(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => {
                let folder = tempfile::tempdir().unwrap();
                let url = StoreUrl::Sqlite(folder.path().join("plane.sqlite"));
                Self {
                    direct: url.clone(),
                    url,
                    _folder: Some(folder),
                }
            }
            Engine::Postgres => {
                let server = std::env::var("DEVPILOT_TEST_POSTGRES").unwrap();
                let name = format!("t{}", hex(&random::<12>()));
                let mut admin = PgConnection::connect(&server).await.unwrap();
                admin
                    .execute(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}")))
                    .await
                    .unwrap();
                let through = std::env::var_os("DEVPILOT_TEST_THROUGH_POOLER").is_some();
                let pooler = if through {
                    pooler().unwrap()
                } else {
                    server.clone()
                };
                let on = |server: &str| {
                    let (base, _) = server.rsplit_once('/').unwrap();
                    StoreUrl::Postgres(format!("{base}/{name}"))
                };
                Self {
                    url: on(&pooler),
                    direct: on(&server),
                    _folder: None,
                }
            }
        }
    }
}

impl Database {
    /// The same database over another server or what stands before it.
    pub(crate) fn over(&self, server: &str) -> StoreUrl {
        let StoreUrl::Postgres(url) = &self.direct else {
            panic!("SQLite has no server")
        };
        let (base, _) = server.rsplit_once('/').unwrap();
        let (_, name) = url.rsplit_once('/').unwrap();
        StoreUrl::Postgres(format!("{base}/{name}"))
    }
}
