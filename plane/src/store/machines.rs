//! Machine tokens, by the SHA-256 of each.

use wire::ids::{MachineTokenId, OrgId, UserId};
use wire::timestamp::Timestamp;

use super::codec::id;
use super::engine::{all, maybe, run};
use super::{On, StoreError};

const INSERT_TOKEN: &str = "INSERT INTO machine_tokens (token_hash, token_id, org_id, user_id, name, scopes, \
     created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
const TOKENS: &str = "SELECT t.token_id, u.name AS member, t.name, t.scopes, t.created_at, t.revoked_at \
     FROM machine_tokens t JOIN users u ON u.user_id = t.user_id WHERE t.org_id = $1 ORDER BY t.created_at";
const REVOKE_TOKEN: &str =
    "UPDATE machine_tokens SET revoked_at = $2 WHERE token_id = $1 AND revoked_at IS NULL RETURNING org_id";
const CALLER: &str = "SELECT t.user_id, t.org_id, u.role, t.scopes FROM machine_tokens t \
     JOIN users u ON u.user_id = t.user_id \
     WHERE t.token_hash = $1 AND t.revoked_at IS NULL AND u.disabled_at IS NULL";

/// A machine token, without the token.
#[derive(Debug, Clone)]
pub(crate) struct MachineTokenRow {
    pub(crate) token_id: MachineTokenId,
    pub(crate) member: String,
    pub(crate) name: Option<String>,
    pub(crate) scopes: String,
    pub(crate) created_at: Timestamp,
    pub(crate) revoked_at: Option<Timestamp>,
}

/// A machine token to be stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewMachineToken<'a> {
    pub(crate) hash: [u8; 32],
    pub(crate) token_id: MachineTokenId,
    pub(crate) org_id: OrgId,
    pub(crate) user_id: UserId,
    pub(crate) name: Option<&'a str>,
    pub(crate) scopes: &'a str,
    pub(crate) at: Timestamp,
}

/// Whose machine token it is.
#[derive(Debug, Clone)]
pub(crate) struct CallerRow {
    pub(crate) user_id: UserId,
    pub(crate) org_id: OrgId,
    pub(crate) role: String,
    pub(crate) scopes: String,
}

/// Stores a machine token.
pub(crate) async fn insert_token(on: &mut On<'_>, token: &NewMachineToken<'_>) -> Result<(), StoreError> {
    run!(
        on,
        INSERT_TOKEN,
        &token.hash[..],
        &token.token_id.as_bytes()[..],
        &token.org_id.as_bytes()[..],
        &token.user_id.as_bytes()[..],
        token.name,
        token.scopes,
        token.at.millis(),
    )?;
    Ok(())
}

/// The machine tokens of an organisation.
pub(crate) async fn tokens(on: &mut On<'_>, org: OrgId) -> Result<Vec<MachineTokenRow>, StoreError> {
    type Raw = (Vec<u8>, String, Option<String>, String, i64, Option<i64>);
    all!(Raw, on, TOKENS, &org.as_bytes()[..])?
        .into_iter()
        .map(|(token, member, name, scopes, created, revoked)| {
            Ok(MachineTokenRow {
                token_id: id(&token, MachineTokenId::from_bytes)?,
                member,
                name,
                scopes,
                created_at: Timestamp::from_millis(created),
                revoked_at: revoked.map(Timestamp::from_millis),
            })
        })
        .collect()
}

/// Revokes a machine token; its org, if there was one to revoke.
pub(crate) async fn revoke_token(
    on: &mut On<'_>,
    token: MachineTokenId,
    at: Timestamp,
) -> Result<Option<OrgId>, StoreError> {
    maybe!((Vec<u8>,), on, REVOKE_TOKEN, &token.as_bytes()[..], at.millis())?
        .map(|(org,)| id(&org, OrgId::from_bytes))
        .transpose()
}

/// Whose machine token has that hash: none for a revoked one or one of a disabled member.
pub(crate) async fn caller(on: &mut On<'_>, hash: &[u8; 32]) -> Result<Option<CallerRow>, StoreError> {
    maybe!((Vec<u8>, Vec<u8>, String, String), on, CALLER, &hash[..])?
        .map(|(user, org, role, scopes)| {
            Ok(CallerRow {
                user_id: id(&user, UserId::from_bytes)?,
                org_id: id(&org, OrgId::from_bytes)?,
                role,
                scopes,
            })
        })
        .transpose()
}
