//! Between this process's view and the seat's file, which other processes change as well.

use std::time::Duration;

use seal::roster::KnownState;
use seal::secret::LinkKind;
use wire::encoding::Bytes32;
use wire::event::Capability;
use wire::ids::ProposalId;

use super::error::SessionError;
use super::{Session, auto, integrity};
use crate::seat::{Begun, Ended, EpochSecret, Head, LastUsed, SeatState};

/// Uses closer together than this are not noted each, which would cost every call a write.
const USE_NOTED_MS: i64 = 60_000;
/// How long another process's step may hold up ours.
pub(super) const LOCK: Duration = Duration::from_secs(10);

impl Session {
    /// Writes what this process found into the seat's file, if there is anything new.
    pub(super) async fn store(&mut self) -> Result<(), SessionError> {
        let kept = self.seat.read()?;
        let mut wanted = SeatState::clone(&kept);
        self.put_into(&mut wanted)?;
        if !same(&wanted, &kept) {
            let mut lock = self.seat.lock(LOCK).await?;
            self.put_into(&mut lock)?;
            self.alarm.clone_from(&lock.alarm);
            // A head alone need not wait for the disk: what it covers comes again, whoever is told of it moves the cursor
            // next, and a message that carries it waits for the disk before it is sent.
            lock.save_unsynced()?;
            self.relearning.begin_anew();
        }
        self.time_run()
    }

    /// What this process knows, joined with what the file says. The file's head may be ahead: another process has
    /// read on. One that is not ahead must be on our chain.
    pub(super) fn put_into(&self, kept: &mut SeatState) -> Result<(), SessionError> {
        let head = self.transcript.head();
        if head.seq > 0 && kept.head.is_none_or(|old| old.seq < head.seq) {
            kept.head = Some(Head {
                seq: head.seq,
                hash: Bytes32(head.hash),
            });
        }
        if let Some(checkpoint) = &self.started_at {
            kept.checkpoint = Some(checkpoint.clone());
        }
        if self.relearning.is_done() {
            kept.progress_lost = false;
        }
        integrity::merge(&mut kept.alarm, self.alarm.as_ref());
        self.settle_post(kept);
        auto::follow(&mut kept.consents, &self.auto_facts());
        for keys in self.keys.iter() {
            let secret = keys
                .link_secret(keys.kind())
                .ok_or(SessionError::Impossible("keys without a secret"))?;
            kept.secrets.insert(keys.epoch(), EpochSecret::from(&secret));
        }
        let people = self.roster.to_state();
        if people.len() >= kept.people.len() {
            kept.people = people;
        }
        if self.transcript.epoch() > 0 {
            let record = self.transcript.state().epoch_record.clone();
            kept.epoch_records.insert(self.transcript.epoch(), record);
            kept.owner = self.transcript.owner().copied();
        }
        if let Some(end) = self.plane_state().and_then(|state| state.ended) {
            self.end_here(kept, end.into())?;
        }
        if let Some(state) = self.plane_state() {
            kept.expires_at = Some(state.expires_at);
            if let Some(capability) = state.capability {
                kept.capability = capability;
            }
        }
        if let Some(title) = self.title() {
            kept.title = Some(title);
        }
        Ok(())
    }

    /// Notes with the seat that the session is over for it, and removes its handoff files: their links are dead.
    pub(super) async fn mark_over(&mut self, ended: Ended) -> Result<(), SessionError> {
        let mut lock = self.seat.lock(LOCK).await?;
        if lock.ended.is_none() {
            self.end_here(&mut lock, ended)?;
            lock.save()?;
        }
        Ok(())
    }

    /// As [`Session::mark_over`], under a lock that is held already.
    pub(super) fn end_here(&self, kept: &mut SeatState, ended: Ended) -> Result<(), SessionError> {
        kept.ended.get_or_insert(ended);
        crate::note::handoff::remove(self.seat.home(), &kept.handoffs)?;
        kept.handoffs.clear();
        Ok(())
    }

    /// That it is over now, by this machine's clock.
    pub(super) fn ended_now(&self, cause: &str) -> Ended {
        Ended {
            at: self.clock.now(),
            cause: cause.to_owned(),
        }
    }

    /// Changes the seat's file in one step.
    ///
    /// # Errors
    /// The file can't be written.
    pub async fn change(&self, step: impl FnOnce(&mut SeatState)) -> Result<(), SessionError> {
        self.seat
            .with_lock(LOCK, |state| {
                step(state);
                Ok::<_, SessionError>(())
            })
            .await
    }

