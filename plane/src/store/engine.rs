//! The two engines behind one set of types: pools, transactions, and the macros that run a statement on
//! either. A statement's text stands once; `$1` placeholders, TEXT, BIGINT and BYTEA work on both. Nothing
//! outside the store sees which engine it is.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use futures_util::future::join;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{
    Connection as _, PgConnection, PgPool, Postgres, Sqlite, SqliteConnection, SqlitePool, Transaction,
};
use tokio::time::timeout;

use super::StoreError;
use super::route::{self, Route};
use super::side::Side;
use super::statement::{Pg, Way, unless_silent};

/// How long a statement waits for a connection before the store counts as unavailable.
pub(super) const ACQUIRE_TIME: Duration = Duration::from_secs(5);
/// How long a connection may take to say that it still works.
const ANSWER_TIME: Duration = Duration::from_secs(1);
/// How long connections may take to be closed.
const CLOSE_TIME: Duration = Duration::from_secs(2);
/// How long a SQLite writer waits for another process's transaction.
const BUSY_TIME: Duration = Duration::from_secs(5);
/// A connection that was idle for so long is asked whether it still works before it is used.
const ASK_AFTER: Duration = Duration::from_secs(1);
/// Prepared statements that a connection keeps: more than there are.
const STATEMENTS: usize = 256;
const SQLITE_READERS: u32 = 8;
const POSTGRES_CONNECTIONS: u32 = 24;
/// Where the data lives.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreUrl {
    /// A `postgres://` URL. It may hold a password: Debug hides it.
    Postgres(String),
    /// The path of a SQLite file; its folder is created.
    Sqlite(PathBuf),
}

impl StoreUrl {
    /// Postgres by a `postgres://` or `postgresql://` URL, else a path.
    pub fn parse(text: &str) -> Self {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            Self::Postgres(text.to_owned())
        } else {
            Self::Sqlite(PathBuf::from(text))
        }
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Postgres(_) => f.write_str("Postgres"),
            Self::Sqlite(path) => f.debug_tuple("Sqlite").field(path).finish(),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) enum Pools {
    Postgres {
        pool: PgPool,
        /// For what must not stand in the queue of requests.
        side: Side,
        route: Route,
    },
    /// SQLite has one writer; readers see the last commit beside it.
    Sqlite { write: SqlitePool, read: SqlitePool },
}

impl Pools {
    pub(super) async fn connect(url: &StoreUrl) -> Result<Self, StoreError> {
        match url {
            StoreUrl::Postgres(url) => {
                // No float is ever read, and a pooler may refuse the setting.
                let options = PgConnectOptions::from_str(url)?
                    .application_name("devpilot-plane")
                    .extra_float_digits(None);
                let route = route::find(&options).await?;
                let options = route.connecting(options).statement_cache_capacity(STATEMENTS);
                let side = Side::new(options.clone(), route);
                let pool = PgPoolOptions::new()
                    .max_connections(POSTGRES_CONNECTIONS)
                    .acquire_timeout(ACQUIRE_TIME)
                    .test_before_acquire(false)
                    .before_acquire(|conn, meta| Box::pin(is_fresh(conn, meta.idle_for)))
                    .connect_with(options)
                    .await?;
                Ok(Self::Postgres { pool, side, route })
            }
            StoreUrl::Sqlite(path) => {
                make_folder(path)?;
                // An answer means durable, so the log is synced at each commit.
                let options = SqliteConnectOptions::new()
                    .filename(path)
                    .create_if_missing(true)
                    .journal_mode(SqliteJournalMode::Wal)
                    .synchronous(SqliteSynchronous::Full)
                    .foreign_keys(true)
                    .busy_timeout(BUSY_TIME)
                    .statement_cache_capacity(STATEMENTS);
                let write = SqlitePoolOptions::new()
                    .max_connections(1)
                    .acquire_timeout(ACQUIRE_TIME)
                    .test_before_acquire(false)
                    .connect_with(options.clone())
                    .await?;
                let read = SqlitePoolOptions::new()
                    .max_connections(SQLITE_READERS)
                    .acquire_timeout(ACQUIRE_TIME)
                    .test_before_acquire(false)
                    .connect_with(options)
                    .await?;
                Ok(Self::Sqlite { write, read })
            }
        }
    }

