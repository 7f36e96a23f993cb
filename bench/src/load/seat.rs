//! A participant of a session, made through the API with real keys and real sealed forms.

use anyhow::{Context as _, Result};
use seal::identity::Identity;
use seal::keys::EpochKeys;
use seal::random::{self, Nonce};
use seal::record::message::{self, Head};
use seal::record::title;
use seal::secret::FullSecret;
use seal::{profile, rekey};
use wire::api::{Create, Created, JoiningParticipant, SealedTitle};
use wire::encoding::{Blob, Bytes32};
use wire::event::Kind;
use wire::ids::SessionId;

use super::http::{Connection, request};

/// A participant in a session.
pub(crate) struct Seat {
    /// The session.
    pub(crate) session: SessionId,
    /// The session token.
    pub(crate) token: String,
    /// The keys of the epoch.
    pub(crate) keys: EpochKeys,
    /// The participant.
    pub(crate) me: Identity,
}

impl Seat {
    /// Creates a session.
    ///
    /// # Errors
    /// The plane refused.
    pub(crate) async fn create(connection: &mut Connection, machine_token: &str) -> Result<Self> {
        let session = random::session_id()?;
        let me = Identity::random(session)?;
        let epoch = rekey::create(&session, FullSecret::random()?, me.participant_id());
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
            participant: JoiningParticipant {
                participant_id: *me.participant_id(),
                kind: Kind::Human,
                rejoin_verifier: Some(Bytes32(me.rejoin_verifier())),
                rejoin_secret: None,
                sealed_profile: Blob(sealed_profile),
            },
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
            me,
        })
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
