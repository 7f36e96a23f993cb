//! A participant of a session, made through the API with real keys and real sealed forms.

use std::net::SocketAddr;

use anyhow::{Context as _, Result};
use seal::identity::Identity;
use seal::keys::{self, EpochKeys};
use seal::random::{self, Nonce};
use seal::record::message::{self, Head};
use seal::record::title;
use seal::secret::{FullSecret, LinkKind, LinkSecret};
use seal::{profile, rekey};
use wire::api::{Create, Created, Join, Joined, JoiningParticipant, SealedTitle};
use wire::encoding::{Blob, Bytes32};
use wire::event::Kind;
use wire::ids::SessionId;

use super::http::{Connection, request};

/// A participant in a session. Debug shows no secret.
pub(crate) struct Seat {
    /// The session.
    pub(crate) session: SessionId,
    /// The session token.
    pub(crate) token: String,
    /// The keys of the epoch.
    pub(crate) keys: EpochKeys,
    /// The link's secret.
    pub(super) secret: [u8; 32],
    /// The participant.
    pub(crate) me: Identity,
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Seat").field(&self.session).finish()
    }
}

impl Seat {
    /// Creates a session.
    ///
    /// # Errors
    /// The plane refused.
    pub(crate) async fn create(connection: &mut Connection, machine_token: &str) -> Result<Self> {
        let session = random::session_id()?;
        let me = Identity::random(session)?;
        let secret = random::bytes()?;
        let epoch = rekey::create(&session, FullSecret::from_bytes(secret), me.participant_id());
        let sealed_title = title::seal(&epoch.keys, &me, "A session to measure on", Nonce::random()?)?;
        let sealed_profile = profile::seal(
            &epoch.keys,
            &me,
            "bench",
            serde_json::Map::new(),
            Nonce::random()?,
        )?;
        let body = serde_json::to_vec(&Create {
            session_id: session,
            epoch_record: Blob(epoch.record),
            title: SealedTitle {
                participant_id: *me.participant_id(),
                epoch: 1,
                sealed: Blob(sealed_title),
            },
            label: None,
            participant: newcomer(&me, sealed_profile),
        })?;
        let request = request("POST", "/v1/sessions", Some(machine_token), Some(&body));
        let created: Created = connection
            .exchange(&request)
            .await?
            .json(201)
            .context("a session could not be created")?;
        Ok(Self {
            session,
            token: created.session_token.0,
            keys: epoch.keys,
            secret,
            me,
        })
    }

    /// Joins the same session as somebody else.
    ///
    /// # Errors
    /// The plane refused.
    pub(crate) async fn join(&self, connection: &mut Connection) -> Result<Self> {
        Self::enter(connection, self.session, self.keys.epoch(), self.secret).await
    }

    /// Joins by a full link.
    ///
    /// # Errors
    /// It is none; the plane refused.
    pub(crate) async fn by_link(connection: &mut Connection, link: &str) -> Result<Self> {
        let link = seal::link::find(link)?;
        Self::enter(connection, link.session_id, link.epoch, *link.secret.expose()).await
    }

    async fn enter(
        connection: &mut Connection,
        session: SessionId,
        epoch: u32,
        secret: [u8; 32],
    ) -> Result<Self> {
        let me = Identity::random(session)?;
        let link = LinkSecret::from_bytes(LinkKind::Full, secret);
        let sealed = profile::seal_for_entry(
            epoch,
            &link,
            &me,
            "bench",
            serde_json::Map::new(),
            Nonce::random()?,
        )?;
        let body = serde_json::to_vec(&Join {
            proof: keys::proof(&session, epoch, &link),
            epoch,
            participant: newcomer(&me, sealed),
        })?;
        let path = format!("/v1/sessions/{session}/participants");
        let joined: Joined = connection
            .exchange(&request("POST", &path, None, Some(&body)))
            .await?
            .json(201)
            .context("a participant could not join")?;
        Ok(Self {
            session,
            token: joined.session_token.0,
            keys: EpochKeys::open_epoch(&session, epoch, FullSecret::from_bytes(secret)).0,
            secret,
            me,
        })
    }

    /// The keys once more, for a keyring.
    pub(crate) fn epoch_keys(&self) -> EpochKeys {
        let secret = FullSecret::from_bytes(self.secret);
        EpochKeys::open_epoch(&self.session, self.keys.epoch(), secret).0
    }

    /// The request for what follows a record, with what is behind the `?` beside it.
    pub(crate) fn read_request(&self, after: u64, more: &str) -> Vec<u8> {
        let path = format!("/v1/sessions/{}/records?after={after}{more}", self.session);
        request("GET", &path, Some(&self.token), None)
    }

    /// A message with a JSON text of so many bytes, sealed.
    ///
    /// # Errors
    /// No randomness; a text that is too long.
    pub(crate) fn seal(&self, length: usize) -> Result<Vec<u8>> {
        const AROUND: usize = r#"{"kind":"text","text":""}"#.len();
        let text = "m".repeat(length.saturating_sub(AROUND));
        let json = format!(r#"{{"kind":"text","text":"{text}"}}"#);
        let head = Head {
            seq: 2,
            hash: [7; 32],
        };
        let id = random::message_id()?;
        Ok(message::seal(
            &self.keys,
            &self.me,
            &id,
            &head,
            &json,
            Nonce::random()?,
        )?)
    }
}

/// A person: waits of an agent depend on the mode.
fn newcomer(me: &Identity, sealed_profile: Vec<u8>) -> JoiningParticipant {
    JoiningParticipant {
        participant_id: *me.participant_id(),
        kind: Kind::Human,
        rejoin_verifier: Some(Bytes32(me.rejoin_verifier())),
        rejoin_secret: None,
        sealed_profile: Blob(sealed_profile),
    }
}

/// So many further participants of somebody's session.
///
/// # Errors
/// The plane refused.
pub(crate) async fn joined(address: SocketAddr, owner: &Seat, count: usize) -> Result<Vec<Seat>> {
    let mut connection = Connection::open(address).await?;
    let mut seats = Vec::with_capacity(count);
    for _ in 0..count {
        seats.push(owner.join(&mut connection).await?);
    }
    Ok(seats)
}

/// Connections that create sessions at a time.
const CREATORS: usize = 16;

/// Participants of so many new sessions, one each.
///
/// # Errors
/// The plane refused.
pub(crate) async fn created(address: SocketAddr, machine_token: &str, count: usize) -> Result<Vec<Seat>> {
    let creators = (0..CREATORS).map(|creator| async move {
        let mut connection = Connection::open(address).await?;
        let mut seats = Vec::new();
        for _ in (creator..count).step_by(CREATORS) {
            seats.push(Seat::create(&mut connection, machine_token).await?);
        }
        Ok::<_, anyhow::Error>(seats)
    });
    Ok(futures_util::future::try_join_all(creators)
        .await?
        .into_iter()
        .flatten()
        .collect())
}
