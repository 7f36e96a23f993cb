//! Who ever joined a session, with presence.

use sqlx::FromRow;
use wire::event::{Capability, Kind};
use wire::ids::{ParticipantId, SessionId};
use wire::timestamp::Timestamp;

use super::codec::{capability, capability_word, count, hash, id, kind, kind_word, millis, small, stored};
use super::dialect::{NO_SYNC_POSTGRES, PRESENT_POSTGRES, PRESENT_SQLITE};
use super::engine::{all, maybe, one, run};
use super::{On, StoreError};

macro_rules! participant_columns {
    () => {
        "participant_id, kind, capability, rejoin_verifier, joined_at, left_at, removed_epoch, \
         last_seen_at, listening_until, fetched_seq"
    };
}

const INSERT: &str = "INSERT INTO participants (session_id, participant_id, kind, capability, rejoin_verifier, \
     joined_seq, joined_epoch, joined_at, last_seen_at, fetched_seq) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, 0)";
const FIND: &str = concat!(
    "SELECT ",
    participant_columns!(),
    " FROM participants WHERE session_id = $1 AND participant_id = $2"
);
const LIST: &str = concat!(
    "SELECT ",
    participant_columns!(),
    " FROM participants WHERE session_id = $1 ORDER BY joined_seq, participant_id"
);
const RETURNED: &str = "UPDATE participants SET capability = $3, left_at = NULL, removed_epoch = NULL, \
     last_seen_at = $4 WHERE session_id = $1 AND participant_id = $2";
const LEFT: &str = "UPDATE participants SET left_at = $3, listening_until = NULL WHERE session_id = $1 AND participant_id = $2";
const REMOVED: &str =
    "UPDATE participants SET removed_epoch = $3 WHERE session_id = $1 AND participant_id = $2";
const KEPT: &str = "UPDATE participants SET capability = $3 WHERE session_id = $1 AND participant_id = $2";
const COUNT_IN: &str = "SELECT COUNT(*) FROM participants WHERE session_id = $1 AND left_at IS NULL \
     AND removed_epoch IS NULL AND last_seen_at > $2";
const COUNT_NEW: &str =
    "SELECT COUNT(*) FROM participants WHERE session_id = $1 AND joined_epoch = $2 AND participant_id <> $3";
/// Presence never goes back, whichever process writes last.
const SEEN: &str = "UPDATE participants SET \
     last_seen_at = CASE WHEN last_seen_at < $3 THEN $3 ELSE last_seen_at END, \
     fetched_seq = CASE WHEN fetched_seq < $4 THEN $4 ELSE fetched_seq END, \
     listening_until = CASE WHEN CAST($5 AS BIGINT) IS NULL THEN listening_until ELSE CAST($5 AS BIGINT) END \
     WHERE session_id = $1 AND participant_id = $2";

/// One participant.
#[derive(Debug, Clone)]
pub(crate) struct ParticipantRow {
    pub(crate) participant_id: ParticipantId,
    pub(crate) kind: Kind,
    pub(crate) capability: Capability,
    pub(crate) rejoin_verifier: [u8; 32],
    pub(crate) joined_at: Timestamp,
    pub(crate) left_at: Option<Timestamp>,
    /// The epoch whose record did not list it any more.
    pub(crate) removed_epoch: Option<u32>,
    pub(crate) last_seen_at: Timestamp,
    pub(crate) listening_until: Option<Timestamp>,
    pub(crate) fetched_seq: u64,
}

/// Presence as it is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PresenceRow {
    pub(crate) participant_id: ParticipantId,
    pub(crate) last_seen_at: Timestamp,
    pub(crate) listening_until: Option<Timestamp>,
    pub(crate) fetched_seq: u64,
}

impl ParticipantRow {
    pub(crate) const fn presence(&self) -> PresenceRow {
        PresenceRow {
            participant_id: self.participant_id,
            last_seen_at: self.last_seen_at,
            listening_until: self.listening_until,
            fetched_seq: self.fetched_seq,
        }
    }
}

