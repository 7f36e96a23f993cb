//! The store: Postgres or SQLite behind one type. It speaks SQL and nothing of HTTP, decides nothing, and
//! keeps what the pure decisions of the layers above say.
//!
//! - [`engine`]: pools, transactions and the macros that run a statement on either engine
//! - [`route`]: what stands between this process and Postgres · [`statement`]: how a statement runs there · [`side`]:
//!   telling other processes, and listening to them
//! - [`dialect`]: the few statements that differ between the engines, and why
//! - [`session`], [`records`], [`append`], [`epochs`], [`participants`], [`profiles`], [`tokens`], [`knocks`], [`titles`],
//!   [`tombstones`], [`eviction`], [`chunks`]: a session and its transcript; each statement names `session_id`
//! - [`orgs`], [`machines`], [`connects`], [`audit`]: organisations, members, machine tokens, machines that ask for one, who
//!   did what
//!
//! A session is locked by writing to its row first ([`session::lock`]); whoever holds the lock sees the last
//! commit and is the only one to append.

pub(crate) mod append;
pub(crate) mod audit;
pub(crate) mod chunks;
mod codec;
pub(crate) mod connects;
mod dialect;
mod engine;
pub(crate) mod epochs;
mod error;
pub(crate) mod eviction;
pub(crate) mod knocks;
pub(crate) mod machines;
mod migrate;
pub(crate) mod orgs;
pub(crate) mod participants;
pub(crate) mod profiles;
pub(crate) mod purge;
pub(crate) mod records;
mod route;
pub(crate) mod session;
pub(crate) mod side;
mod statement;
pub(crate) mod titles;
pub(crate) mod tokens;
pub(crate) mod tombstones;

pub use engine::StoreUrl;
pub(crate) use engine::{Conn, On, Tx};
pub use error::StoreError;

use engine::Pools;
use side::Side;
use wire::timestamp::Timestamp;

/// The database of one plane.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    pools: Pools,
}

impl Store {
    /// Connects and brings the schema up to date.
    ///
    /// # Errors
    /// The database can't be reached, or its schema is newer than this binary knows.
    pub(crate) async fn open(url: &StoreUrl) -> Result<Self, StoreError> {
        let pools = Pools::connect(url).await?;
        migrate::run(&pools).await?;
        Ok(Self { pools })
    }

    /// A transaction that will write.
    pub(crate) async fn begin_write(&self) -> Result<Tx, StoreError> {
        self.pools.begin_write().await
    }

    /// A transaction over one snapshot, for reads that must fit together.
    pub(crate) async fn begin_read(&self) -> Result<Tx, StoreError> {
        self.pools.begin_read().await
    }

    /// A connection for single reads.
    pub(crate) async fn reader(&self) -> Result<Conn, StoreError> {
        self.pools.reader().await
    }

    /// A connection for single statements that write.
    pub(crate) async fn writer(&self) -> Result<Conn, StoreError> {
        self.pools.writer().await
    }

    /// A connection to hold from one statement to the next: it has just answered.
    pub(crate) async fn hold(&self, write: bool) -> Result<Conn, StoreError> {
        self.pools.answering(write).await
    }

    /// Whether the database answers and its schema is the one this binary knows.
    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        migrate::check(&self.pools).await
    }

    /// The connections over which processes tell each other of commits: Postgres alone.
    pub(crate) fn side(&self) -> Option<&Side> {
        match &self.pools {
            Pools::Postgres { side, .. } => Some(side),
            Pools::Sqlite { .. } => None,
        }
    }

    /// The time to hand to statements that compare with the database's clock: none where the database uses its own.
    ///
    /// Postgres judges by its own clock, since several hosts write to it; for SQLite the host's clock is the
    /// database's, and a clock set by a test is everybody's.
    pub(crate) fn time_for(&self, clock: &crate::clock::Clock) -> Option<Timestamp> {
        match (&self.pools, clock) {
            (Pools::Postgres { .. }, crate::clock::Clock::System) => None,
            (Pools::Postgres { .. } | Pools::Sqlite { .. }, clock) => Some(clock.now()),
        }
    }

    /// Closes all connections once they are idle.
    pub(crate) async fn close(&self) {
        self.pools.close().await;
    }
}

/// Brings the schema of a database up to date; for the verb of the same name.
///
/// # Errors
/// As opening the store.
pub async fn migrate(url: &StoreUrl) -> Result<(), StoreError> {
    let store = Store::open(url).await?;
    store.close().await;
    Ok(())
}
