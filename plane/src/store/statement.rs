//! How a statement runs on a connection to Postgres.
//!
//! Straight to the server a statement is prepared once a connection and kept. A pooler in transaction mode hands each
//! transaction to a connection of its choice, so there nothing may be kept, and the two steps of a statement with values,
//! parse and execute, must stand in one transaction: else the second may meet what somebody else parsed.

use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::{Query, QueryAs};
use sqlx::{Connection as _, FromRow, PgConnection, Postgres};

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

/// A borrowed connection to Postgres, in a transaction or not.
#[derive(Debug)]
pub(crate) struct Pg<'a> {
    conn: &'a mut PgConnection,
    way: Way,
}

/// Runs `$query` by `$call`, in the way of `$pg`.
macro_rules! by_way {
    ($pg:expr, $query:expr, $call:ident) => {{
        let query = $query.persistent($pg.way == Way::Kept);
        match $pg.way {
            Way::Kept | Way::Parsed => query.$call(&mut *$pg.conn).await,
            Way::Alone(begin) => {
                let mut tx = $pg.conn.begin_with(begin).await?;
                let done = query.$call(&mut *tx).await?;
                tx.commit().await?;
                Ok(done)
            }
        }
    }};
}

impl<'a> Pg<'a> {
    pub(super) const fn new(conn: &'a mut PgConnection, way: Way) -> Self {
        Self { conn, way }
    }

    /// Gives the number of rows that were touched.
    pub(super) async fn run(&mut self, query: Query<'_, Postgres, PgArguments>) -> Result<u64, sqlx::Error> {
        let done: Result<_, sqlx::Error> = by_way!(self, query, execute);
        Ok(done?.rows_affected())
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
