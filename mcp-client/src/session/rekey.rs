//! Re-keying as the owner: a new secret, sealed to those who stay (`crypto.md` section 10.2).
//!
//! The new secret and the record's bytes are on disk before the first byte is sent, and the same bytes are sent until the
//! call ends. What is in force is read from the epoch records alone: of this seat's own making, it goes on; of another's,
//! the new secret is worth nothing and is forgotten. A later call never sends them again: who takes part may have changed
//! since a person decided, so they are forgotten as well where they are not in force, and a person decides anew. Should the
//! request arrive after all, this seat's own entry in the record opens it.

use std::collections::BTreeSet;

use seal::random::Nonce;
use seal::rekey::{self, History, Kept};
use seal::secret::{FullSecret, LinkKind, LinkSecret};
use wire::api::{ParticipantRow, Rekey};
use wire::encoding::{Blob, Secret32};
use wire::epoch_record::{EntryCapability, EpochRecord};
use wire::ids::ParticipantId;
use wire::problem::Code;

use super::calls::is_token_over;
use super::error::SessionError;
use super::keep::LOCK;
use super::members::Keepable;
use super::{Session, integrity};
use crate::plane::{Deadline, MachineToken, PlaneError, Unsettled};
use crate::seat::{PendingRekey, SeatLock, SeatState};

/// How often one call comes back before it makes the record.
const ROUNDS: u32 = 4;

/// A re-key as a person decided it, over the list that they were shown.
#[derive(Debug, Clone, Copy)]
pub struct RekeyPlan<'a> {
    /// The epoch in force when the list was shown.
    pub epoch: u32,
    /// Everybody who was on the list.
    pub shown: &'a BTreeSet<ParticipantId>,
    /// Who stays, and with what. This seat stays in any case, with everything.
    pub keep: &'a [(ParticipantId, EntryCapability)],
    /// Whether holders of the new link may read what came before.
    pub history: bool,
}

/// What became of an earlier re-key of this seat whose answer was never seen.
#[derive(Debug)]
pub enum EarlierRekey {
    /// There was none.
    None,
    /// It is in force.
    InForce(RekeyDone),
    /// It is not, and was forgotten.
    NotInForce,
}

/// A re-key that is in force.
#[derive(Debug)]
pub struct RekeyDone {
    /// The new epoch.
    pub epoch: u32,
    /// What went wrong after it: the token, the new profile or the title. The next call of this seat makes up for it.
    pub late: Option<SessionError>,
}

impl Session {
    /// Finds out what became of a re-key of this seat whose answer was never seen, if there is one. Nothing is sent again.
    ///
    /// # Errors
    /// [`SessionError::RekeyOpen`] while the plane can't be asked; [`SessionError::Removed`] and
    /// [`SessionError::AdminRekeyed`] where another one is in force, and then it is forgotten.
    pub async fn finish_rekey(&mut self, until: Deadline) -> Result<EarlierRekey, SessionError> {
        if self.seat.read()?.pending.rekey.is_none() {
            return Ok(EarlierRekey::None);
        }
        let mut lock = self.seat.clone().lock(LOCK).await?;
        self.refresh()?;
        let Some(pending) = lock.pending.rekey.clone() else {
            return Ok(EarlierRekey::None);
        };
        let result = self.finish_locked(&mut lock, &pending, until).await;
        let kept = self.keep(&mut lock);
        drop(lock);
        match result? {
            Some(late) => {
                let late = late.or(kept.err());
                let done = self.settle_rekey(pending.epoch, late, until).await;
                Ok(EarlierRekey::InForce(done))
            }
            None => kept.map(|()| EarlierRekey::NotInForce),
        }
    }

    fn keep(&self, lock: &mut SeatLock) -> Result<(), SessionError> {
        self.put_into(lock)?;
        lock.save()?;
        Ok(())
    }

    /// Re-keys as it was decided. Who came in after the list was shown is a reason to show it again.
    ///
    /// # Errors
    /// [`SessionError::ListChanged`], [`SessionError::NotOwner`], [`SessionError::NoOwner`],
    /// [`SessionError::CantBeKept`] before anything is sent; [`SessionError::RekeyOpen`] when it is not known whether it
    /// is in force; what the plane gives when it is not.
    pub async fn rekey(
        &mut self,
        plan: &RekeyPlan<'_>,
        machine: &MachineToken,
        until: Deadline,
    ) -> Result<RekeyDone, SessionError> {
        let mut lock = self.seat.clone().lock(LOCK).await?;
        let result = self.rekey_locked(&mut lock, plan, machine, until).await;
        let kept = self.keep(&mut lock);
        drop(lock);
        let (epoch, late) = result?;
        Ok(self.settle_rekey(epoch, late.or(kept.err()), until).await)
    }

