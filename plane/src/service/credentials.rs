//! Who is asking: session tokens and machine tokens, by the SHA-256 of each.

use wire::ids::SessionId;
use wire::transcript::sha256;

use super::end::keeper;
use super::open::Shared;
use super::{Answer, Checked, MachineCaller, Poster, Role, Scope, Service, ServiceError, SessionCaller};
use crate::store::tokens::TokenRow;
use crate::store::{machines, session, tombstones};

impl Service {
    /// Looks a session token up under the path's session, in the database, each time.
    ///
    /// # Errors
    /// `Unauthorized`: unknown there, ended or expired; `TokenRekeyed`: of an earlier epoch.
    pub async fn session_caller(&self, session: SessionId, token: &[u8; 32]) -> Answer<SessionCaller> {
        self.shared.look_up(session, sha256(token)).await
    }

    /// Who posts: as [`Service::session_caller`], or from what the last look-up said. The append asks for the version of the
    /// session that this was said of.
    ///
    /// # Errors
    /// As [`Service::session_caller`].
    pub async fn poster(&self, session: SessionId, token: &[u8; 32]) -> Answer<Poster> {
        let token_hash = sha256(token);
        let known = self.shared.known_caller(session, token_hash);
        Ok(Poster {
            is_looked_up: known.is_none(),
            caller: match known {
                Some(caller) => caller,
                None => self.shared.look_up(session, token_hash).await?,
            },
        })
    }

    /// That a poster's token counts now.
    ///
    /// # Errors
    /// As [`Service::session_caller`].
    pub async fn confirm(&self, by: &Poster) -> Answer<()> {
        if !by.is_looked_up {
            self.shared
                .look_up(by.caller.session_id, by.caller.token_hash)
                .await?;
        }
        Ok(())
    }

    /// Looks a machine token up.
    ///
    /// # Errors
    /// `Unauthorized`: unknown, revoked, or of a disabled member.
    pub async fn machine_caller(&self, token: &[u8; 32]) -> Answer<MachineCaller> {
        let mut conn = self.shared.store.reader().await?;
        let caller = machines::caller(&mut conn.on(), &sha256(token))
            .await?
            .ok_or(ServiceError::Unauthorized)?;
        Ok(MachineCaller {
            user_id: caller.user_id,
            org_id: caller.org_id,
            // What this binary does not know gives nothing.
            role: Role::from_word(&caller.role).unwrap_or(Role::Member),
            scopes: caller.scopes.split(',').filter_map(Scope::from_word).collect(),
        })
    }

    /// Whether a machine may keep a session (re-key, door, stop, end): asked before its request's body is looked at,
    /// so that a session it may not see is like one that is not there. The call itself checks again.
    ///
    /// # Errors
    /// `NotFound`: none that it may see; `Forbidden`: its token lacks the scope.
    pub async fn may_keep(&self, by: &MachineCaller, session: SessionId) -> Answer<()> {
        let mut conn = self.shared.store.reader().await?;
        if let Some(row) = session::load(&mut conn.on(), session).await? {
            return keeper(by, row.org_id, row.owner_user);
        }
        let stone = tombstones::find(&mut conn.on(), session)
            .await?
            .ok_or(ServiceError::NotFound)?;
        keeper(by, stone.org_id, stone.owner_user)
    }
}

impl Shared {
    /// The participant of a token's hash, as long as the token counts.
    pub(crate) async fn look_up(&self, session: SessionId, token_hash: [u8; 32]) -> Answer<SessionCaller> {
        let now = self.now();
        let turn = self.departures.turn();
        let token = self
            .lookups
            .find(session, token_hash)
            .await?
            .filter(|token| now < token.expires_at)
            .ok_or(ServiceError::Unauthorized)?;
        if token.epoch != token.session_epoch {
            return Err(ServiceError::TokenRekeyed {
                epoch: token.session_epoch,
            });
        }
        self.live.looked_up(session, token_hash, &token);
        let caller = caller(session, token_hash, &token, turn);
        self.presence.seen(&caller, now, token.expires_at);
        Ok(caller)
    }

    /// As [`Shared::look_up`], by what is known here. Whether the token counts is still to be said, and until then nobody
    /// was seen.
    fn known_caller(&self, session: SessionId, token_hash: [u8; 32]) -> Option<SessionCaller> {
        let now = self.now();
        let turn = self.departures.turn();
        let token = self.live.token(session, &token_hash)?;
        (now < token.expires_at).then(|| caller(session, token_hash, &token, turn))
    }
}

const fn caller(session: SessionId, token_hash: [u8; 32], token: &TokenRow, turn: u64) -> SessionCaller {
    SessionCaller {
        session_id: session,
        participant_id: token.participant_id,
        kind: token.kind,
        capability: token.capability,
        epoch: token.epoch,
        token_hash,
        turn,
        checked: Checked {
            version: token.version,
            expires_at: token.expires_at,
        },
    }
}
