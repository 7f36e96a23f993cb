//! The statements that differ between the engines, and why. All others stand once, where they are used.
//!
//! - The clock: Postgres has one that all hosts share; for SQLite the host's is handed in.
//! - Appending ([`super::append`]): on Postgres one statement moves the sessions' rows and inserts the records,
//!   because each round trip counts there. SQLite takes no arrays and can't insert inside a query: it has a statement of many
//!   rows for each table, because each one goes to another thread and back.
//! - Tokens of many requests at once, for the same reason.
//! - Versions of many sessions at once, and who is in them: SQLite takes no arrays.
//! - What is swept waits for no lock, which only Postgres has on rows.
//! - Presence needs no sync at its commit; only Postgres can leave that out for one transaction.

use super::engine::On;

/// Moves the rows of sessions that are still as they were asked, and inserts their records; gives the sessions.
///
/// Rows are locked in the order of their ids, so that several processes can't block each other. A row that was
/// moved while this waited for it is compared anew with its last version, and so is not found. The version also
/// vouches for what `taken` does not see: a message id inserted since the snapshot came with another version.
/// `$17`: the time, null for the database's clock; `$18`: the time of the records.
///
/// What is looked up stands in a LATERAL with a LIMIT, so that it can't be planned but as one look-up by key a row: a
/// plan is kept for long, and the one that suits a table that is nearly empty reads all of it. For the same reason the version
/// is compared once more outside: few rows are then expected to pass, and the row is moved at its place, not searched for.
pub(super) const APPEND_BATCH: &str = "WITH asked AS ( \
         SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], \
             $7::text[], $8::bigint[], $9::bigint[]) \
         AS a (session_id, version, epoch, head_seq, bytes, expires_at, mode, look_at, until)), \
     posts AS ( \
         SELECT * FROM unnest($10::bytea[], $11::bigint[], $12::bigint[], $13::bytea[], $14::bytea[], $15::text[], \
             $16::bytea[], $19::bytea[]) \
         AS p (session_id, seq, class, sender, item_id, signal, body, digest)), \
     taken AS ( \
         SELECT p.session_id FROM posts p CROSS JOIN LATERAL ( \
             SELECT 1 FROM message_ids i WHERE i.session_id = p.session_id AND i.message_id = p.item_id LIMIT 1) known), \
     locked AS ( \
         SELECT a.*, found.place FROM ( \
             SELECT * FROM asked WHERE session_id NOT IN (SELECT session_id FROM taken) ORDER BY session_id) a \
         CROSS JOIN LATERAL ( \
             SELECT s.ctid AS place, s.version, s.epoch FROM sessions s \
             WHERE s.session_id = a.session_id AND s.version = a.version AND s.epoch = a.epoch AND (a.until IS NULL \
                 OR COALESCE($17::bigint, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)) < a.until) \
             LIMIT 1 FOR UPDATE) found \
         WHERE found.version = a.version AND found.epoch = a.epoch), \
     moved AS ( \
         UPDATE sessions s SET version = l.version + 1, head_seq = l.head_seq, bytes = l.bytes, \
             expires_at = l.expires_at, mode = l.mode, look_at = l.look_at \
         FROM locked l WHERE s.ctid = l.place AND s.session_id = l.session_id \
         RETURNING s.session_id, s.epoch), \
     kept AS ( \
         INSERT INTO message_ids (session_id, message_id, author, seq, at, digest) \
         SELECT p.session_id, p.item_id, p.sender, p.seq, $18, p.digest \
         FROM posts p JOIN moved m ON m.session_id = p.session_id WHERE p.item_id IS NOT NULL), \
     written AS ( \
         INSERT INTO records (session_id, seq, at, epoch, class, sender, item_id, signal, size, body) \
         SELECT p.session_id, p.seq, $18, m.epoch, p.class, p.sender, p.item_id, p.signal, octet_length(p.body), \
             p.body FROM posts p JOIN moved m ON m.session_id = p.session_id) \
     SELECT session_id FROM moved";

