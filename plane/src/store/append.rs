//! Appending in batches: rows of sessions are moved only as long as they are what was asked.

use std::collections::HashSet;

use sqlx::{Connection as _, SqliteConnection};
use wire::api::Signal;
use wire::ids::{MessageId, SessionId};
use wire::timestamp::Timestamp;
use wire::transcript::RecordClass;

use super::codec::{id, millis, stored};
use super::dialect::{
    APPEND_BATCH, APPEND_ONE, INSERT_IDS_SQLITE, INSERT_RECORDS_SQLITE, MOVE_SQLITE, ROWS_SQLITE,
    TAKEN_SQLITE,
};
use super::records::{RecordRow, StoredId};
use super::session::SessionRow;
use super::statement::Pg;
use super::{Conn, Store, StoreError};

/// What is to happen to one session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Move<'a> {
    /// The row that was asked: it must still have this version and epoch.
    pub(crate) before: &'a SessionRow,
    /// The row from then on.
    pub(crate) row: &'a SessionRow,
    /// In auto: only before then, by the database's clock.
    pub(crate) until: Option<Timestamp>,
    pub(crate) records: &'a [RecordRow],
    /// The messages among the records. None of these ids may be stored.
    pub(crate) ids: &'a [(MessageId, StoredId)],
}