    /// A transaction that will write. On SQLite it holds the write lock from its first moment.
    pub(super) async fn begin_write(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            Self::Postgres { pool, route, .. } => {
                let tx = unless_silent(pool.begin_with(route.begin())).await?;
                Tx::Postgres(tx, route.inside())
            }
            Self::Sqlite { write, .. } => Tx::Sqlite(write.begin_with("BEGIN IMMEDIATE").await?),
        })
    }

    /// A transaction that sees one snapshot and writes nothing.
    pub(super) async fn begin_read(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            Self::Postgres { pool, route, .. } => {
                let tx = unless_silent(pool.begin_with(route.begin_snapshot())).await?;
                Tx::Postgres(tx, route.inside())
            }
            Self::Sqlite { read, .. } => Tx::Sqlite(read.begin().await?),
        })
    }

    /// A connection for statements that stand alone and only read.
    pub(super) async fn reader(&self) -> Result<Conn, StoreError> {
        Ok(match self {
            Self::Postgres { pool, route, .. } => Conn::Postgres(pool.acquire().await?, route.alone()),
            Self::Sqlite { read, .. } => Conn::Sqlite(read.acquire().await?),
        })
    }

    /// A connection for statements that stand alone and write.
    pub(super) async fn writer(&self) -> Result<Conn, StoreError> {
        Ok(match self {
            Self::Postgres { pool, route, .. } => Conn::Postgres(pool.acquire().await?, route.alone()),
            Self::Sqlite { write, .. } => Conn::Sqlite(write.acquire().await?),
        })
    }

    /// As [`Pools::writer`] or [`Pools::reader`], and the connection has just answered: for one that is held.
    pub(super) async fn answering(&self, write: bool) -> Result<Conn, StoreError> {
        loop {
            let mut conn = if write {
                self.writer().await?
            } else {
                self.reader().await?
            };
            let answers = match &mut conn {
                Conn::Postgres(conn, _) => answers(conn).await,
                // It is a file in this process: nothing can be cut.
                Conn::Sqlite(_) => true,
            };
            if answers {
                return Ok(conn);
            }
            // One that was cut goes, and in the end a new one is made, or can't be.
            conn.give_up();
        }
    }

    pub(super) async fn close(&self) {
        match self {
            Self::Postgres { pool, side, .. } => {
                // One that answers nothing is left to the end of the process.
                let _silent = timeout(CLOSE_TIME, join(side.close(), pool.close())).await;
            }
            Self::Sqlite { write, read } => {
                read.close().await;
                write.close().await;
            }
        }
    }
}

/// Whether a connection can be used: one that was idle for a while is asked.
async fn is_fresh(conn: &mut PgConnection, idle: Duration) -> Result<bool, sqlx::Error> {
    Ok(idle <= ASK_AFTER || answers(conn).await)
}

/// Whether a connection says in time that it still works.
async fn answers(conn: &mut PgConnection) -> bool {
    timeout(ANSWER_TIME, conn.ping())
        .await
        .is_ok_and(|answer| answer.is_ok())
}

/// Readable by its owner alone: ciphertext and hashes of tokens are nobody else's on this machine either.
fn make_folder(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(());
    };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(StoreError::Folder)
}

/// A transaction. Dropped without a commit, also by a request that was given up, it is rolled back.
#[derive(Debug)]
pub(crate) enum Tx {
    Postgres(Transaction<'static, Postgres>, Way),
    Sqlite(Transaction<'static, Sqlite>),
}

impl Tx {
    /// What statements run on.
    pub(crate) fn on(&mut self) -> On<'_> {
        match self {
            Self::Postgres(tx, way) => On::Postgres(Pg::inside(tx, *way)),
            Self::Sqlite(tx) => On::Sqlite(tx),
        }
    }

    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        match self {
            Self::Postgres(tx, _) => tx.commit().await?,
            Self::Sqlite(tx) => tx.commit().await?,
        }
        Ok(())
    }
}

/// A connection outside a transaction.
#[derive(Debug)]
pub(crate) enum Conn {
    Postgres(PoolConnection<Postgres>, Way),
    Sqlite(PoolConnection<Sqlite>),
}

impl Conn {
    /// Lets go of a connection that does not answer: nobody else gets it.
    fn give_up(self) {
        if let Self::Postgres(mut conn, _) = self {
            conn.close_on_drop();
        }
    }

    /// What statements run on.
    pub(crate) fn on(&mut self) -> On<'_> {
        match self {
            Self::Postgres(conn, way) => On::Postgres(Pg::alone(conn, *way)),
            Self::Sqlite(conn) => On::Sqlite(conn),
        }
    }
}

/// What statements run on: a borrowed connection, in a transaction or not.
#[derive(Debug)]
pub(crate) enum On<'a> {
    Postgres(Pg<'a>),
    Sqlite(&'a mut SqliteConnection),
}

/// Runs a statement; gives the number of rows it touched.
macro_rules! run {
    ($on:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $on {
            $crate::store::engine::On::Postgres(pg) => pg.run(sqlx::query($sql)$(.bind($bind))*).await,
            $crate::store::engine::On::Sqlite(conn) => sqlx::query($sql)$(.bind($bind))*
                .execute(&mut **conn).await.map(|done| done.rows_affected()),
        }
    };
}

/// Fetches at most one row as `$row`.
macro_rules! maybe {
    ($row:ty, $on:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $on {
            $crate::store::engine::On::Postgres(pg) =>
                pg.maybe(sqlx::query_as::<_, $row>($sql)$(.bind($bind))*).await,
            $crate::store::engine::On::Sqlite(conn) => sqlx::query_as::<_, $row>($sql)$(.bind($bind))*
                .fetch_optional(&mut **conn).await,
        }
    };
}

/// Fetches exactly one row as `$row`.
macro_rules! one {
    ($row:ty, $on:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $on {
            $crate::store::engine::On::Postgres(pg) =>
                pg.one(sqlx::query_as::<_, $row>($sql)$(.bind($bind))*).await,
            $crate::store::engine::On::Sqlite(conn) => sqlx::query_as::<_, $row>($sql)$(.bind($bind))*
                .fetch_one(&mut **conn).await,
        }
    };
}

/// Fetches all rows as `$row`.
macro_rules! all {
    ($row:ty, $on:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $on {
            $crate::store::engine::On::Postgres(pg) =>
                pg.all(sqlx::query_as::<_, $row>($sql)$(.bind($bind))*).await,
            $crate::store::engine::On::Sqlite(conn) => sqlx::query_as::<_, $row>($sql)$(.bind($bind))*
                .fetch_all(&mut **conn).await,
        }
    };
}

pub(super) use {all, maybe, one, run};
