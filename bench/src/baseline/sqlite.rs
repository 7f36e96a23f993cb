//! One writer over SQLite in a loop: one row a transaction, each synced.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use rusqlite::{Connection, TransactionBehavior, params};

/// Rows a second, over so many sessions, with bodies of so many bytes. Blocks until it is done: it is to have the
/// machine for itself.
///
/// # Errors
/// The file can't be written to.
pub(crate) fn append(file: &Path, body: usize, sessions: usize, duration: Duration) -> Result<f64> {
    let mut database = Connection::open(file)?;
    database.pragma_update(None, "journal_mode", "wal")?;
    database.pragma_update(None, "synchronous", "full")?;
    database.execute_batch(
        "CREATE TABLE IF NOT EXISTS sessions (id INTEGER NOT NULL PRIMARY KEY, next_seq INTEGER NOT NULL);
         CREATE TABLE IF NOT EXISTS messages (session_id INTEGER NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL,
             PRIMARY KEY (session_id, seq));",
    )?;
    let sessions = i64::try_from(sessions)?;
    {
        let all = database.transaction()?;
        for id in 1..=sessions {
            all.execute("INSERT OR IGNORE INTO sessions VALUES (?1, 0)", [id])?;
        }
        all.commit()?;
    }
    let body: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..)).take(body).collect();
    let mut rows = 0_u32;
    let start = Instant::now();
    while start.elapsed() < duration {
        let session = fastrand::i64(1..=sessions);
        let one = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let seq: i64 = one
            .prepare_cached("UPDATE sessions SET next_seq = next_seq + 1 WHERE id = ?1 RETURNING next_seq")?
            .query_row([session], |row| row.get(0))?;
        one.prepare_cached("INSERT INTO messages VALUES (?1, ?2, ?3)")?
            .execute(params![session, seq, body])?;
        one.commit()?;
        rows += 1;
    }
    Ok(f64::from(rows) / start.elapsed().as_secs_f64())
}
