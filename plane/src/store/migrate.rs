//! The schema's migrations, part of the binary, one folder an engine with the same file names. They are only
//! ever added. A schema that a newer binary made is refused, so that no data is written without its rules.

use std::collections::BTreeSet;

use sqlx::migrate::{MigrateError, Migrator};

use super::StoreError;
use super::engine::{Pools, all};

static POSTGRES: Migrator = sqlx::migrate!("../migrations/postgres");
static SQLITE: Migrator = sqlx::migrate!("../migrations/sqlite");

const APPLIED: &str = "SELECT version FROM _sqlx_migrations";

pub(super) async fn run(pools: &Pools) -> Result<(), StoreError> {
    match pools {
        Pools::Postgres { pool, .. } => POSTGRES.run(pool).await,
        Pools::Sqlite { write, .. } => SQLITE.run(write).await,
    }
    .map_err(|error| match error {
        MigrateError::VersionMissing(_) => StoreError::NewerSchema,
        error => StoreError::Migrate(error),
    })
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