/// Appends, in one commit; gives the sessions that were moved. Another one was changed since, has one of the
/// message ids, or its auto is over; nothing of it is done. `held` keeps the connection from one call to the next
/// where the engine has more than one for writing. Each session is named once. `at` is the time of all records; `now` gives that of
/// the database where it has none of its own, and is asked as late as can be, since locks are waited for.
pub(crate) async fn append(
    store: &Store,
    held: &mut Option<Conn>,
    moves: &[Move<'_>],
    at: Timestamp,
    now: impl Fn() -> Option<Timestamp>,
) -> Result<HashSet<SessionId>, StoreError> {
    let conn = match held.take() {
        Some(conn) => conn,
        None => store.hold(true).await?,
    };
    match conn {
        Conn::Postgres(mut conn, way) => {
            let mut pg = Pg::alone(&mut conn, way);
            let moved = match moves {
                [one] if one.records.len() == 1 && one.ids.len() == 1 => {
                    append_one(&mut pg, one, at, now()).await?
                }
                several => append_batch(&mut pg, several, at, now()).await?,
            };
            *held = Some(Conn::Postgres(conn, way));
            Ok(moved)
        }
        Conn::Sqlite(mut conn) => {
            let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
            // The lock may have been waited for: what was decided before may be over.
            let moved = append_each(&mut tx, moves, now().unwrap_or(at)).await?;
            tx.commit().await?;
            Ok(moved)
        }
    }
}

async fn append_one(
    pg: &mut Pg<'_>,
    one: &Move<'_>,
    at: Timestamp,
    now: Option<Timestamp>,
) -> Result<HashSet<SessionId>, StoreError> {
    let ([record], [(message, stored_id)]) = (one.records, one.ids) else {
        return Ok(HashSet::new());
    };
    let session = one.row.session_id;
    let one_row = sqlx::query(APPEND_ONE)
        .bind(&session.as_bytes()[..])
        .bind(one.before.version)
        .bind(i64::from(one.before.epoch))
        .bind(stored(one.row.head_seq))
        .bind(stored(one.row.bytes))
        .bind(one.row.expires_at.millis())
        .bind(one.row.mode_text()?)
        .bind(one.row.look_at.millis())
        .bind(millis(one.until))
        .bind(millis(now))
        .bind(&message.as_bytes()[..])
        .bind(&stored_id.author.as_bytes()[..])
        .bind(at.millis())
        .bind(&stored_id.digest[..])
        .bind(record.signal.map(Signal::word))
        .bind(&record.body[..]);
    let moved = pg.run(one_row).await?;
    Ok((moved == 1).then_some(session).into_iter().collect())
}

async fn append_batch(
    pg: &mut Pg<'_>,
    moves: &[Move<'_>],
    at: Timestamp,
    now: Option<Timestamp>,
) -> Result<HashSet<SessionId>, StoreError> {
    let modes = moves
        .iter()
        .map(|one| one.row.mode_text())
        .collect::<Result<Vec<_>, _>>()?;
    let rows = || moves.iter();
    let records: Vec<(&SessionId, &RecordRow)> = rows()
        .flat_map(|one| one.records.iter().map(|record| (&one.row.session_id, record)))
        .collect();
    let digests: Vec<Option<&[u8]>> = rows().flat_map(digests).collect();
    let of = || records.iter();
    let batch = sqlx::query_as(APPEND_BATCH)
        .bind(
            rows()
                .map(|one| &one.row.session_id.as_bytes()[..])
                .collect::<Vec<_>>(),
        )
        .bind(rows().map(|one| one.before.version).collect::<Vec<_>>())
        .bind(rows().map(|one| i64::from(one.before.epoch)).collect::<Vec<_>>())
        .bind(rows().map(|one| stored(one.row.head_seq)).collect::<Vec<_>>())
        .bind(rows().map(|one| stored(one.row.bytes)).collect::<Vec<_>>())
        .bind(rows().map(|one| one.row.expires_at.millis()).collect::<Vec<_>>())
        .bind(modes)
        .bind(rows().map(|one| one.row.look_at.millis()).collect::<Vec<_>>())
        .bind(rows().map(|one| millis(one.until)).collect::<Vec<_>>())
        .bind(
            of().map(|(session, _)| &session.as_bytes()[..])
                .collect::<Vec<_>>(),
        )
        .bind(of().map(|(_, record)| stored(record.seq)).collect::<Vec<_>>())
        .bind(
            of().map(|(_, record)| i64::from(record.class.byte()))
                .collect::<Vec<_>>(),
        )
        .bind(of().map(|(_, record)| sender(record)).collect::<Vec<_>>())
        .bind(of().map(|(_, record)| item(record)).collect::<Vec<_>>())
        .bind(
            of().map(|(_, record)| record.signal.map(Signal::word))
                .collect::<Vec<_>>(),
        )
        .bind(of().map(|(_, record)| &record.body[..]).collect::<Vec<_>>())
        .bind(millis(now))
        .bind(at.millis())
        .bind(digests);
    let moved: Vec<(Vec<u8>,)> = pg.all(batch).await?;
    sessions(&moved)
}

fn sender(record: &RecordRow) -> Option<&[u8]> {
    record.sender.as_ref().map(|sender| &sender.as_bytes()[..])
}

fn item(record: &RecordRow) -> Option<&[u8]> {
    record.item_id.as_ref().map(|item| &item.as_bytes()[..])
}

/// For each record its digest, if it is a message: ids and messages stand in the same order.
fn digests<'a>(one: &Move<'a>) -> impl Iterator<Item = Option<&'a [u8]>> {
    let mut ids = one.ids.iter();
    one.records.iter().map(move |record| match record.class {
        RecordClass::Message => ids.next().map(|(_, stored)| &stored.digest[..]),
        RecordClass::Notice | RecordClass::Epoch | RecordClass::Member => None,
    })
}

