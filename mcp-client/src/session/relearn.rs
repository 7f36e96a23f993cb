//! After a loss on this machine: own messages that were sent and forgotten are taken back from the plane, once.
//!
//! They must open as signed by this seat's own key, which no plane has. While nothing was lost, a message that was not
//! sent from here stays `own_record_mismatch`.

use seal::Error;
use wire::api::Record;
use wire::transcript::RecordClass;

use super::Session;
use super::error::SessionError;
use super::keep::LOCK;
use super::view::{Entry, View, What};
use crate::plane::Deadline;
use crate::seat::SeatState;

/// How far taking back has come.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Relearning {
    /// A person's `join` has everything checked anew.
    asked: bool,
    /// Everything the plane had was read after the loss, and the seat does not know yet.
    done: bool,
    /// Own messages taken back by this process.
    taken: u64,
    /// A loss was found by this process and not told yet.
    untold: bool,
}

impl Relearning {
    pub(super) const fn is_done(self) -> bool {
        self.done
    }

    /// The seat knows; a later loss is another one.
    pub(super) fn begin_anew(&mut self) {
        self.done = false;
    }
}

impl Session {
    pub(super) fn is_relearning(&self, kept: &SeatState) -> bool {
        self.relearning.asked || (kept.progress_lost && !self.relearning.done)
    }

    /// Whether a record is an own message of which nothing is known here. One that waits for its answer is known.
    pub(super) fn is_forgotten(&self, record: &Record) -> bool {
        record.class == RecordClass::Message
            && record.sender == Some(*self.my_id())
            && record
                .item_id
                .is_some_and(|id| !self.transcript.unsettled().any(|sent| *sent == id))
    }

    /// A message taken back must have opened, where the keys of its epoch are held.
    pub(super) fn took_back(&mut self, entry: &Entry) -> Result<(), Error> {
        if let What::Message(posted) = &entry.what
            && posted
                .content
                .as_ref()
                .is_err_and(|error| *error != super::view::NO_KEY)
        {
            return Err(Error::OwnRecordMismatch);
        }
        self.relearning.taken += 1;
        Ok(())
    }

    /// The end of what the plane has: nothing is taken back after it.
    pub(super) fn all_was_read(&mut self) -> Result<(), SessionError> {
        if self.seat.read()?.progress_lost && !self.relearning.done {
            self.relearning.done = true;
            self.relearning.untold = true;
        }
        Ok(())
    }

    /// What to tell of a loss on this machine, once.
    pub fn take_loss(&mut self) -> Option<String> {
        std::mem::take(&mut self.relearning.untold).then(|| {
            format!(
                "What this machine had noted of its own progress was damaged or lost, by no fault of the plane. Everything \
                 was read again; own messages taken back from the session: {}.",
                std::mem::take(&mut self.relearning.taken)
            )
        })
    }

    /// Checks everything anew from the plane, after an alarm that a fault of this machine can have raised. Drops the
    /// alarm if all of it holds, up to the stored head and on; otherwise it stays, or what is found now takes its place.
    ///
    /// # Errors
    /// [`SessionError::Failed`] where it does not hold; what the plane or the way to it gives.
    pub async fn check_anew(&mut self, until: Deadline) -> Result<(), SessionError> {
        self.refresh()?;
        let kept = self.seat.read()?;
        let mendable = |name: &str| {
            matches!(
                Error::from_name(name),
                Some(Error::OwnRecordMismatch | Error::Fork | Error::HeadAhead | Error::HeadRegressed)
            )
        };
        let Some(before) = self
            .alarm
            .clone()
            .filter(|alarm| !alarm.acknowledged && mendable(&alarm.error))
        else {
            return Ok(());
        };
        self.learn_from_seat(&kept)?;
        self.restart(&kept)?;
        self.alarm = None;
        self.relearning.asked = true;
        let result = self.fetch(until).await;
        self.relearning.asked = false;
        let mended = result.is_ok() && self.alarm.is_none() && self.is_caught_up()?;
        if !mended {
            if self.alarm.is_none() {
                self.alarm = Some(before);
            }
            if result.is_err() {
                self.view = View::default();
            }
            self.store().await?;
            return result;
        }
        let mut lock = self.seat.clone().lock(LOCK).await?;
        lock.alarm = None;
        self.put_into(&mut lock)?;
        lock.save()?;
        self.relearning.begin_anew();
        self.relearning.untold = true;
        Ok(())
    }
}
