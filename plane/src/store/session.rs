//! The session's row: what its mode, door, epoch and head are now. Locked by writing to it first.

use sqlx::FromRow;
use wire::api::DoorState;
use wire::ids::{OrgId, ParticipantId, SessionId, UserId};
use wire::problem::EndCause;
use wire::timestamp::Timestamp;
use wire::transcript::Hash;

use super::codec::{cause, cause_word, count, hash, id, maybe_id, millis, small, stored};
use super::dialect::{DUE, LOCK_SESSION, VERSION_SQLITE, VERSIONS_POSTGRES, WAIT_BRIEFLY_POSTGRES};
use super::engine::{all, maybe, run};
use super::{On, StoreError};
use crate::door::DoorPolicy;
use crate::modes::ModeState;

macro_rules! session_columns {
    () => {
        "session_id, org_id, owner_user, owner_participant, label, epoch, full_verifier, view_verifier, \
         version, head_seq, min_seq, carried_hash, bytes, mode, door_state, door_joins_left, door_until, \
         knocking, knocks_due, created_at, expires_at, ended_at, end_cause, purge_at, look_at"
    };
}
pub(super) use session_columns;

const INSERT: &str = concat!(
    "INSERT INTO sessions (",
    session_columns!(),
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, \
     $21, $22, $23, $24, $25) ON CONFLICT DO NOTHING"
);
const LOAD: &str = concat!(
    "SELECT ",
    session_columns!(),
    " FROM sessions WHERE session_id = $1"
);
/// The version was moved by the lock.
const SAVE: &str = "UPDATE sessions SET owner_participant = $2, epoch = $3, full_verifier = $4, \
     view_verifier = $5, head_seq = $6, min_seq = $7, carried_hash = $8, bytes = $9, mode = $10, \
     door_state = $11, door_joins_left = $12, door_until = $13, knocking = $14, knocks_due = $15, \
     expires_at = $16, ended_at = $17, end_cause = $18, purge_at = $19, look_at = $20 WHERE session_id = $1";
const OF_ORG: &str = concat!(
    "SELECT ",
    session_columns!(),
    " FROM sessions WHERE org_id = $1 ORDER BY created_at DESC, session_id LIMIT $2"
);
const COUNT_OF_ORG: &str = "SELECT session_id FROM sessions WHERE org_id = $1 AND ended_at IS NULL LIMIT $2";

/// A session as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct SessionRow {
    pub(crate) session_id: SessionId,
    pub(crate) org_id: OrgId,
    pub(crate) owner_user: UserId,
    pub(crate) owner: Option<ParticipantId>,
    pub(crate) label: Option<String>,
    pub(crate) epoch: u32,
    pub(crate) full_verifier: [u8; 32],
    pub(crate) view_verifier: [u8; 32],
    /// Moves with every change.
    pub(crate) version: i64,
    pub(crate) head_seq: u64,
    pub(crate) min_seq: u64,
    /// The transcript hash up to `min_seq - 1`.
    pub(crate) carried_hash: Hash,
    pub(crate) bytes: u64,
    pub(crate) mode: ModeState,
    pub(crate) door: DoorPolicy,
    /// Knocks that wait for an answer.
    pub(crate) knocking: u32,
    pub(crate) knocks_due: Option<Timestamp>,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Timestamp,
    pub(crate) ended: Option<Ended>,
    pub(crate) look_at: Timestamp,
}

/// That a session is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) at: Timestamp,
    pub(crate) cause: EndCause,
    /// When its rows go.
    pub(crate) purge_at: Timestamp,
}

impl SessionRow {
    /// The records that are stored.
    pub(crate) const fn records(&self) -> u64 {
        self.head_seq.saturating_add(1).saturating_sub(self.min_seq)
    }

    /// When something comes due next.
    fn due(&self) -> Timestamp {
        let end = self.ended.map_or(self.expires_at, |ended| ended.purge_at);
        [self.mode.next_deadline(), self.knocks_due]
            .into_iter()
            .flatten()
            .fold(end, Timestamp::min)
    }

    /// Sets when the sweeper must look next. An earlier look that is still to come stays: it costs less than
    /// moving an indexed column with every message.
    pub(crate) fn schedule(&mut self, now: Timestamp) {
        let due = self.due();
        if self.look_at <= now || self.look_at > due {
            self.look_at = due;
        }
    }

    /// The stored form of the mode.
    pub(crate) fn mode_text(&self) -> Result<String, StoreError> {
        serde_json::to_string(&self.mode).map_err(|_| StoreError::Corrupt("mode"))
    }
}

