//! One statement of 128 rows on one connection, over and over: the most that this Postgres takes in, the raw ceiling.

use std::time::{Duration, Instant};

use anyhow::Result;
use sqlx::{Connection as _, PgConnection};

/// Rows of a statement, as many as the plane's largest batch has.
const ROWS: usize = 128;
/// Not counted at the beginning.
const WARM_UP: Duration = Duration::from_millis(300);

/// Each session's rows get its next numbers.
const APPEND: &str = "WITH posts AS ( \
         SELECT session_id, body, row_number() OVER (PARTITION BY session_id) AS place \
         FROM unnest($1::bigint[], $2::bytea[]) AS p (session_id, body)), \
     counted AS (SELECT session_id, count(*) AS rows FROM posts GROUP BY session_id), \
     moved AS ( \
         UPDATE sessions s SET next_seq = s.next_seq + c.rows FROM counted c WHERE s.id = c.session_id \
         RETURNING s.id, s.next_seq - c.rows AS before) \
     INSERT INTO messages SELECT p.session_id, m.before + p.place, p.body \
     FROM posts p JOIN moved m ON m.id = p.session_id";

/// Rows a second, over so many sessions, with bodies of so many bytes.
///
/// # Errors
/// The database is not there.
pub(crate) async fn append(url: &str, body: usize, sessions: usize, duration: Duration) -> Result<f64> {
    let mut connection = PgConnection::connect(url).await?;
    let body: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..)).take(body).collect();
    let bodies: Vec<&[u8]> = vec![&body; ROWS];
    let from = Instant::now() + WARM_UP;
    let until = from + duration;
    let mut rows = 0_u64;
    loop {
        let ids: Vec<i64> = std::iter::repeat_with(|| fastrand::usize(1..=sessions))
            .take(ROWS)
            .map(i64::try_from)
            .collect::<Result<_, _>>()?;
        let done = sqlx::query(APPEND)
            .bind(&ids)
            .bind(&bodies)
            .execute(&mut connection)
            .await?;
        let now = Instant::now();
        if now >= until {
            break;
        }
        if now >= from {
            rows += done.rows_affected();
        }
    }
    connection.close().await?;
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    Ok(rows as f64 / duration.as_secs_f64())
}
