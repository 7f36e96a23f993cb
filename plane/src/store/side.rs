//! The connections beside those of requests, over which the processes of one Postgres tell each other of commits. What is
//! told is the callers' affair.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{Executor as _, PgPool};
use tokio::time::timeout;

use super::engine::ACQUIRE_TIME;
use super::route::Route;
use super::statement::Pg;

const PING: &str = "SELECT 1";
const NOTIFY: &str = "SELECT pg_notify($1, $2)";

/// Tells other processes, and listens to them.
#[derive(Debug, Clone)]
pub(crate) struct Side {
    /// One connection: what is told is told in order.
    tells: PgPool,
    options: Arc<PgConnectOptions>,
    route: Route,
}

impl Side {
    pub(super) fn new(options: PgConnectOptions, route: Route) -> Self {
        Self {
            tells: alone().connect_lazy_with(options.clone()),
            options: Arc::new(options),
            route,
        }
    }

    /// Whether a connection may hear at all: behind a pooler in transaction mode none does, and asking for it would leave
    /// a listener on a connection that others use.
    pub(crate) fn may_hear(&self) -> bool {
        self.route != Route::Shared
    }

    /// Tells whoever listens on a channel.
    ///
    /// # Errors
    /// It could not be sent, or not within `time`: then the connection goes, since it may have been cut silently.
    pub(crate) async fn tell(&self, channel: &str, payload: &str, time: Duration) -> Result<(), sqlx::Error> {
        let mut conn = self.tells.acquire().await?;
        let mut pg = Pg::alone(&mut conn, self.route.alone());
        let told = timeout(time, pg.run(sqlx::query(NOTIFY).bind(channel).bind(payload))).await;
        if let Ok(told) = told {
            return told.map(|_| ());
        }
        conn.close_on_drop();
        Err(sqlx::Error::PoolTimedOut)
    }

    /// A listener on a connection of its own. One that was cut silently takes minutes to go, which must not be in the way
    /// of the next one, of telling, or of the end of this process.
    pub(crate) async fn listener(&self) -> Result<PgListener, sqlx::Error> {
        let pool = alone().connect_lazy_with(PgConnectOptions::clone(&self.options));
        let mut listener = PgListener::connect_with(&pool).await?;
        // Who is told of a gap by the answer "none" must read again before listening goes on.
        listener.eager_reconnect(false);
        Ok(listener)
    }

    pub(super) async fn close(&self) {
        self.tells.close().await;
    }
}

fn alone() -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(ACQUIRE_TIME)
}

/// Asks over a listener's connection whether it still works; returns once it has answered.
pub(crate) async fn ping(listener: &mut PgListener) -> Result<(), sqlx::Error> {
    listener.execute(PING).await?;
    Ok(())
}