/// The transaction holds the write lock, so what is read stays true.
async fn append_each(
    conn: &mut SqliteConnection,
    moves: &[Move<'_>],
    now: Timestamp,
) -> Result<HashSet<SessionId>, StoreError> {
    let taken = taken(conn, moves).await?;
    let to_move: Vec<&Move<'_>> = moves
        .iter()
        .filter(|one| !taken.contains(&one.row.session_id) && one.until.is_none_or(|until| now < until))
        .collect();
    let moved = move_rows(conn, &to_move).await?;
    let done = || to_move.iter().filter(|one| moved.contains(&one.row.session_id));
    let ids: Vec<(SessionId, &(MessageId, StoredId))> = done()
        .flat_map(|one| one.ids.iter().map(|id| (one.row.session_id, id)))
        .collect();
    insert_ids(conn, &ids).await?;
    let records: Vec<(SessionId, &RecordRow)> = done()
        .flat_map(|one| one.records.iter().map(|record| (one.row.session_id, record)))
        .collect();
    insert_records(conn, &records).await?;
    Ok(moved)
}

/// The sessions that have one of the message ids.
async fn taken(conn: &mut SqliteConnection, moves: &[Move<'_>]) -> Result<HashSet<SessionId>, StoreError> {
    let ids: Vec<(SessionId, MessageId)> = moves
        .iter()
        .flat_map(|one| one.ids.iter().map(|(message, _)| (one.row.session_id, *message)))
        .collect();
    let mut taken = HashSet::new();
    for part in ids.chunks(ROWS_SQLITE) {
        let mut query = sqlx::query_as(TAKEN_SQLITE.of(part.len()));
        for (session, message) in part {
            query = query.bind(&session.as_bytes()[..]).bind(&message.as_bytes()[..]);
        }
        taken.extend(sessions(&query.fetch_all(&mut *conn).await?)?);
    }
    Ok(taken)
}

/// Moves the rows that have their version and epoch still; gives their sessions.
async fn move_rows(
    conn: &mut SqliteConnection,
    moves: &[&Move<'_>],
) -> Result<HashSet<SessionId>, StoreError> {
    let mut moved = HashSet::with_capacity(moves.len());
    for part in moves.chunks(ROWS_SQLITE) {
        let mut query = sqlx::query_as(MOVE_SQLITE.of(part.len()));
        for one in part {
            query = query
                .bind(&one.row.session_id.as_bytes()[..])
                .bind(one.before.version)
                .bind(i64::from(one.before.epoch))
                .bind(stored(one.row.head_seq))
                .bind(stored(one.row.bytes))
                .bind(one.row.expires_at.millis())
                .bind(one.row.mode_text()?)
                .bind(one.row.look_at.millis());
        }
        moved.extend(sessions(&query.fetch_all(&mut *conn).await?)?);
    }
    Ok(moved)
}

async fn insert_ids(
    conn: &mut SqliteConnection,
    ids: &[(SessionId, &(MessageId, StoredId))],
) -> Result<(), StoreError> {
    for part in ids.chunks(ROWS_SQLITE) {
        let mut query = sqlx::query(INSERT_IDS_SQLITE.of(part.len()));
        for (session, (message, id)) in part {
            query = query
                .bind(&session.as_bytes()[..])
                .bind(&message.as_bytes()[..])
                .bind(&id.author.as_bytes()[..])
                .bind(stored(id.seq))
                .bind(id.at.millis())
                .bind(&id.digest[..]);
        }
        query.execute(&mut *conn).await?;
    }
    Ok(())
}

async fn insert_records(
    conn: &mut SqliteConnection,
    records: &[(SessionId, &RecordRow)],
) -> Result<(), StoreError> {
    for part in records.chunks(ROWS_SQLITE) {
        let mut query = sqlx::query(INSERT_RECORDS_SQLITE.of(part.len()));
        for (session, record) in part {
            query = query
                .bind(&session.as_bytes()[..])
                .bind(stored(record.seq))
                .bind(record.at.millis())
                .bind(i64::from(record.epoch))
                .bind(i64::from(record.class.byte()))
                .bind(sender(record))
                .bind(item(record))
                .bind(record.signal.map(Signal::word))
                .bind(stored(record.size()))
                .bind(&record.body[..]);
        }
        query.execute(&mut *conn).await?;
    }
    Ok(())
}

fn sessions(rows: &[(Vec<u8>,)]) -> Result<HashSet<SessionId>, StoreError> {
    rows.iter()
        .map(|(session,)| id(session, SessionId::from_bytes))
        .collect()
}