#[derive(FromRow)]
pub(super) struct Raw {
    session_id: Vec<u8>,
    org_id: Vec<u8>,
    owner_user: Vec<u8>,
    owner_participant: Option<Vec<u8>>,
    label: Option<String>,
    epoch: i64,
    full_verifier: Vec<u8>,
    view_verifier: Vec<u8>,
    version: i64,
    head_seq: i64,
    min_seq: i64,
    carried_hash: Vec<u8>,
    bytes: i64,
    mode: String,
    door_state: String,
    door_joins_left: Option<i64>,
    door_until: Option<i64>,
    knocking: i64,
    knocks_due: Option<i64>,
    created_at: i64,
    expires_at: i64,
    ended_at: Option<i64>,
    end_cause: Option<String>,
    purge_at: Option<i64>,
    look_at: i64,
}

#[derive(FromRow)]
struct RawLocked {
    #[sqlx(flatten)]
    row: Raw,
    now: i64,
}

impl TryFrom<Raw> for SessionRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        let ended = match (raw.ended_at, raw.end_cause, raw.purge_at) {
            (Some(at), Some(word), Some(purge_at)) => Some(Ended {
                at: Timestamp::from_millis(at),
                cause: cause(&word)?,
                purge_at: Timestamp::from_millis(purge_at),
            }),
            (None, None, None) => None,
            _ => return Err(StoreError::Corrupt("end")),
        };
        Ok(Self {
            session_id: id(&raw.session_id, SessionId::from_bytes)?,
            org_id: id(&raw.org_id, OrgId::from_bytes)?,
            owner_user: id(&raw.owner_user, UserId::from_bytes)?,
            owner: maybe_id(raw.owner_participant.as_deref(), ParticipantId::from_bytes)?,
            label: raw.label,
            epoch: small(raw.epoch)?,
            full_verifier: hash(&raw.full_verifier)?,
            view_verifier: hash(&raw.view_verifier)?,
            version: raw.version,
            head_seq: count(raw.head_seq)?,
            min_seq: count(raw.min_seq)?,
            carried_hash: hash(&raw.carried_hash)?,
            bytes: count(raw.bytes)?,
            mode: serde_json::from_str(&raw.mode).map_err(|_| StoreError::Corrupt("mode"))?,
            door: DoorPolicy {
                state: door_state(&raw.door_state)?,
                joins_left: raw.door_joins_left.map(small).transpose()?,
                until: raw.door_until.map(Timestamp::from_millis),
            },
            knocking: small(raw.knocking)?,
            knocks_due: raw.knocks_due.map(Timestamp::from_millis),
            created_at: Timestamp::from_millis(raw.created_at),
            expires_at: Timestamp::from_millis(raw.expires_at),
            ended,
            look_at: Timestamp::from_millis(raw.look_at),
        })
    }
}

/// The stored word of a door, the one of the API as well.
pub(crate) const fn door_word(state: DoorState) -> &'static str {
    match state {
        DoorState::Open => "open",
        DoorState::Ask => "ask",
        DoorState::Closed => "closed",
    }
}

pub(super) fn door_state(word: &str) -> Result<DoorState, StoreError> {
    [DoorState::Open, DoorState::Ask, DoorState::Closed]
        .into_iter()
        .find(|state| door_word(*state) == word)
        .ok_or(StoreError::Corrupt("door"))
}

/// Inserts a new session; false: the id is taken.
pub(crate) async fn insert(on: &mut On<'_>, row: &SessionRow) -> Result<bool, StoreError> {
    let mode = row.mode_text()?;
    let inserted = run!(
        on,
        INSERT,
        &row.session_id.as_bytes()[..],
        &row.org_id.as_bytes()[..],
        &row.owner_user.as_bytes()[..],
        row.owner.as_ref().map(|owner| &owner.as_bytes()[..]),
        row.label.as_deref(),
        i64::from(row.epoch),
        &row.full_verifier[..],
        &row.view_verifier[..],
        row.version,
        stored(row.head_seq),
        stored(row.min_seq),
        &row.carried_hash[..],
        stored(row.bytes),
        mode.as_str(),
        door_word(row.door.state),
        row.door.joins_left.map(i64::from),
        millis(row.door.until),
        i64::from(row.knocking),
        millis(row.knocks_due),
        row.created_at.millis(),
        row.expires_at.millis(),
        row.ended.map(|ended| ended.at.millis()),
        row.ended.map(|ended| cause_word(ended.cause)),
        row.ended.map(|ended| ended.purge_at.millis()),
        row.look_at.millis(),
    )?;
    Ok(inserted == 1)
}

/// The session as it was at the last commit.
pub(crate) async fn load(on: &mut On<'_>, session: SessionId) -> Result<Option<SessionRow>, StoreError> {
    maybe!(Raw, on, LOAD, &session.as_bytes()[..])?
        .map(SessionRow::try_from)
        .transpose()
}

