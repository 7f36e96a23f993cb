//! The two tables that every baseline on Postgres writes to: the head of each session, and its messages.

use anyhow::Result;
use sqlx::{Connection as _, PgConnection};

/// Makes the tables, with so many sessions.
///
/// # Errors
/// The database is not there, or not empty.
pub(crate) async fn create(url: &str, sessions: usize) -> Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    sqlx::raw_sql(
        "CREATE TABLE sessions (id BIGINT NOT NULL PRIMARY KEY, next_seq BIGINT NOT NULL) WITH (fillfactor = 70);
         CREATE TABLE messages (session_id BIGINT NOT NULL, seq BIGINT NOT NULL, body BYTEA NOT NULL,
             PRIMARY KEY (session_id, seq));
         ALTER TABLE messages ALTER COLUMN body SET STORAGE EXTERNAL;",
    )
    .execute(&mut connection)
    .await?;
    sqlx::query("INSERT INTO sessions SELECT id, 0 FROM generate_series(1, $1) AS id")
        .bind(i64::try_from(sessions)?)
        .execute(&mut connection)
        .await?;
    sqlx::query("VACUUM ANALYZE").execute(&mut connection).await?;
    connection.close().await?;
    Ok(())
}
