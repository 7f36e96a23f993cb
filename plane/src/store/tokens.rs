//! Session tokens, by the SHA-256 of each.

use std::collections::HashMap;

use sqlx::FromRow;
use wire::event::{Capability, Kind};
use wire::ids::{ParticipantId, SessionId};
use wire::timestamp::Timestamp;

use super::codec::{capability, capability_word, hash, id, kind, small};
use super::dialect::FIND_TOKENS_POSTGRES;
use super::engine::{all, maybe, run};
use super::{On, StoreError};

const INSERT: &str = "INSERT INTO tokens (session_id, token_hash, participant_id, capability, epoch, expires_at) \
     VALUES ($1, $2, $3, $4, $5, $6)";
const FIND: &str = "SELECT t.participant_id, t.capability, t.epoch, t.expires_at, p.kind, \
     s.epoch AS session_epoch, s.version FROM tokens t \
     JOIN sessions s ON s.session_id = t.session_id \
     JOIN participants p ON p.session_id = t.session_id AND p.participant_id = t.participant_id \
     WHERE t.session_id = $1 AND t.token_hash = $2";
const OF_EPOCH: &str = "SELECT token_hash, expires_at FROM tokens WHERE session_id = $1 AND epoch = $2";
const END: &str = "DELETE FROM tokens WHERE session_id = $1 AND participant_id = $2";
const END_EXPIRED: &str = "DELETE FROM tokens WHERE session_id = $1 AND expires_at <= $2";
const RENEW: &str = "UPDATE tokens SET expires_at = $3 WHERE session_id = $1 AND token_hash = $2 \
     AND expires_at < $3";

/// What a token stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenRow {
    pub(crate) participant_id: ParticipantId,
    pub(crate) kind: Kind,
    pub(crate) capability: Capability,
    /// The epoch it was given in.
    pub(crate) epoch: u32,
    pub(crate) expires_at: Timestamp,
    /// The session's epoch now.
    pub(crate) session_epoch: u32,
    /// The version of the session's row now.
    pub(crate) version: i64,
}

/// A token to be stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewToken {
    pub(crate) hash: [u8; 32],
    pub(crate) participant_id: ParticipantId,
    pub(crate) capability: Capability,
    pub(crate) epoch: u32,
    pub(crate) expires_at: Timestamp,
}

#[derive(FromRow)]
struct Raw {
    participant_id: Vec<u8>,
    capability: String,
    epoch: i64,
    expires_at: i64,
    kind: String,
    session_epoch: i64,
    version: i64,
}

/// A token with the place of its key among those asked for, from 1.
#[derive(FromRow)]
struct RawAt {
    n: i64,
    #[sqlx(flatten)]
    token: Raw,
}

/// Stores a token.
pub(crate) async fn insert(on: &mut On<'_>, session: SessionId, token: &NewToken) -> Result<(), StoreError> {
    run!(
        on,
        INSERT,
        &session.as_bytes()[..],
        &token.hash[..],
        &token.participant_id.as_bytes()[..],
        capability_word(token.capability),
        i64::from(token.epoch),
        token.expires_at.millis(),
    )?;
    Ok(())
}

impl TryFrom<Raw> for TokenRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        Ok(Self {
            participant_id: id(&raw.participant_id, ParticipantId::from_bytes)?,
            kind: kind(&raw.kind)?,
            capability: capability(&raw.capability)?,
            epoch: small(raw.epoch)?,
            expires_at: Timestamp::from_millis(raw.expires_at),
            session_epoch: small(raw.session_epoch)?,
            version: raw.version,
        })
    }
}

/// The token of that hash in this session.
pub(crate) async fn find(
    on: &mut On<'_>,
    session: SessionId,
    token_hash: &[u8; 32],
) -> Result<Option<TokenRow>, StoreError> {
    maybe!(Raw, on, FIND, &session.as_bytes()[..], &token_hash[..])?
        .map(TokenRow::try_from)
        .transpose()
}

/// A token if there is one, or why its row can't be read.
pub(crate) type Found = Result<Option<TokenRow>, StoreError>;

/// The tokens of those hashes in those sessions, in their order. A row that can't be read is the matter of who asked for it.
pub(crate) async fn find_many(
    on: &mut On<'_>,
    keys: &[(SessionId, [u8; 32])],
) -> Result<Vec<Found>, StoreError> {
    match on {
        On::Postgres(pg) if keys.len() > 1 => {
            let mut found: Vec<Found> = keys.iter().map(|_| Ok(None)).collect();
            let sessions: Vec<&[u8]> = keys.iter().map(|(session, _)| &session.as_bytes()[..]).collect();
            let hashes: Vec<&[u8]> = keys.iter().map(|(_, token_hash)| &token_hash[..]).collect();
            let many = sqlx::query_as(FIND_TOKENS_POSTGRES).bind(sessions).bind(hashes);
            let rows: Vec<RawAt> = pg.all(many).await?;
            for row in rows {
                let place = usize::try_from(row.n).ok().and_then(|n| n.checked_sub(1));
                if let Some(slot) = place.and_then(|place| found.get_mut(place)) {
                    *slot = TokenRow::try_from(row.token).map(Some);
                }
            }
            Ok(found)
        }
        on => {
            let mut found = Vec::with_capacity(keys.len());
            for (session, token_hash) in keys {
                match find(on, *session, token_hash).await {
                    Err(error @ StoreError::Database(_)) => return Err(error),
                    one => found.push(one),
                }
            }
            Ok(found)
        }
    }
}

/// The hashes of all tokens of an epoch, with their expiry.
pub(crate) async fn of_epoch(
    on: &mut On<'_>,
    session: SessionId,
    epoch: u32,
) -> Result<HashMap<[u8; 32], Timestamp>, StoreError> {
    all!(
        (Vec<u8>, i64),
        on,
        OF_EPOCH,
        &session.as_bytes()[..],
        i64::from(epoch)
    )?
    .into_iter()
    .map(|(token, expires_at)| Ok((hash(&token)?, Timestamp::from_millis(expires_at))))
    .collect()
}

/// Ends all tokens of a participant.
pub(crate) async fn end(
    on: &mut On<'_>,
    session: SessionId,
    participant: ParticipantId,
) -> Result<(), StoreError> {
    run!(on, END, &session.as_bytes()[..], &participant.as_bytes()[..])?;
    Ok(())
}

/// Drops tokens that have expired.
pub(crate) async fn end_expired(
    on: &mut On<'_>,
    session: SessionId,
    now: Timestamp,
) -> Result<(), StoreError> {
    run!(on, END_EXPIRED, &session.as_bytes()[..], now.millis())?;
    Ok(())
}

/// Moves a token's expiry.
pub(crate) async fn renew(
    on: &mut On<'_>,
    session: SessionId,
    token_hash: &[u8; 32],
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    run!(
        on,
        RENEW,
        &session.as_bytes()[..],
        &token_hash[..],
        expires_at.millis()
    )?;
    Ok(())
}
