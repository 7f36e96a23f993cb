//! The next epoch of a session: the owner starts it, and who is kept comes back with the new secret.

use anyhow::{Context as _, Result};
use seal::keys::{self, EpochKeys};
use seal::profile;
use seal::random::{self, Nonce};
use seal::rekey::{self, History, Kept};
use seal::secret::{FullSecret, LinkKind, LinkSecret};
use wire::api::{Join, Joined, JoiningParticipant, Rekey, Rekeyed};
use wire::encoding::Blob;
use wire::epoch_record::EntryCapability;
use wire::event::Kind;

use super::http::{Connection, request};
use super::seat::Seat;

/// What a new epoch is entered with.
pub(crate) struct Next {
    epoch: u32,
    secret: [u8; 32],
}

impl Seat {
    /// Re-keys as the owner, who is kept with one other.
    ///
    /// # Errors
    /// The plane refused.
    pub(crate) async fn rekey(
        &self,
        connection: &mut Connection,
        machine_token: &str,
        other: &Self,
    ) -> Result<Next> {
        let secret = random::bytes()?;
        let kept = [self, other]
            .map(|seat| Kept::new(seat.me.public(), EntryCapability::Full))
            .into_iter()
            .collect::<Result<_, _>>()?;
        let history = History::Open(Nonce::random()?);
        let next = rekey::by_owner(
            &self.keys,
            &self.me,
            FullSecret::from_bytes(secret),
            kept,
            history,
        )?;
        let epoch = next.keys.epoch();
        let body = serde_json::to_vec(&Rekey {
            epoch_record: Blob(next.record),
            rejoin_secret: Some(self.me.rejoin_secret()),
        })?;
        let path = format!("/v1/sessions/{}/rekey", self.session);
        let rekeyed: Rekeyed = connection
            .exchange(&request("POST", &path, Some(machine_token), Some(&body)))
            .await?
            .json(201)
            .context("a session could not be re-keyed")?;
        anyhow::ensure!(rekeyed.epoch == epoch, "epoch {} began", rekeyed.epoch);
        Ok(Next { epoch, secret })
    }

    /// Comes back after a re-key.
    ///
    /// # Errors
    /// The plane refused.
    pub(crate) async fn come_back(&mut self, connection: &mut Connection, next: &Next) -> Result<()> {
        let link = LinkSecret::from_bytes(LinkKind::Full, next.secret);
        let sealed = profile::seal_for_entry(
            next.epoch,
            &link,
            &self.me,
            "bench",
            serde_json::Map::new(),
            Nonce::random()?,
        )?;
        let body = serde_json::to_vec(&Join {
            proof: keys::proof(&self.session, next.epoch, &link),
            epoch: next.epoch,
            participant: JoiningParticipant {
                participant_id: *self.me.participant_id(),
                kind: Kind::Human,
                rejoin_verifier: None,
                rejoin_secret: Some(self.me.rejoin_secret()),
                sealed_profile: Blob(sealed),
            },
        })?;
        let path = format!("/v1/sessions/{}/participants", self.session);
        let joined: Joined = connection
            .exchange(&request("POST", &path, None, Some(&body)))
            .await?
            .json(201)
            .context("a participant could not come back")?;
        let secret = FullSecret::from_bytes(next.secret);
        self.token = joined.session_token.0;
        self.keys = EpochKeys::open_epoch(&self.session, next.epoch, secret).0;
        self.secret = next.secret;
        Ok(())
    }

    /// Leaves.
    ///
    /// # Errors
    /// The plane refused.
    pub(crate) async fn leave(&self, connection: &mut Connection) -> Result<()> {
        let path = format!("/v1/sessions/{}/leave", self.session);
        connection
            .exchange(&request("POST", &path, Some(&self.token), Some(b"")))
            .await?
            .is(200)
    }

    /// Ends the session, as its owner user.
    ///
    /// # Errors
    /// The plane refused.
    pub(crate) async fn end(&self, connection: &mut Connection, machine_token: &str) -> Result<()> {
        let path = format!("/v1/sessions/{}", self.session);
        connection
            .exchange(&request("DELETE", &path, Some(machine_token), None))
            .await?
            .is(200)
    }
}