    /// The reader has been shown everything up to a seq, and of the message `begun` a first part. It never goes back.
    ///
    /// # Errors
    /// The file can't be written.
    pub async fn move_cursor(&self, to: u64, begun: Option<Begun>) -> Result<(), SessionError> {
        let shown = (to, begun);
        let is_further = |state: &SeatState| shown > (state.cursor, state.begun);
        if !is_further(&*self.seat.read()?) {
            return Ok(());
        }
        let mut lock = self.seat.lock(LOCK).await?;
        if is_further(&lock) {
            (lock.cursor, lock.begun) = shown;
        }
        Ok(lock.save_soon()?)
    }

    /// A wait for messages addressed to its reader has shown those up to a seq. It never goes back, and nothing counts as read
    /// by it.
    ///
    /// # Errors
    /// The file can't be written.
    pub async fn shown_for_me(&self, to: u64) -> Result<(), SessionError> {
        if self.seat.read()?.shown_for_me >= to {
            return Ok(());
        }
        let mut lock = self.seat.lock(LOCK).await?;
        lock.shown_for_me = lock.shown_for_me.max(to);
        Ok(lock.save_soon()?)
    }

    /// Waits until what was noted of a run of reads and posts is durable.
    ///
    /// # Errors
    /// The file can't be synced.
    pub fn flush(&self) -> Result<(), SessionError> {
        Ok(self.seat.flush()?)
    }

    /// Its reader was told of a proposal.
    ///
    /// # Errors
    /// The file can't be written.
    pub async fn proposal_told(&self, proposal: ProposalId) -> Result<(), SessionError> {
        if self.seat.read()?.told_proposal == Some(proposal) {
            return Ok(());
        }
        self.change(|state| state.told_proposal = Some(proposal)).await
    }

    /// Notes when and where the seat is used, if that is news.
    ///
    /// # Errors
    /// The file can't be written.
    pub async fn note_use(&self, used: LastUsed) -> Result<(), SessionError> {
        let kept = self.seat.read()?;
        let age = used.at.millis().saturating_sub(kept.last_used.at.millis());
        if kept.last_used.place == used.place && (0..USE_NOTED_MS).contains(&age) {
            return Ok(());
        }
        self.change(|state| state.last_used = used).await
    }

    /// A person goes on although a sender saw another history; for this one sign of it alone.
    ///
    /// # Errors
    /// The file can't be written.
    pub async fn acknowledge(&mut self, seq: u64) -> Result<(), SessionError> {
        if let Some(alarm) = self.alarm.as_mut().filter(|alarm| alarm.seq == seq) {
            alarm.acknowledged = true;
        }
        self.store().await
    }

    /// Takes over what another process of this seat has written: keys of a new epoch, alarms, and a longer history.
    pub(super) fn refresh(&mut self) -> Result<(), SessionError> {
        let kept = self.seat.read()?;
        if !kept.progress_lost {
            self.relearning.begin_anew();
        }
        self.alarm.clone_from(&{
            let mut alarm = kept.alarm.clone();
            integrity::merge(&mut alarm, self.alarm.as_ref());
            alarm
        });
        let newest = self.keys.newest().map_or(0, seal::keys::EpochKeys::epoch);
        if kept.secrets.keys().any(|epoch| *epoch > newest) {
            super::load::add_keys(&mut self.keys, &kept)?;
        }
        Ok(())
    }
}

/// What a capability says in a link's words.
pub(super) const fn capability_of(kind: LinkKind) -> Capability {
    match kind {
        LinkKind::Full => Capability::Full,
        LinkKind::View => Capability::View,
    }
}

/// Whether two states would be the same file, in all that [`Session::put_into`] changes.
fn same(a: &SeatState, b: &SeatState) -> bool {
    a.head == b.head
        && a.progress_lost == b.progress_lost
        && a.alarm == b.alarm
        && a.consents == b.consents
        && a.secrets == b.secrets
        && a.epoch_records == b.epoch_records
        && a.owner == b.owner
        && a.checkpoint == b.checkpoint
        && a.expires_at == b.expires_at
        && a.ended == b.ended
        && a.capability == b.capability
        && a.title == b.title
        && a.people.len() == b.people.len()
        && a.people
            .iter()
            .zip(&b.people)
            .all(|(one, other)| same_person(one, other))
}

/// Keys are not compared: the id commits to them.
fn same_person(one: &KnownState, other: &KnownState) -> bool {
    one.participant_id == other.participant_id
        && one.epoch == other.epoch
        && one.may_write == other.may_write
        && one.name == other.name
        && one.members == other.members
}