    async fn rekey_locked(
        &mut self,
        lock: &mut SeatLock,
        plan: &RekeyPlan<'_>,
        machine: &MachineToken,
        until: Deadline,
    ) -> Result<(u32, Option<SessionError>), SessionError> {
        self.refresh()?;
        integrity::may_accept(self.alarm.as_ref())?;
        if let Some(earlier) = lock.pending.rekey.clone()
            && self.finish_locked(lock, &earlier, until).await?.is_some()
        {
            return Err(SessionError::ListChanged(Vec::new()));
        }
        let rows = self.look_again(lock, until).await?;
        let epoch = self.transcript.epoch();
        match self.transcript.owner() {
            None => return Err(SessionError::NoOwner),
            Some(owner) if owner != self.my_id() => return Err(SessionError::NotOwner),
            Some(_) => {}
        }
        let is_new = |row: &&ParticipantRow| {
            row.left_at.is_none()
                && !plan.shown.contains(&row.participant_id)
                && !self.is_out(&row.participant_id)
        };
        let new: Vec<ParticipantId> = rows.iter().filter(is_new).map(|row| row.participant_id).collect();
        if epoch != plan.epoch || !new.is_empty() {
            return Err(SessionError::ListChanged(new));
        }
        let pending = self.make_rekey(epoch, plan)?;
        lock.pending.rekey = Some(pending);
        self.put_into(lock)?;
        lock.save()?;
        self.send_rekey(lock, machine, until).await
    }

    /// The transcript up to now and everybody's profiles, without letting go of the lock.
    async fn look_again(
        &mut self,
        lock: &mut SeatLock,
        until: Deadline,
    ) -> Result<Vec<ParticipantRow>, SessionError> {
        for _ in 0..ROUNDS {
            let read = match self.fetch(until).await {
                Ok(()) => self.learn_participants(1, until).await,
                Err(error) => Err(error),
            };
            match read {
                Err(error) if is_token_over(&error) => self.come_back(lock, until).await?,
                result => return result,
            }
        }
        Err(SessionError::ListChanged(Vec::new()))
    }

    fn make_rekey(&self, epoch: u32, plan: &RekeyPlan<'_>) -> Result<PendingRekey, SessionError> {
        let old = self
            .keys
            .get(epoch)
            .filter(|keys| keys.kind() == LinkKind::Full)
            .ok_or(SessionError::Impossible("an owner without the full secret"))?;
        let mut kept = vec![Kept::new(self.me.public(), EntryCapability::Full)?];
        for (who, capability) in plan.keep.iter().filter(|(who, _)| who != self.my_id()) {
            let given = match (self.keepable(who), capability) {
                (Keepable::Full, given) => *given,
                (Keepable::View, _) => EntryCapability::View,
                (Keepable::Out | Keepable::NoProfile, _) => return Err(SessionError::CantBeKept(*who)),
            };
            let known = self.roster.get(who).ok_or(SessionError::CantBeKept(*who))?;
            kept.push(Kept::new(known.keys.clone(), given)?);
        }
        let history = if plan.history {
            History::Open(Nonce::random()?)
        } else {
            History::Closed
        };
        let new = rekey::by_owner(old, &self.me, FullSecret::random()?, kept, history)?;
        let secret = new
            .keys
            .full_secret()
            .ok_or(SessionError::Impossible("an epoch of one's own without a secret"))?;
        Ok(PendingRekey {
            epoch: new.keys.epoch(),
            secret: Secret32::new(*secret.expose()),
            record: Blob(new.record),
        })
    }

    /// In force: what went wrong after it, if anything did. Else it is forgotten.
    async fn finish_locked(
        &mut self,
        lock: &mut SeatLock,
        pending: &PendingRekey,
        until: Deadline,
    ) -> Result<Option<Option<SessionError>>, SessionError> {
        match self.follow(lock, until).await {
            Err(SessionError::Plane(error)) => return Err(SessionError::RekeyOpen(error)),
            result => result?,
        }
        if lock.epoch_records.get(&pending.epoch) == Some(&pending.record) {
            return Ok(Some(self.come_back(lock, until).await.err()));
        }
        tracing::info!(session = %self.id(), epoch = pending.epoch, "an earlier re-key is not in force");
        lock.pending.rekey = None;
        lock.save()?;
        Ok(None)
    }

