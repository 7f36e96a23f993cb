//! Coming back: after a re-key by the epoch records, after a lost token with the rejoin secret
//! (`crypto.md` sections 6.1, 10.2 and 10.4).

use seal::Error;
use seal::keys::EpochKeys;
use seal::rekey::{self, Owner};
use seal::succession;
use wire::api::{Join, Joined, JoiningParticipant, Rejoin};
use wire::encoding::Blob;
use wire::epoch_record::{EpochRecord, EpochType};
use wire::ids::ParticipantId;
use wire::problem::Code;

use super::Session;
use super::error::SessionError;
use super::keep::capability_of;
use crate::home::SecretText;
use crate::plane::{Deadline, Entry};
use crate::seat::choose::REMOVED;
use crate::seat::{Ended, EpochSecret, PendingEntry, SeatLock, SeatState, SessionToken};

/// Re-keys that may come in between while this seat comes back.
const ROUNDS: u32 = 4;

impl Session {
    /// Follows the epoch records as far as they keep this participant, then returns for a fresh token.
    pub(super) async fn come_back(
        &mut self,
        lock: &mut SeatLock,
        until: Deadline,
    ) -> Result<(), SessionError> {
        // Whoever left comes back by a link alone (`return_with`), also where another process of this seat left just now.
        if lock.ended.as_ref().is_some_and(Ended::by_leaving) {
            return Err(SessionError::Left);
        }
        for _ in 0..ROUNDS {
            self.follow(lock, until).await?;
            match self.return_now(lock, until).await {
                // Re-keyed once more between the two requests.
                Err(SessionError::Plane(error)) if error.code() == Some(Code::Rekeyed) => {}
                result => return result,
            }
        }
        Err(SessionError::AdminRekeyed)
    }

    /// Opens each owner re-key after the newest epoch held. Stops at an administrator's, whose secret comes from a
    /// person alone.
    pub(super) async fn follow(&mut self, lock: &mut SeatLock, until: Deadline) -> Result<(), SessionError> {
        let known = self.keys.newest().map_or(0, EpochKeys::epoch);
        let rejoin = Rejoin {
            participant_id: *self.my_id(),
            rejoin_secret: self.me.rejoin_secret(),
            after_epoch: known,
        };
        let answer = self.plane.rejoin(self.me.session_id(), &rejoin, until).await?;
        for bytes in answer.epoch_records {
            self.follow_one(lock, bytes)?;
        }
        Ok(())
    }

    fn follow_one(&mut self, lock: &mut SeatLock, bytes: Blob) -> Result<(), SessionError> {
        let record = EpochRecord::parse(bytes.as_slice()).map_err(|error| self.fail(error.into()))?;
        if record.session_id != *self.id() {
            return Err(self.fail(Error::EpochRecordMalformed));
        }
        if let Some(keys) = self.own_rekey(lock, &record, &bytes)? {
            return self.take_epoch(lock, keys, bytes);
        }
        if record.epoch_type == EpochType::AdminRekey {
            self.drop_old_links(lock)?;
            lock.save()?;
            return Err(SessionError::AdminRekeyed);
        }
        let Some(old) = self.keys.newest() else {
            return Err(SessionError::Impossible("a seat without keys"));
        };
        let owner_id = lock.owner;
        let owner = Owner {
            id: owner_id.as_ref(),
            keys: owner_id
                .and_then(|id| self.roster.get(&id))
                .map(|known| &known.keys),
        };
        let keys = match rekey::open(&record, old, owner, &self.me) {
            Ok(keys) => keys,
            Err(Error::RekeyRemoved) => {
                self.end_here(lock, self.ended_now(REMOVED))?;
                lock.save()?;
                return Err(SessionError::Removed);
            }
            Err(error) => return Err(self.fail(error)),
        };
        self.take_epoch(lock, keys, bytes)
    }

    /// Goes over to an epoch whose keys have passed their check: its secret is on disk, the old S no longer, and notes
    /// with the old link are gone.
    pub(super) fn take_epoch(
        &mut self,
        lock: &mut SeatLock,
        keys: EpochKeys,
        record: Blob,
    ) -> Result<(), SessionError> {
        let epoch = keys.epoch();
        let secret = keys
            .link_secret(keys.kind())
            .ok_or(SessionError::Impossible("keys without a secret"))?;
        lock.secrets.insert(epoch, EpochSecret::from(&secret));
        lock.epoch_records.insert(epoch, record);
        self.keys.insert(keys);
        self.demote_old_secrets(lock);
        self.drop_old_links(lock)?;
        if lock
            .pending
            .rekey
            .as_ref()
            .is_some_and(|pending| pending.epoch <= epoch)
        {
            lock.pending.rekey = None;
        }
        lock.save()?;
        Ok(())
    }

    /// Removes the handoff files: the link in them is dead.
    fn drop_old_links(&self, kept: &mut SeatState) -> Result<(), SessionError> {
        crate::note::handoff::remove(self.seat.home(), &kept.handoffs)?;
        kept.handoffs.clear();
        Ok(())
    }