/// Locks the session until the transaction ends and moves its version. Gives it with the time: `now` if given,
/// else the database's.
pub(crate) async fn lock(
    on: &mut On<'_>,
    session: SessionId,
    now: Option<Timestamp>,
) -> Result<Option<(SessionRow, Timestamp)>, StoreError> {
    let sql = LOCK_SESSION.of(on);
    maybe!(RawLocked, on, sql, &session.as_bytes()[..], millis(now))?
        .map(|raw| Ok((SessionRow::try_from(raw.row)?, Timestamp::from_millis(raw.now))))
        .transpose()
}

/// Stores a locked session.
pub(crate) async fn save(on: &mut On<'_>, row: &SessionRow) -> Result<(), StoreError> {
    let mode = row.mode_text()?;
    run!(
        on,
        SAVE,
        &row.session_id.as_bytes()[..],
        row.owner.as_ref().map(|owner| &owner.as_bytes()[..]),
        i64::from(row.epoch),
        &row.full_verifier[..],
        &row.view_verifier[..],
        stored(row.head_seq),
        stored(row.min_seq),
        &row.carried_hash[..],
        stored(row.bytes),
        mode.as_str(),
        door_word(row.door.state),
        row.door.joins_left.map(i64::from),
        millis(row.door.until),
        i64::from(row.knocking),
        millis(row.knocks_due),
        row.expires_at.millis(),
        row.ended.map(|ended| ended.at.millis()),
        row.ended.map(|ended| cause_word(ended.cause)),
        row.ended.map(|ended| ended.purge_at.millis()),
        row.look_at.millis(),
    )?;
    Ok(())
}

/// Where a look through what is due has come to.
#[derive(Debug, Clone)]
pub(crate) struct DueFrom {
    look_at: i64,
    session: Vec<u8>,
}

impl DueFrom {
    /// Before everything.
    pub(crate) const START: Self = Self {
        look_at: i64::MIN,
        session: Vec::new(),
    };
}

/// At most `limit` sessions in which something is due at `now`, or by the database's clock, those that wait longest
/// first, and from where to go on.
pub(crate) async fn due(
    on: &mut On<'_>,
    now: Option<Timestamp>,
    from: &DueFrom,
    limit: u32,
) -> Result<(Vec<SessionId>, DueFrom), StoreError> {
    let sql = DUE.of(on);
    let rows = all!(
        (i64, Vec<u8>),
        on,
        sql,
        i64::from(limit),
        millis(now),
        from.look_at,
        &from.session[..]
    )?;
    let to = rows.last().map_or_else(
        || from.clone(),
        |(look_at, session)| DueFrom {
            look_at: *look_at,
            session: session.clone(),
        },
    );
    let sessions = rows
        .iter()
        .map(|(_, session)| id(session, SessionId::from_bytes))
        .collect::<Result<_, _>>()?;
    Ok((sessions, to))
}

/// Makes this transaction give up soon on a session that somebody else has locked, where engines lock by session.
pub(crate) async fn wait_briefly(on: &mut On<'_>) -> Result<(), StoreError> {
    if let On::Postgres(pg) = on {
        pg.run(sqlx::query(WAIT_BRIEFLY_POSTGRES)).await?;
    }
    Ok(())
}

/// The newest sessions of an org.
pub(crate) async fn of_org(on: &mut On<'_>, org: OrgId, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
    all!(Raw, on, OF_ORG, &org.as_bytes()[..], i64::from(limit))?
        .into_iter()
        .map(SessionRow::try_from)
        .collect()
}

/// Whether an org has at least `most` live sessions.
pub(crate) async fn org_is_full(on: &mut On<'_>, org: OrgId, most: u64) -> Result<bool, StoreError> {
    let found = all!((Vec<u8>,), on, COUNT_OF_ORG, &org.as_bytes()[..], stored(most))?.len();
    Ok(u64::try_from(found).unwrap_or(u64::MAX) >= most)
}

/// The versions of those sessions that exist.
pub(crate) async fn versions(
    on: &mut On<'_>,
    sessions: &[SessionId],
) -> Result<Vec<(SessionId, i64)>, StoreError> {
    let rows: Vec<(Vec<u8>, i64)> = match on {
        On::Postgres(pg) => {
            let ids: Vec<&[u8]> = sessions.iter().map(|session| &session.as_bytes()[..]).collect();
            pg.all(sqlx::query_as(VERSIONS_POSTGRES).bind(ids)).await?
        }
        On::Sqlite(conn) => {
            let mut rows = Vec::with_capacity(sessions.len());
            for session in sessions {
                let id = &session.as_bytes()[..];
                rows.extend(
                    sqlx::query_as(VERSION_SQLITE)
                        .bind(id)
                        .fetch_optional(&mut **conn)
                        .await?,
                );
            }
            rows
        }
    };
    rows.into_iter()
        .map(|(session, version)| Ok((id(&session, SessionId::from_bytes)?, version)))
        .collect()
}
