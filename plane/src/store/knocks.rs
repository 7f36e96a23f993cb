//! Knocks at a session's door: kept apart from participants, since who knocks is none.

use sqlx::FromRow;
use wire::event::{Capability, Kind};
use wire::ids::{ParticipantId, SessionId};
use wire::timestamp::Timestamp;

use super::codec::{capability, capability_word, count, hash, id, kind, kind_word, small};
use super::engine::{all, maybe, one, run};
use super::{On, StoreError};

macro_rules! knock_columns {
    () => {
        "participant_id, kind, capability, rejoin_verifier, sealed_profile, epoch, since, lapses_at, \
         admitted_at, refused_at"
    };
}

const SAVE: &str = "INSERT INTO knocks (session_id, participant_id, kind, capability, rejoin_verifier, \
     sealed_profile, epoch, since, lapses_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
     ON CONFLICT (session_id, participant_id) DO UPDATE SET kind = excluded.kind, \
     capability = excluded.capability, sealed_profile = excluded.sealed_profile, \
     lapses_at = excluded.lapses_at, admitted_at = NULL";
const FIND: &str = concat!(
    "SELECT ",
    knock_columns!(),
    " FROM knocks WHERE session_id = $1 AND participant_id = $2"
);
const WAITING: &str = concat!(
    "SELECT ",
    knock_columns!(),
    " FROM knocks WHERE session_id = $1 AND admitted_at IS NULL AND refused_at IS NULL AND lapses_at > $2 \
     ORDER BY since, participant_id"
);
const SUM: &str = "SELECT COUNT(*), MIN(lapses_at) FROM knocks WHERE session_id = $1 AND admitted_at IS NULL \
     AND refused_at IS NULL AND lapses_at > $2";
const ADMIT: &str = "UPDATE knocks SET admitted_at = $3, refused_at = NULL, lapses_at = $4 \
     WHERE session_id = $1 AND participant_id = $2";
const REFUSE: &str = "UPDATE knocks SET refused_at = $3, admitted_at = NULL \
     WHERE session_id = $1 AND participant_id = $2";
const DROP: &str = "DELETE FROM knocks WHERE session_id = $1 AND participant_id = $2";
const DROP_LAPSED: &str =
    "DELETE FROM knocks WHERE session_id = $1 AND refused_at IS NULL AND lapses_at <= $2";
const DROP_ALL: &str = "DELETE FROM knocks WHERE session_id = $1";

/// Somebody at the door, admitted or refused or neither yet.
#[derive(Debug, Clone)]
pub(crate) struct KnockRow {
    pub(crate) participant_id: ParticipantId,
    pub(crate) kind: Kind,
    pub(crate) capability: Capability,
    pub(crate) rejoin_verifier: [u8; 32],
    pub(crate) sealed_profile: Vec<u8>,
    pub(crate) epoch: u32,
    pub(crate) since: Timestamp,
    /// From then on it counts no more, unless it was refused.
    pub(crate) lapses_at: Timestamp,
    pub(crate) admitted_at: Option<Timestamp>,
    pub(crate) refused_at: Option<Timestamp>,
}

#[derive(FromRow)]
struct Raw {
    participant_id: Vec<u8>,
    kind: String,
    capability: String,
    rejoin_verifier: Vec<u8>,
    sealed_profile: Vec<u8>,
    epoch: i64,
    since: i64,
    lapses_at: i64,
    admitted_at: Option<i64>,
    refused_at: Option<i64>,
}

impl TryFrom<Raw> for KnockRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        Ok(Self {
            participant_id: id(&raw.participant_id, ParticipantId::from_bytes)?,
            kind: kind(&raw.kind)?,
            capability: capability(&raw.capability)?,
            rejoin_verifier: hash(&raw.rejoin_verifier)?,
            sealed_profile: raw.sealed_profile,
            epoch: small(raw.epoch)?,
            since: Timestamp::from_millis(raw.since),
            lapses_at: Timestamp::from_millis(raw.lapses_at),
            admitted_at: raw.admitted_at.map(Timestamp::from_millis),
            refused_at: raw.refused_at.map(Timestamp::from_millis),
        })
    }
}

