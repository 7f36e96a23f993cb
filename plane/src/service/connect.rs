//! `POST /v1/connect` and `POST /v1/connect/token`: a machine gets its token without anybody having to carry it there
//! (device login, RFC 8628). The yes or no of a person is [`super::admin`]'s.
//!
//! The token is made when the machine fetches it: until then it is nowhere, and afterwards its SHA-256 alone is kept.

use std::net::IpAddr;

use wire::api::{Connect, ConnectToken, Connected, Connecting, TokenText};
use wire::encoding::Secret32;
use wire::token::TokenKind;
use wire::transcript::sha256;

use super::acts::Actor;
use super::open::millis;
use super::random::random;
use super::{Answer, Service, ServiceError};
use crate::connect::{INTERVAL_S, Poll, UserCode, shown_name};
use crate::rate::{Allowance, Counted};
use crate::store::connects::{ConnectRow, NewConnect};
use crate::store::{StoreError, Tx, audit, connects, machines, orgs};

/// How often a new pair of codes is drawn, should one of them be taken. There are 25 thousand million.
const DRAWS: usize = 3;
/// When to come again, if too many machines wait.
const CROWDED_S: u64 = 60;
/// RFC 8628, 3.5: whoever asks too often waits so much longer.
const SLOWER_S: u64 = 5;

impl Service {
    /// `POST connect`: a pair of codes. `page` is where people read what to do with theirs.
    ///
    /// # Errors
    /// `RateLimited`, by address and by how many wait.
    pub async fn connect(&self, from: IpAddr, page: String, request: Connect) -> Answer<Connecting> {
        let limits = &self.shared.limits;
        self.count(
            Counted::connects_from(from),
            Allowance::a_minute(limits.connects_per_minute_address),
            "connects_per_minute_address",
        )?;
        let now = self.shared.now();
        let machine_name = request.machine_name.as_deref().and_then(shown_name);
        let address = from.to_canonical().to_string();
        let mut conn = self.shared.store.writer().await?;
        if connects::count_waiting(&mut conn.on(), now).await? >= limits.connect_requests {
            return Err(ServiceError::RateLimited {
                limit: "connect_requests",
                retry_after_s: CROWDED_S,
            });
        }
        for _ in 0..DRAWS {
            let device_code = Secret32::new(random()?);
            let user_code = UserCode::draw(&random::<64>()?).ok_or(ServiceError::NoRandomness)?;
            let new = NewConnect {
                device_hash: sha256(device_code.expose()),
                user_code_hash: user_code.hash(),
                machine_name: machine_name.as_deref(),
                address: &address,
                at: now,
                expires_at: now.plus_millis(millis(limits.connect_life_s)),
            };
            if connects::insert(&mut conn.on(), &new).await? {
                return Ok(Connecting {
                    device_code,
                    user_code: user_code.text(),
                    verification_uri: page,
                    expires_in: limits.connect_life_s,
                    interval: INTERVAL_S,
                });
            }
        }
        Err(ServiceError::NoRandomness)
    }

    /// `POST connect/token`: the machine's token, once, if somebody said yes.
    ///
    /// # Errors
    /// `RateLimited`, by address, whatever the code; `AuthorizationPending`, `SlowDown`; `AccessDenied`;
    /// `ExpiredToken`: over, handed out, or never there, always alike.
    pub async fn connect_token(&self, from: IpAddr, request: &ConnectToken) -> Answer<Connected> {
        self.count(
            Counted::connect_polls_from(from),
            Allowance::a_minute(self.shared.limits.connect_polls_per_minute_address),
            "connect_polls_per_minute_address",
        )?;
        let device_hash = sha256(request.device_code.expose());
        let now = self.shared.now();
        let mut conn = self.shared.store.reader().await?;
        let row = connects::find(&mut conn.on(), &device_hash).await?;
        drop(conn);
        let poll = row.map_or(Poll::Over, |row| row.standing.poll(now));
        match poll {
            Poll::HandOut => self.hand_out(device_hash).await,
            Poll::Pending | Poll::TooSoon => {
                let mut conn = self.shared.store.writer().await?;
                connects::polled(&mut conn.on(), &device_hash, now).await?;
                Err(refusal(poll))
            }
            Poll::Denied | Poll::Over => Err(refusal(poll)),
        }
    }

    /// Makes the token and hands it out. Asked again under the row's lock: of two machines with the same code, or
    /// two processes, one gets it.
    async fn hand_out(&self, device_hash: [u8; 32]) -> Answer<Connected> {
        let mut tx = self.shared.store.begin_write().await?;
        let now = self.shared.now();
        let row = connects::lock(&mut tx.on(), &device_hash)
            .await?
            .ok_or(ServiceError::ExpiredToken)?;
        let poll = row.standing.poll(now);
        if poll != Poll::HandOut {
            return Err(refusal(poll));
        }
        let connected = self.make_token(&mut tx, &row).await?;
        connects::spend(&mut tx.on(), &device_hash, now).await?;
        tx.commit().await?;
        Ok(connected)
    }

    async fn make_token(&self, tx: &mut Tx, row: &ConnectRow) -> Answer<Connected> {
        let corrupt = StoreError::Corrupt("approval of a machine");
        let Some(grant) = &row.grant else {
            return Err(corrupt.into());
        };
        let member = orgs::member(&mut tx.on(), grant.user_id).await?.ok_or(corrupt)?;
        if member.is_disabled {
            return Err(ServiceError::AccessDenied);
        }
        let now = self.shared.now();
        let token = Secret32::new(random()?);
        let new = machines::NewMachineToken {
            hash: sha256(token.expose()),
            token_id: grant.token_id,
            org_id: member.org_id,
            user_id: grant.user_id,
            name: row.machine_name.as_deref(),
            scopes: &grant.scopes,
            at: now,
        };
        machines::insert_token(&mut tx.on(), &new).await?;
        let act = audit::AuditRow {
            at: now,
            actor: Actor::User(grant.user_id).text(),
            action: "token.create".to_owned(),
            session_id: None,
            subject: Some(grant.token_id.to_string()),
        };
        audit::insert(&mut tx.on(), member.org_id, &random()?, &act).await?;
        Ok(Connected {
            machine_token: TokenText(TokenKind::Machine.format(token.expose())),
            org: member.org,
            member: member.name,
            scopes: grant.scopes.split(',').map(str::to_owned).collect(),
        })
    }
}

const fn refusal(poll: Poll) -> ServiceError {
    match poll {
        Poll::Pending | Poll::HandOut => ServiceError::AuthorizationPending,
        Poll::TooSoon => ServiceError::SlowDown {
            retry_after_s: INTERVAL_S + SLOWER_S,
        },
        Poll::Denied => ServiceError::AccessDenied,
        Poll::Over => ServiceError::ExpiredToken,
    }
}