    /// After a re-key the old S is deleted, the old R kept (`crypto.md` section 15).
    fn demote_old_secrets(&self, kept: &mut SeatState) {
        for keys in self.keys.iter() {
            if let Some(secret) = keys.link_secret(keys.kind()) {
                kept.secrets.insert(keys.epoch(), EpochSecret::from(&secret));
            }
        }
    }

    /// Returns under the newest epoch held. The profile's bytes are on disk first, so that a repeat sends the same.
    async fn return_now(&mut self, lock: &mut SeatLock, until: Deadline) -> Result<(), SessionError> {
        let keys = self
            .keys
            .newest()
            .ok_or(SessionError::Impossible("a seat without keys"))?;
        let epoch = keys.epoch();
        let secret = keys
            .link_secret(keys.kind())
            .ok_or(SessionError::Impossible("keys without a secret"))?;
        if !lock.profiles.contains_key(&epoch) {
            let profile = self.make_profile(lock, keys)?;
            lock.profiles.insert(epoch, Blob(profile));
        }
        lock.pending.entry = Some(PendingEntry::Return { epoch });
        lock.save()?;
        let join = Join {
            proof: seal::keys::proof(self.id(), epoch, &secret),
            epoch,
            participant: JoiningParticipant {
                participant_id: *self.my_id(),
                kind: lock.kind,
                rejoin_verifier: None,
                rejoin_secret: Some(self.me.rejoin_secret()),
                sealed_profile: lock.profiles.get(&epoch).cloned().unwrap_or_default(),
            },
        };
        match self.plane.join(self.me.session_id(), &join, until).await? {
            Entry::Joined(joined) => self.admitted(lock, *joined, epoch),
            Entry::Knocking(knocking) => Err(SessionError::Knocking {
                me: lock.participant,
                retry_after_s: knocking.retry_after_s,
            }),
        }
    }

    fn make_profile(&self, kept: &SeatState, keys: &EpochKeys) -> Result<Vec<u8>, SessionError> {
        let nonce = seal::random::Nonce::random()?;
        let more = super::enter::profile_members(kept.host.as_deref());
        Ok(seal::profile::seal(keys, &self.me, &kept.name, more, nonce)?)
    }

    /// Takes over the answer to a join or return. Nothing of it is used before its records are the ones this seat knows
    /// already, each owner follows from the one before, and the record of the epoch has passed the check of `crypto.md`
    /// section 5 together with the secret.
    pub(super) fn admitted(
        &mut self,
        lock: &mut SeatLock,
        joined: Joined,
        epoch: u32,
    ) -> Result<(), SessionError> {
        let checked = self.check_entry(lock, &joined, epoch);
        let entered = checked.map_err(|error| self.fail(error))?;
        if let Some(keys) = entered.keys {
            self.keys.insert(keys);
        }
        seal::history::open_all(&mut self.keys, &entered.records).map_err(|error| self.fail(error))?;
        lock.owner = entered.owner;
        for (record, bytes) in entered.records.iter().zip(joined.epoch_records) {
            lock.epoch_records.insert(record.epoch, bytes);
        }
        self.demote_old_secrets(lock);
        if lock.token.as_ref().is_some_and(|token| token.epoch < epoch) {
            self.drop_old_links(lock)?;
        }
        lock.token = Some(SessionToken {
            text: SecretText::new(joined.session_token.0),
            epoch,
        });
        if let Some(keys) = self.keys.get(epoch) {
            lock.capability = capability_of(keys.kind());
        }
        lock.pending.entry = None;
        lock.at_the_door = None;
        if lock
            .pending
            .rekey
            .as_ref()
            .is_some_and(|pending| pending.epoch <= epoch)
        {
            lock.pending.rekey = None;
        }
        lock.ended = None;
        self.hear_state(joined.state);
        self.title = Some(joined.title);
        lock.save()?;
        Ok(())
    }

    fn check_entry(&self, kept: &SeatState, joined: &Joined, epoch: u32) -> Result<Entered, Error> {
        let mut records = Vec::new();
        for bytes in &joined.epoch_records {
            let record = EpochRecord::parse(bytes.as_slice())?;
            if record.session_id != *self.id() {
                return Err(Error::EpochRecordMalformed);
            }
            // Also what no key vouches for, such as who owns the session, is what it was.
            if kept
                .epoch_records
                .get(&record.epoch)
                .is_some_and(|known| known != bytes)
            {
                return Err(Error::Rollback);
            }
            if let Some(keys) = self.keys.get(record.epoch) {
                keys.check_record(&record)?;
            }
            records.push(record);
        }
        let owner = succession::owner_in_force(&records)?;
        let newest = records
            .last()
            .filter(|record| record.epoch == epoch)
            .ok_or(Error::VerifierMismatch)?;
        let keys = match (self.keys.get(epoch), kept.secrets.get(&epoch)) {
            (Some(_), _) => None,
            (None, Some(secret)) => Some(EpochKeys::check(newest, secret.to_link_secret())?),
            (None, None) => return Err(Error::VerifierMismatch),
        };
        Ok(Entered { records, owner, keys })
    }
}

/// What a join's answer says of the session's epochs, checked.
struct Entered {
    records: Vec<EpochRecord>,
    owner: Option<ParticipantId>,
    /// Of the epoch entered, where they were not held before.
    keys: Option<EpochKeys>,
}
