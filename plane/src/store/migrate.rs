//! The schema's migrations, part of the binary, one folder an engine with the same file names. They are only
//! ever added. A schema that a newer binary made is refused, so that no data is written without its rules.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{Executor as _, PgPool};

use super::StoreError;
use super::engine::{Pools, all};
use super::route::Route;

/// The library's own lock belongs to a connection, and behind a pooler no connection is ours from one statement to the
/// next; [`LOCK`] belongs to the transaction.
static POSTGRES: LazyLock<Migrator> = LazyLock::new(|| {
    let mut migrator = sqlx::migrate!("../migrations/postgres");
    migrator.set_locking(false);
    migrator
});
static SQLITE: Migrator = sqlx::migrate!("../migrations/sqlite");

/// Processes that start together migrate one after the other. The number is any that nobody else uses.
const LOCK: &str = "SELECT pg_advisory_xact_lock(7233170936712159000)";
/// The library prepares by name; behind a pooler these names would meet those of others on the same connection.
const FORGET: &str = "DO $$ DECLARE statement text; BEGIN \
     FOR statement IN SELECT name FROM pg_prepared_statements WHERE name LIKE 'sqlx_s_%' LOOP \
         EXECUTE format('DEALLOCATE %I', statement); \
     END LOOP; END $$";
const APPLIED: &str = "SELECT version FROM _sqlx_migrations";

pub(super) async fn run(pools: &Pools) -> Result<(), StoreError> {
    match pools {
        Pools::Postgres { pool, route, .. } => migrate(pool, *route).await,
        Pools::Sqlite { write, .. } => SQLITE.run(write).await,
    }
    .map_err(|error| match error {
        MigrateError::VersionMissing(_) => StoreError::NewerSchema,
        error => StoreError::Migrate(error),
    })
}

/// All or none, under a lock.
async fn migrate(pool: &PgPool, route: Route) -> Result<(), MigrateError> {
    let mut tx = pool.begin_with(route.begin()).await?;
    tx.execute(LOCK).await?;
    if route == Route::Direct {
        POSTGRES.run_direct(None, &mut *tx, false).await?;
    } else {
        tx.execute(FORGET).await?;
        POSTGRES.run_direct(None, &mut *tx, false).await?;
        tx.execute(FORGET).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Whether exactly the migrations of this binary are in place.
pub(super) async fn check(pools: &Pools) -> Result<(), StoreError> {
    let known: BTreeSet<i64> = match pools {
        Pools::Postgres { .. } => &POSTGRES,
        Pools::Sqlite { .. } => &SQLITE,
    }
    .iter()
    .map(|migration| migration.version)
    .collect();
    let mut conn = pools.reader().await?;
    let applied: BTreeSet<i64> = all!((i64,), &mut conn.on(), APPLIED)?
        .into_iter()
        .map(|(version,)| version)
        .collect();
    if !applied.is_subset(&known) {
        return Err(StoreError::NewerSchema);
    }
    if applied != known {
        return Err(StoreError::OlderSchema);
    }
    Ok(())
}
