//! What stands between this process and Postgres: nothing, or a pooler. Found out at the start, since a connection says
//! nothing of it.

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Executor as _, PgConnection, PgPool, Row as _};

use super::StoreError;
use super::engine::ACQUIRE_TIME;
use super::statement::Way;

/// Of each connection, and where a pooler stands between, of each transaction. Every statement looks up by key: without
/// the first, one that is planned while a table is small goes on reading all of it when it has grown. The second keeps a
/// plan for good: one that is made anew for each set of values costs several times what the look-up itself does. The others
/// bound how long one session's lock, held by a process that stopped, can keep the writer from all others.
const SETTINGS: [(&str, &str); 4] = [
    ("enable_seqscan", "off"),
    ("plan_cache_mode", "force_generic_plan"),
    ("lock_timeout", "3s"),
    ("idle_in_transaction_session_timeout", "10s"),
];
const IN_FORCE: &str = "SELECT current_setting('enable_seqscan'), current_setting('plan_cache_mode'), \
     current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout')";
const BACKEND: &str = "SELECT pg_backend_pid()";
const SNAPSHOT: &str = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// As [`SETTINGS`], for one transaction whose statements are planned once each: their plans may know the values.
macro_rules! settings {
    ($begin:literal) => {
        concat!(
            $begin,
            "; SET LOCAL enable_seqscan TO off; SET LOCAL lock_timeout TO '3s'; \
             SET LOCAL idle_in_transaction_session_timeout TO '10s'"
        )
    };
}
const BEGIN_SET: &str = settings!("BEGIN");
const SNAPSHOT_SET: &str = settings!("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");

/// Postgres' code for a connection that asks for what can't be: how a pooler refuses settings that it does not know.
const REFUSED: &str = "08P01";
/// How often two connections are compared before they count as separate.
const LOOKS: usize = 4;

/// What stands between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// Nothing that is felt: connections keep settings and prepared statements.
    Direct,
    /// A pooler that takes no settings, and may be in whatever mode.
    Pooled,
    /// A pooler in transaction mode: connections were seen to share a server process.
    Shared,
}

impl Route {
    /// The options of connections over it.
    pub(super) fn connecting(self, options: PgConnectOptions) -> PgConnectOptions {
        match self {
            Self::Direct => options.options(SETTINGS),
            Self::Pooled | Self::Shared => options,
        }
    }

    /// How a transaction begins.
    pub(super) const fn begin(self) -> &'static str {
        match self {
            Self::Direct => "BEGIN",
            Self::Pooled | Self::Shared => BEGIN_SET,
        }
    }

    /// How a transaction begins that reads one snapshot.
    pub(super) const fn begin_snapshot(self) -> &'static str {
        match self {
            Self::Direct => SNAPSHOT,
            Self::Pooled | Self::Shared => SNAPSHOT_SET,
        }
    }

    /// How statements of a transaction run.
    pub(super) const fn inside(self) -> Way {
        match self {
            Self::Direct => Way::Kept,
            Self::Pooled | Self::Shared => Way::Parsed,
        }
    }

    /// How statements run that stand alone.
    pub(super) const fn alone(self) -> Way {
        match self {
            Self::Direct => Way::Kept,
            Self::Pooled | Self::Shared => Way::Alone(BEGIN_SET),
        }
    }
}

/// Finds out what stands between.
pub(super) async fn find(options: &PgConnectOptions) -> Result<Route, StoreError> {
    let direct = pair(Route::Direct.connecting(options.clone()));
    let route = match are_shared(&direct).await {
        Ok(true) => Route::Shared,
        Ok(false) if settings_hold(&direct).await? => Route::Direct,
        Ok(false) => Route::Pooled,
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(REFUSED) => {
            let plain = pair(Route::Pooled.connecting(options.clone()));
            let shared = are_shared(&plain).await;
            plain.close().await;
            if shared? { Route::Shared } else { Route::Pooled }
        }
        Err(error) => return Err(error.into()),
    };
    direct.close().await;
    if route != Route::Direct {
        tracing::warn!(
            ?route,
            "a pooler stands between this process and Postgres: each statement takes a transaction of its own and is parsed \
             each time; for speed, connect the plane to Postgres itself"
        );
    }
    Ok(route)
}

/// Two connections of their own, as soon as they can be had.
fn pair(options: PgConnectOptions) -> PgPool {
    PgPoolOptions::new()
        .max_connections(2)
        .acquire_timeout(ACQUIRE_TIME)
        .connect_lazy_with(options)
}

/// Whether two connections share a server process, or one moves from one to another. Neither can be without a pooler in
/// transaction mode.
async fn are_shared(pool: &PgPool) -> Result<bool, sqlx::Error> {
    let mut one = pool.acquire().await?;
    let mut other = pool.acquire().await?;
    for _ in 0..LOOKS {
        let first = backend(&mut one).await?;
        let beside = backend(&mut other).await?;
        if beside == first || backend(&mut one).await? != first {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Not prepared, so that nothing is left behind.
async fn backend(conn: &mut PgConnection) -> Result<i32, sqlx::Error> {
    conn.fetch_one(sqlx::raw_sql(BACKEND)).await?.try_get(0)
}

/// Whether a connection has the settings that it asked for: a pooler may drop them and say nothing.
async fn settings_hold(pool: &PgPool) -> Result<bool, sqlx::Error> {
    let row = pool.fetch_one(sqlx::raw_sql(IN_FORCE)).await?;
    for (place, (_, value)) in SETTINGS.iter().enumerate() {
        if row.try_get::<&str, _>(place)? != *value {
            return Ok(false);
        }
    }
    Ok(true)
}