/// As [`APPEND_BATCH`], for one message of one session without a notice: half the work for the database.
pub(super) const APPEND_ONE: &str = "WITH moved AS ( \
         UPDATE sessions SET version = version + 1, head_seq = $4, bytes = $5, expires_at = $6, mode = $7, \
             look_at = $8 \
         WHERE session_id = $1 AND version = $2 AND epoch = $3 AND ($9::bigint IS NULL \
             OR COALESCE($10::bigint, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)) < $9) \
             AND NOT EXISTS (SELECT 1 FROM message_ids WHERE session_id = $1 AND message_id = $11) \
         RETURNING session_id), \
     kept AS ( \
         INSERT INTO message_ids (session_id, message_id, author, seq, at, digest) \
         SELECT session_id, $11, $12, $4, $13, $14 FROM moved) \
     INSERT INTO records (session_id, seq, at, epoch, class, sender, item_id, signal, size, body) \
     SELECT session_id, $4, $13, $3, 1, $12, $11, $15, octet_length($16::bytea), $16 FROM moved";

/// Rows of the longer text of each of the statements below.
pub(super) const ROWS_SQLITE: usize = 64;

/// One statement for one row, and for up to [`ROWS_SQLITE`]: what is not bound is null, and a row of nulls is none. A single
/// row has its own text, since the empty ones would cost more than it does.
pub(super) struct Rows {
    one: &'static str,
    many: &'static str,
}

impl Rows {
    /// The text for so many rows.
    pub(super) const fn of(&self, rows: usize) -> &'static str {
        if rows == 1 { self.one } else { self.many }
    }
}

macro_rules! eight {
    ($row:expr) => {
        concat!(
            $row, ", ", $row, ", ", $row, ", ", $row, ", ", $row, ", ", $row, ", ", $row, ", ", $row
        )
    };
}

/// [`ROWS_SQLITE`] times the same.
macro_rules! many {
    ($row:expr) => {
        eight!(eight!($row))
    };
}

macro_rules! taken {
    ($rows:expr) => {
        concat!(
            "WITH asked (session_id, message_id) AS (VALUES ",
            $rows,
            ") SELECT a.session_id FROM asked a \
             CROSS JOIN message_ids i ON i.session_id = a.session_id AND i.message_id = a.message_id"
        )
    };
}

macro_rules! move_rows {
    ($rows:expr) => {
        concat!(
            "WITH asked (session_id, version, epoch, head_seq, bytes, expires_at, mode, look_at) AS (VALUES ",
            $rows,
            ") UPDATE sessions SET version = sessions.version + 1, head_seq = a.head_seq, bytes = a.bytes, \
             expires_at = a.expires_at, mode = a.mode, look_at = a.look_at FROM asked a \
             WHERE sessions.session_id = a.session_id AND sessions.version = a.version AND sessions.epoch = a.epoch \
             RETURNING session_id"
        )
    };
}

macro_rules! insert_ids {
    ($rows:expr) => {
        concat!(
            "INSERT INTO message_ids (session_id, message_id, author, seq, at, digest) SELECT * FROM (VALUES ",
            $rows,
            ") WHERE column1 IS NOT NULL"
        )
    };
}

macro_rules! insert_records {
    ($rows:expr) => {
        concat!(
            "INSERT INTO records (session_id, seq, at, epoch, class, sender, item_id, signal, size, body) \
             SELECT * FROM (VALUES ",
            $rows,
            ") WHERE column1 IS NOT NULL"
        )
    };
}