    /// Sends the pending record, and finds out what is in force where the answer does not say it.
    async fn send_rekey(
        &mut self,
        lock: &mut SeatLock,
        machine: &MachineToken,
        until: Deadline,
    ) -> Result<(u32, Option<SessionError>), SessionError> {
        let Some(pending) = lock.pending.rekey.clone() else {
            return Err(SessionError::Impossible("no re-key to send"));
        };
        let request = Rekey {
            epoch_record: pending.record.clone(),
            rejoin_secret: Some(self.me.rejoin_secret()),
        };
        tracing::info!(session = %self.id(), epoch = pending.epoch, "a re-key is sent");
        let sent = self
            .plane
            .rekey(machine, self.me.session_id(), &request, until)
            .await;
        match sent {
            Ok(answer) if answer.epoch == pending.epoch => match self.take_own_epoch(lock, &pending) {
                Ok(()) => {}
                // It is in force whatever becomes of this machine's file, where the next call finds it again.
                Err(error @ (SessionError::Seat(_) | SessionError::Home(_))) => {
                    return Ok((pending.epoch, Some(error)));
                }
                Err(error) => return Err(error),
            },
            Ok(_) => {
                return Err(SessionError::RekeyOpen(PlaneError::BadAnswer {
                    origin: self.plane.origin().clone(),
                }));
            }
            Err(unsettled) => self.resolve_rekey(lock, &pending, unsettled, until).await?,
        }
        let late = self.come_back(lock, until).await.err();
        Ok((pending.epoch, late))
    }

    /// No answer, or the plane refused these bytes now and an earlier answer was lost: the epoch records say which it is.
    async fn resolve_rekey(
        &mut self,
        lock: &mut SeatLock,
        pending: &PendingRekey,
        unsettled: Unsettled,
        until: Deadline,
    ) -> Result<(), SessionError> {
        let Unsettled { error, is_open } = unsettled;
        let Some(refusal) = error.code() else {
            return Err(match error {
                PlaneError::ForeignToken { .. } => error.into(),
                error => SessionError::RekeyOpen(error),
            });
        };
        match self.follow(lock, until).await {
            Ok(()) | Err(SessionError::AdminRekeyed | SessionError::Removed) => {}
            Err(SessionError::Plane(error)) => return Err(SessionError::RekeyOpen(error)),
            Err(error) => return Err(error),
        }
        if lock.epoch_records.get(&pending.epoch) == Some(&pending.record) {
            return Ok(());
        }
        if refusal == Code::EpochMoved {
            lock.pending.rekey = None;
            lock.save()?;
            return Err(SessionError::ListChanged(Vec::new()));
        }
        if is_open {
            // An earlier attempt may still be on its way.
            return Err(SessionError::RekeyOpen(error));
        }
        lock.pending.rekey = None;
        lock.save()?;
        Err(error.into())
    }

    /// The record is in force: S' takes the place of S.
    fn take_own_epoch(&mut self, lock: &mut SeatLock, pending: &PendingRekey) -> Result<(), SessionError> {
        tracing::info!(session = %self.id(), epoch = pending.epoch, "the re-key is in force");
        let record = EpochRecord::parse(pending.record.as_slice()).map_err(seal::Error::from)?;
        let keys = own_keys(&record, pending)?;
        self.take_epoch(lock, keys, pending.record.clone())
    }

    /// Before a record of the plane's is followed: whether it is the pending one, whose secret this seat drew itself.
    /// Another one in its place makes the pending one void.
    pub(super) fn own_rekey(
        &self,
        kept: &mut SeatState,
        record: &EpochRecord,
        bytes: &Blob,
    ) -> Result<Option<seal::keys::EpochKeys>, SessionError> {
        let Some(pending) = kept
            .pending
            .rekey
            .clone()
            .filter(|pending| pending.epoch == record.epoch)
        else {
            return Ok(None);
        };
        if pending.record == *bytes {
            return own_keys(record, &pending).map(Some);
        }
        kept.pending.rekey = None;
        Ok(None)
    }

    /// What follows a re-key in force. Nothing of it undoes the re-key, so a failure is told and not thrown.
    async fn settle_rekey(&mut self, epoch: u32, late: Option<SessionError>, until: Deadline) -> RekeyDone {
        self.present = None;
        let late = match late {
            Some(late) => Some(late),
            None => self.sync(until).await.err(),
        };
        RekeyDone { epoch, late }
    }
}

fn own_keys(record: &EpochRecord, pending: &PendingRekey) -> Result<seal::keys::EpochKeys, SessionError> {
    let secret = LinkSecret::from_bytes(LinkKind::Full, *pending.secret.expose());
    Ok(seal::keys::EpochKeys::check(record, secret)?)
}