/// Stores a knock; a repeat replaces kind, capability, profile and time, and asks anew.
pub(crate) async fn save(on: &mut On<'_>, session: SessionId, knock: &KnockRow) -> Result<(), StoreError> {
    run!(
        on,
        SAVE,
        &session.as_bytes()[..],
        &knock.participant_id.as_bytes()[..],
        kind_word(knock.kind),
        capability_word(knock.capability),
        &knock.rejoin_verifier[..],
        &knock.sealed_profile[..],
        i64::from(knock.epoch),
        knock.since.millis(),
        knock.lapses_at.millis(),
    )?;
    Ok(())
}

/// The knock of an id, also a lapsed one.
pub(crate) async fn find(
    on: &mut On<'_>,
    session: SessionId,
    participant: ParticipantId,
) -> Result<Option<KnockRow>, StoreError> {
    maybe!(
        Raw,
        on,
        FIND,
        &session.as_bytes()[..],
        &participant.as_bytes()[..]
    )?
    .map(KnockRow::try_from)
    .transpose()
}

/// Knocks that wait for an answer, in the order of coming.
pub(crate) async fn waiting(
    on: &mut On<'_>,
    session: SessionId,
    now: Timestamp,
) -> Result<Vec<KnockRow>, StoreError> {
    all!(Raw, on, WAITING, &session.as_bytes()[..], now.millis())?
        .into_iter()
        .map(KnockRow::try_from)
        .collect()
}

/// How many knocks wait, and when the first of them lapses.
pub(crate) async fn sum(
    on: &mut On<'_>,
    session: SessionId,
    now: Timestamp,
) -> Result<(u32, Option<Timestamp>), StoreError> {
    let (waiting, first) = one!((i64, Option<i64>), on, SUM, &session.as_bytes()[..], now.millis())?;
    let waiting = u32::try_from(count(waiting)?).unwrap_or(u32::MAX);
    Ok((waiting, first.map(Timestamp::from_millis)))
}

/// Lets somebody in, if it comes before a time.
pub(crate) async fn admit(
    on: &mut On<'_>,
    session: SessionId,
    participant: ParticipantId,
    now: Timestamp,
    until: Timestamp,
) -> Result<(), StoreError> {
    run!(
        on,
        ADMIT,
        &session.as_bytes()[..],
        &participant.as_bytes()[..],
        now.millis(),
        until.millis()
    )?;
    Ok(())
}

/// Refuses somebody for the rest of the epoch.
pub(crate) async fn refuse(
    on: &mut On<'_>,
    session: SessionId,
    participant: ParticipantId,
    now: Timestamp,
) -> Result<(), StoreError> {
    run!(
        on,
        REFUSE,
        &session.as_bytes()[..],
        &participant.as_bytes()[..],
        now.millis()
    )?;
    Ok(())
}

/// Forgets a knock.
pub(crate) async fn drop_one(
    on: &mut On<'_>,
    session: SessionId,
    participant: ParticipantId,
) -> Result<(), StoreError> {
    run!(on, DROP, &session.as_bytes()[..], &participant.as_bytes()[..])?;
    Ok(())
}

/// Forgets lapsed knocks and admissions.
pub(crate) async fn drop_lapsed(
    on: &mut On<'_>,
    session: SessionId,
    now: Timestamp,
) -> Result<(), StoreError> {
    run!(on, DROP_LAPSED, &session.as_bytes()[..], now.millis())?;
    Ok(())
}

/// Forgets all knocks, admissions and refusals.
pub(crate) async fn drop_all(on: &mut On<'_>, session: SessionId) -> Result<(), StoreError> {
    run!(on, DROP_ALL, &session.as_bytes()[..])?;
    Ok(())
}