/// Sessions that have one of these message ids.
pub(super) const TAKEN_SQLITE: Rows = Rows {
    one: taken!("(?, ?)"),
    many: taken!(many!("(?, ?)")),
};
/// Moves the rows of sessions that are still as they were asked; gives the sessions. Within a transaction that holds the
/// write lock.
pub(super) const MOVE_SQLITE: Rows = Rows {
    one: move_rows!("(?, ?, ?, ?, ?, ?, ?, ?)"),
    many: move_rows!(many!("(?, ?, ?, ?, ?, ?, ?, ?)")),
};
/// Keeps the ids of messages that are appended in the same transaction.
pub(super) const INSERT_IDS_SQLITE: Rows = Rows {
    one: insert_ids!("(?, ?, ?, ?, ?, ?)"),
    many: insert_ids!(many!("(?, ?, ?, ?, ?, ?)")),
};
/// Inserts records of sessions that were moved in the same transaction.
pub(super) const INSERT_RECORDS_SQLITE: Rows = Rows {
    one: insert_records!("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
    many: insert_records!(many!("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
};

/// One statement in two dialects.
pub(super) struct Dialect {
    pub(super) postgres: &'static str,
    pub(super) sqlite: &'static str,
}

impl Dialect {
    pub(super) const fn of(&self, on: &On<'_>) -> &'static str {
        match on {
            On::Postgres(_) => self.postgres,
            On::Sqlite(_) => self.sqlite,
        }
    }
}

/// `$2`, or the database's clock where that is null; milliseconds.
macro_rules! clock_postgres {
    () => {
        "COALESCE(CAST($2 AS BIGINT), CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT))"
    };
}

/// `$2`.
macro_rules! clock_sqlite {
    () => {
        "CAST($2 AS BIGINT)"
    };
}

macro_rules! lock {
    ($clock:expr) => {
        concat!(
            "UPDATE sessions SET version = version + 1 WHERE session_id = $1 RETURNING ",
            $crate::store::session::session_columns!(),
            ", ",
            $clock,
            " AS now"
        )
    };
}

/// Locks a session's row by writing to it and gives it as it is under the lock, with the time.
pub(super) const LOCK_SESSION: Dialect = Dialect {
    postgres: lock!(clock_postgres!()),
    sqlite: lock!(clock_sqlite!()),
};

macro_rules! due {
    ($clock:expr) => {
        concat!(
            "SELECT look_at, session_id FROM sessions WHERE look_at <= ",
            $clock,
            " AND (look_at, session_id) > ($3, $4) ORDER BY look_at, session_id LIMIT $1"
        )
    };
}

/// Sessions in which something is due. By the clock that locking them goes by: with another one they would be due
/// too late, or be found over and over with nothing to do.
pub(super) const DUE: Dialect = Dialect {
    postgres: due!(clock_postgres!()),
    sqlite: due!(clock_sqlite!()),
};

/// Bounds how long this transaction waits for another one's lock.
pub(super) const WAIT_BRIEFLY_POSTGRES: &str = "SET LOCAL lock_timeout = '250ms'";

/// Lets this transaction's commit not wait for the disk: for what may be lost.
pub(super) const NO_SYNC_POSTGRES: &str = "SET LOCAL synchronous_commit TO off";

/// The versions of many sessions.
pub(super) const VERSIONS_POSTGRES: &str =
    "SELECT session_id, version FROM sessions WHERE session_id = ANY($1::bytea[])";
/// The version of one session.
pub(super) const VERSION_SQLITE: &str = "SELECT session_id, version FROM sessions WHERE session_id = $1";

macro_rules! present {
    ($sessions:literal) => {
        concat!(
            "SELECT session_id, participant_id, last_seen_at, listening_until, fetched_seq FROM participants \
             WHERE session_id ",
            $sessions,
            " AND left_at IS NULL AND removed_epoch IS NULL ORDER BY session_id, joined_seq, participant_id"
        )
    };
}

/// Who is in many sessions.
pub(super) const PRESENT_POSTGRES: &str = present!("= ANY($1::bytea[])");
/// Who is in one session.
pub(super) const PRESENT_SQLITE: &str = present!("= $1");

/// As [`super::tokens`] finds one token, many: `n` is the place of the key that was asked for. Each is looked up by itself,
/// as in [`APPEND_BATCH`].
pub(super) const FIND_TOKENS_POSTGRES: &str = "SELECT a.n, found.* \
     FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS a (session_id, token_hash, n) \
     CROSS JOIN LATERAL ( \
         SELECT t.participant_id, t.capability, t.epoch, t.expires_at, p.kind, s.epoch AS session_epoch, \
         s.version FROM tokens t \
         JOIN sessions s ON s.session_id = a.session_id \
         JOIN participants p ON p.session_id = a.session_id AND p.participant_id = t.participant_id \
         WHERE t.session_id = a.session_id AND t.token_hash = a.token_hash LIMIT 1) found";
