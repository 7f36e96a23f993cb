//! How a statement runs on a connection to Postgres.
//!
//! Straight to the server a statement is prepared once a connection and kept. A pooler in transaction mode hands each
//! transaction to a connection of its choice, so there nothing may be kept, and the two steps of a statement with values,
//! parse and execute, must stand in one transaction: else the second may meet what somebody else parsed.
//!
//! A connection may be cut without a word, and the system takes a quarter of an hour to notice. A statement that stands alone is
//! given up before that, with its connection. Those inside a transaction are not: some may take long, and the beginning of theirs
//! was answered.

use std::io;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgQueryResult, PgRow};
use sqlx::query::{Query, QueryAs};
use sqlx::{Connection as _, FromRow, PgConnection, Postgres};
use tokio::time::timeout;

/// How statements run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Prepared once and kept.
    Kept,
    /// Parsed each time, within a transaction that is open.
    Parsed,
    /// Parsed each time, each within a transaction of its own that begins like this.
    Alone(&'static str),
}

/// How long a connection may leave a statement that stands alone, or the beginning of a transaction, without an answer: more
/// than any lock is waited for.
const SILENCE: Duration = Duration::from_secs(6);

/// A borrowed connection to Postgres, in a transaction or not.
#[derive(Debug)]
pub(crate) struct Pg<'a> {
    conn: Lent<'a>,
    way: Way,
}

#[derive(Debug)]
enum Lent<'a> {
    Alone(&'a mut PoolConnection<Postgres>),
    Inside(&'a mut PgConnection),
}

impl Deref for Lent<'_> {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        match self {
            Self::Alone(conn) => conn,
            Self::Inside(conn) => conn,
        }
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut PgConnection {
        match self {
            Self::Alone(conn) => conn,
            Self::Inside(conn) => conn,
        }
    }
}

/// What a connection answers, or an error once it has been silent for too long.
pub(super) async fn unless_silent<T>(
    asked: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    timeout(SILENCE, asked).await.unwrap_or_else(|_| Err(silent()))
}

fn silent() -> sqlx::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the database did not answer in time").into()
}

/// Runs `$query` by `$call`, in the way of `$pg`.
macro_rules! by_way {
    ($pg:expr, $query:expr, $call:ident) => {{
        let query = $query.persistent($pg.way == Way::Kept);
        let (way, conn) = ($pg.way, &mut $pg.conn);
        let is_inside = matches!(conn, Lent::Inside(_));
        let asked = async {
            match way {
                Way::Kept | Way::Parsed => query.$call(&mut **conn).await,
                Way::Alone(begin) => {
                    let mut tx = conn.begin_with(begin).await?;
                    let done = query.$call(&mut *tx).await?;
                    tx.commit().await?;
                    Ok(done)
                }
            }
        };
        if is_inside {
            return asked.await;
        }
        match timeout(SILENCE, asked).await {
            Ok(answer) => answer,
            Err(_) => {
                $pg.give_up();
                Err(silent())
            }
        }
    }};
}

impl<'a> Pg<'a> {
    /// For statements that stand alone.
    pub(super) const fn alone(conn: &'a mut PoolConnection<Postgres>, way: Way) -> Self {
        Self {
            conn: Lent::Alone(conn),
            way,
        }
    }

    /// For statements inside a transaction.
    pub(super) const fn inside(conn: &'a mut PgConnection, way: Way) -> Self {
        Self {
            conn: Lent::Inside(conn),
            way,
        }
    }

    /// Nobody else gets a connection that does not answer.
    fn give_up(&mut self) {
        if let Lent::Alone(conn) = &mut self.conn {
            conn.close_on_drop();
        }
    }

    /// Gives the number of rows that were touched.
    pub(super) async fn run(&mut self, query: Query<'_, Postgres, PgArguments>) -> Result<u64, sqlx::Error> {
        Ok(self.execute(query).await?.rows_affected())
    }

    async fn execute(
        &mut self,
        query: Query<'_, Postgres, PgArguments>,
    ) -> Result<PgQueryResult, sqlx::Error> {
        by_way!(self, query, execute)
    }

    /// At most one row.
    pub(super) async fn maybe<O>(
        &mut self,
        query: QueryAs<'_, Postgres, O, PgArguments>,
    ) -> Result<Option<O>, sqlx::Error>
    where
        O: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        by_way!(self, query, fetch_optional)
    }

    /// Exactly one row.
    pub(super) async fn one<O>(
        &mut self,
        query: QueryAs<'_, Postgres, O, PgArguments>,
    ) -> Result<O, sqlx::Error>
    where
        O: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        by_way!(self, query, fetch_one)
    }

    /// All rows.
    pub(super) async fn all<O>(
        &mut self,
        query: QueryAs<'_, Postgres, O, PgArguments>,
    ) -> Result<Vec<O>, sqlx::Error>
    where
        O: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        by_way!(self, query, fetch_all)
    }
}
