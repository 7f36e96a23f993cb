//! The tables, and every SQL statement of the cockpit, each once.
//!
//! One SQLite file for its user alone. An answer to an event means that it is on the disk: it outlives a crash. Nothing
//! outside of this room sees a row.

mod error;
mod files;
mod merges;
mod repositories;
mod tasks;

use std::path::Path;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

pub use error::StoreError;
pub(crate) use tasks::{NewTask, TaskEnd, TaskRow};

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// The file in the data folder.
const FILE: &str = "history.sqlite";
/// How long a writer waits for another.
const BUSY_TIME: Duration = Duration::from_secs(5);
const CONNECTIONS: u32 = 4;

/// The open store. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    pool: SqlitePool,
}

impl Store {
    /// Opens the store in `folder`, which is made for its user alone.
    ///
    /// # Errors
    /// The folder or file can't be made; a newer version of this program wrote it.
    pub(crate) async fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(FILE);
        private(folder, &path).map_err(|source| StoreError::Folder {
            path: path.clone(),
            source,
        })?;
        let options = SqliteConnectOptions::new()
            .filename(&path)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY_TIME);
        let pool = SqlitePoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(BUSY_TIME)
            .connect_with(options)
            .await?;
        MIGRATIONS.run(&pool).await.map_err(|error| match error {
            MigrateError::VersionMissing(_) => StoreError::Newer { path },
            error => StoreError::Migrate(error),
        })?;
        Ok(Self { pool })
    }

    /// Writes what is pending and closes the file.
    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}

/// Titles and reports are nobody else's: the folder is 0700, the file 0600. SQLite gives the files beside it the same mode.
fn private(folder: &Path, file: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    let mut options = std::fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    builder.create(folder)?;
    options.open(file).map(drop)
}