/// Somebody who joins for the first time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewParticipant {
    pub(crate) participant_id: ParticipantId,
    pub(crate) kind: Kind,
    pub(crate) capability: Capability,
    pub(crate) rejoin_verifier: [u8; 32],
    /// The seq of its first `joined`.
    pub(crate) seq: u64,
    pub(crate) epoch: u32,
    pub(crate) at: Timestamp,
}

/// What a process saw of a participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) last_seen_at: Timestamp,
    pub(crate) fetched_seq: u64,
    /// The end of its listening lease, where that is known to have changed.
    pub(crate) listening_until: Option<Timestamp>,
}

#[derive(FromRow)]
struct Raw {
    participant_id: Vec<u8>,
    kind: String,
    capability: String,
    rejoin_verifier: Vec<u8>,
    joined_at: i64,
    left_at: Option<i64>,
    removed_epoch: Option<i64>,
    last_seen_at: i64,
    listening_until: Option<i64>,
    fetched_seq: i64,
}

impl TryFrom<Raw> for ParticipantRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        Ok(Self {
            participant_id: id(&raw.participant_id, ParticipantId::from_bytes)?,
            kind: kind(&raw.kind)?,
            capability: capability(&raw.capability)?,
            rejoin_verifier: hash(&raw.rejoin_verifier)?,
            joined_at: Timestamp::from_millis(raw.joined_at),
            left_at: raw.left_at.map(Timestamp::from_millis),
            removed_epoch: raw.removed_epoch.map(small).transpose()?,
            last_seen_at: Timestamp::from_millis(raw.last_seen_at),
            listening_until: raw.listening_until.map(Timestamp::from_millis),
            fetched_seq: count(raw.fetched_seq)?,
        })
    }
}

#[derive(FromRow)]
struct RawPresence {
    session_id: Vec<u8>,
    participant_id: Vec<u8>,
    last_seen_at: i64,
    listening_until: Option<i64>,
    fetched_seq: i64,
}

impl TryFrom<RawPresence> for (SessionId, PresenceRow) {
    type Error = StoreError;

    fn try_from(raw: RawPresence) -> Result<Self, StoreError> {
        let row = PresenceRow {
            participant_id: id(&raw.participant_id, ParticipantId::from_bytes)?,
            last_seen_at: Timestamp::from_millis(raw.last_seen_at),
            listening_until: raw.listening_until.map(Timestamp::from_millis),
            fetched_seq: count(raw.fetched_seq)?,
        };
        Ok((id(&raw.session_id, SessionId::from_bytes)?, row))
    }
}

/// Adds a participant.
pub(crate) async fn insert(
    on: &mut On<'_>,
    session: SessionId,
    new: &NewParticipant,
) -> Result<(), StoreError> {
    run!(
        on,
        INSERT,
        &session.as_bytes()[..],
        &new.participant_id.as_bytes()[..],
        kind_word(new.kind),
        capability_word(new.capability),
        &new.rejoin_verifier[..],
        stored(new.seq),
        i64::from(new.epoch),
        new.at.millis(),
    )?;
    Ok(())
}

/// The participant of an id.
pub(crate) async fn find(
    on: &mut On<'_>,
    session: SessionId,
    participant: ParticipantId,
) -> Result<Option<ParticipantRow>, StoreError> {
    maybe!(
        Raw,
        on,
        FIND,
        &session.as_bytes()[..],
        &participant.as_bytes()[..]
    )?
    .map(ParticipantRow::try_from)
    .transpose()
}

/// Everybody who ever joined, in that order.
pub(crate) async fn list(on: &mut On<'_>, session: SessionId) -> Result<Vec<ParticipantRow>, StoreError> {
    all!(Raw, on, LIST, &session.as_bytes()[..])?
        .into_iter()
        .map(ParticipantRow::try_from)
        .collect()
}

