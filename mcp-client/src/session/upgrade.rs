//! Coming back with a link that a person gave: to a later epoch, or to more than this seat has (`crypto.md` section 6.1).
//!
//! A door may stand in between. Until the plane has let it in, nothing of what the seat goes by is changed.

use seal::keys::EpochKeys;
use seal::link::Link;
use seal::secret::{LinkKind, LinkSecret};
use wire::api::{Join, JoiningParticipant};
use wire::encoding::Blob;
use wire::epoch_record::EpochRecord;
use wire::problem::Code;

use super::Session;
use super::enter::profile_for;
use super::error::SessionError;
use super::keep::LOCK;
use crate::plane::{Deadline, Entry, PlaneError};
use crate::seat::{EpochSecret, PendingUpgrade, SeatLock};

impl Session {
    /// Whether a link would give this seat something: a later epoch, or the right to write.
    ///
    /// # Errors
    /// The seat's file can't be read.
    pub fn gains_from(&self, link: &Link) -> Result<bool, SessionError> {
        let kept = self.seat.read()?;
        let held = kept.secrets.get(&link.epoch);
        let newest = kept.newest_epoch().unwrap_or(0);
        let upgrade = matches!(held, Some(EpochSecret::View(_))) && link.secret.kind() == LinkKind::Full;
        // Into a session that is over for everybody no link leads back.
        let out = kept
            .ended
            .as_ref()
            .is_some_and(|ended| ended.for_everybody().is_none());
        Ok(link.epoch > newest || (link.epoch == newest && upgrade) || out)
    }

    /// Comes back with a link that a person gave: to a later epoch, or to more than this seat has.
    ///
    /// # Errors
    /// As [`Session::join`]; [`SessionError::TurnedAway`] where it knocked before. The seat stays as it was.
    pub async fn return_with(&mut self, link: &Link, until: Deadline) -> Result<(), SessionError> {
        let mut lock = self.seat.clone().lock(LOCK).await?;
        let keys = match lock.epoch_records.get(&link.epoch) {
            Some(bytes) => {
                let record = EpochRecord::parse(bytes.as_slice()).map_err(seal::Error::from)?;
                Some(EpochKeys::check(&record, copy(link))?)
            }
            None => None,
        };
        let (upgrade, repeated) = self.upgrade_with(&mut lock, link)?;
        let join = Join {
            proof: seal::keys::proof(self.id(), link.epoch, &link.secret),
            epoch: link.epoch,
            participant: JoiningParticipant {
                participant_id: *self.my_id(),
                kind: lock.kind,
                rejoin_verifier: None,
                rejoin_secret: Some(self.me.rejoin_secret()),
                sealed_profile: upgrade.profile.clone(),
            },
        };
        let admitted = match self.plane.join(self.me.session_id(), &join, until).await {
            Ok(Entry::Joined(joined)) => {
                if let Some(keys) = keys {
                    self.keys.insert(keys);
                }
                lock.secrets.insert(link.epoch, upgrade.secret);
                lock.profiles.insert(link.epoch, upgrade.profile);
                lock.pending.upgrade = None;
                self.admitted(&mut lock, *joined, link.epoch)
            }
            Ok(Entry::Knocking(knocking)) => {
                return Err(SessionError::Knocking {
                    me: lock.participant,
                    retry_after_s: knocking.retry_after_s,
                });
            }
            Err(error) => {
                if !(error.is_effect_open() || error.is_passing()) {
                    lock.pending.upgrade = None;
                    lock.save()?;
                }
                return Err(refused(error, repeated));
            }
        };
        drop(lock);
        if admitted.is_err() {
            // Other processes of this seat must not believe this plane either.
            self.store().await?;
        }
        admitted?;
        self.learn_participants(1, until).await?;
        self.sync(until).await
    }

    /// What goes out for a link, on disk before it does: the very same as before if the same link is tried again.
    fn upgrade_with(&self, lock: &mut SeatLock, link: &Link) -> Result<(PendingUpgrade, bool), SessionError> {
        let secret = EpochSecret::from(&link.secret);
        let begun = lock.pending.upgrade.as_ref();
        if let Some(begun) = begun.filter(|begun| begun.epoch == link.epoch && begun.secret == secret) {
            return Ok((begun.clone(), true));
        }
        let upgrade = PendingUpgrade {
            epoch: link.epoch,
            secret,
            profile: Blob(profile_for(link, &self.me, &lock.name, lock.host.as_deref())?),
        };
        lock.pending.upgrade = Some(upgrade.clone());
        lock.save()?;
        Ok((upgrade, false))
    }
}

/// Who had asked before and finds the door closed was not let in; who had not finds it closed.
fn refused(error: PlaneError, repeated: bool) -> SessionError {
    if repeated && error.code() == Some(Code::DoorClosed) {
        return SessionError::TurnedAway;
    }
    error.into()
}

fn copy(link: &Link) -> LinkSecret {
    LinkSecret::from_bytes(link.secret.kind(), *link.secret.expose())
}