/// Who is in these sessions: those of a session stand together, in the order of joining.
pub(crate) async fn present(
    on: &mut On<'_>,
    sessions: &[SessionId],
) -> Result<Vec<(SessionId, PresenceRow)>, StoreError> {
    let rows: Vec<RawPresence> = match on {
        On::Postgres(pg) => {
            let ids: Vec<&[u8]> = sessions.iter().map(|session| &session.as_bytes()[..]).collect();
            pg.all(sqlx::query_as(PRESENT_POSTGRES).bind(ids)).await?
        }
        On::Sqlite(conn) => {
            let mut rows = Vec::new();
            for session in sessions {
                let id = &session.as_bytes()[..];
                rows.extend(
                    sqlx::query_as::<_, RawPresence>(PRESENT_SQLITE)
                        .bind(id)
                        .fetch_all(&mut **conn)
                        .await?,
                );
            }
            rows
        }
    };
    rows.into_iter().map(TryFrom::try_from).collect()
}

/// Somebody is back, with the capability of the proof it showed.
pub(crate) async fn returned(
    on: &mut On<'_>,
    session: SessionId,
    participant: ParticipantId,
    capability: Capability,
    now: Timestamp,
) -> Result<(), StoreError> {
    run!(
        on,
        RETURNED,
        &session.as_bytes()[..],
        &participant.as_bytes()[..],
        capability_word(capability),
        now.millis(),
    )?;
    Ok(())
}

/// Somebody leaves.
pub(crate) async fn left(
    on: &mut On<'_>,
    session: SessionId,
    participant: ParticipantId,
    now: Timestamp,
) -> Result<(), StoreError> {
    run!(
        on,
        LEFT,
        &session.as_bytes()[..],
        &participant.as_bytes()[..],
        now.millis()
    )?;
    Ok(())
}

/// An epoch record did not list somebody.
pub(crate) async fn removed(
    on: &mut On<'_>,
    session: SessionId,
    participant: ParticipantId,
    epoch: u32,
) -> Result<(), StoreError> {
    run!(
        on,
        REMOVED,
        &session.as_bytes()[..],
        &participant.as_bytes()[..],
        i64::from(epoch)
    )?;
    Ok(())
}

/// An epoch record keeps a participant with this capability.
pub(crate) async fn kept(
    on: &mut On<'_>,
    session: SessionId,
    participant: ParticipantId,
    capability: Capability,
) -> Result<(), StoreError> {
    run!(
        on,
        KEPT,
        &session.as_bytes()[..],
        &participant.as_bytes()[..],
        capability_word(capability),
    )?;
    Ok(())
}

/// How many are in and were seen after a time.
pub(crate) async fn count_in(
    on: &mut On<'_>,
    session: SessionId,
    seen_after: Timestamp,
) -> Result<u64, StoreError> {
    let (found,) = one!((i64,), on, COUNT_IN, &session.as_bytes()[..], seen_after.millis())?;
    count(found)
}

/// How many others joined for the first time in an epoch.
pub(crate) async fn count_new(
    on: &mut On<'_>,
    session: SessionId,
    epoch: u32,
    but: ParticipantId,
) -> Result<u64, StoreError> {
    let (found,) = one!(
        (i64,),
        on,
        COUNT_NEW,
        &session.as_bytes()[..],
        i64::from(epoch),
        &but.as_bytes()[..]
    )?;
    count(found)
}

/// Writes what a process saw of a participant.
pub(crate) async fn seen(
    on: &mut On<'_>,
    session: SessionId,
    participant: ParticipantId,
    seen: &Seen,
) -> Result<(), StoreError> {
    run!(
        on,
        SEEN,
        &session.as_bytes()[..],
        &participant.as_bytes()[..],
        seen.last_seen_at.millis(),
        stored(seen.fetched_seq),
        millis(seen.listening_until),
    )?;
    Ok(())
}

/// What follows in this transaction may be lost when the database's host fails; where the engine can, its commit
/// then does not wait for the disk.
pub(crate) async fn no_sync(on: &mut On<'_>) -> Result<(), StoreError> {
    if let On::Postgres(pg) = on {
        pg.run(sqlx::query(NO_SYNC_POSTGRES)).await?;
    }
    Ok(())
}
