//! The lock of a seat: one append, cursor move or re-key at a time, whichever process makes it.
//!
//! The state is read again under the lock, unless the files are still the very ones that this process read or wrote
//! last. The system drops the lock when its holder dies, however it dies.

use std::fmt;
use std::fs::{File, TryLockError};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

use super::error::SeatError;
use super::progress;
use super::state::SeatState;
use super::store::{Inner, Seat};
use crate::home::{HomeError, checked, files};

/// Between two looks at a lock that another process holds.
const POLL: Duration = Duration::from_millis(5);

/// How long a position may be without a wait for the disk of its own. Whoever reads one answer after the other costs the disk
/// one wait in this time, and whoever reads once is not shown it again whatever happens.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// A state together with the files it is on disk.
pub(super) struct Remembered {
    /// The seat's file. Kept open: its number is then not given to another, and the same number means that nobody
    /// replaced it.
    _file: File,
    /// That number.
    number: FileNumber,
    /// The length of the progress file, which is only ever appended to while the seat's file stays.
    progress: u64,
    state: Arc<SeatState>,
    /// When this process last waited for the disk with it.
    synced: Option<Instant>,
    /// Whether something was written since.
    ahead: bool,
}

/// What a file is told from every other one by, as long as it is there.
#[cfg(unix)]
type FileNumber = (u64, u64);
#[cfg(not(unix))]
type FileNumber = ();

#[cfg(unix)]
fn number_of(metadata: &std::fs::Metadata) -> FileNumber {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn number_of(_metadata: &std::fs::Metadata) -> FileNumber {}

/// How a step reaches the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Before anything goes on, and in little time: what follows waits for it.
    Now,
    /// With the next step that is, or when the system writes it.
    Later,
    /// After an answer: as [`Reach::Now`], unless this process waited for the disk a moment ago: then as [`Reach::Later`].
    Soon,
}

impl Remembered {
    pub(super) fn new(
        file: File,
        path: &Path,
        progress: u64,
        state: Arc<SeatState>,
    ) -> Result<Self, SeatError> {
        let metadata = file.metadata().map_err(|source| HomeError::io(path, source))?;
        Ok(Self {
            number: number_of(&metadata),
            _file: file,
            progress,
            state,
            synced: None,
            ahead: false,
        })
    }

    pub(super) fn state(&self) -> Arc<SeatState> {
        self.state.clone()
    }

    /// That a step was written.
    fn noted(&mut self, durable: bool) {
        self.ahead = !durable;
        if durable {
            self.synced = Some(Instant::now());
        }
    }

    /// Whether the files are still these.
    #[cfg(unix)]
    fn is_current(&self, seat: &Inner) -> bool {
        let there = std::fs::metadata(&seat.file);
        there.is_ok_and(|there| number_of(&there) == self.number)
            && self.progress == progress::length(&seat.progress)
    }

    /// Without file numbers nothing is remembered: the files are read each time.
    #[cfg(not(unix))]
    fn is_current(&self, _seat: &Inner) -> bool {
        false
    }

    /// Whether a loss of power would leave an older state than this.
    #[cfg(test)]
    pub(super) fn is_ahead(&self) -> bool {
        self.ahead
    }
}

impl Reach {
    /// The length at which the progress file is folded into the seat's own, which waits for the disk three times: rather with a
    /// step after an answer than with one before it, and least of all before a message is sent.
    const fn longest(self) -> u64 {
        match self {
            Self::Soon => progress::FOLD_AT / 4 * 3,
            Self::Later => progress::FOLD_AT,
            Self::Now => progress::FOLD_AT * 2,
        }
    }
}

impl Inner {
    pub(super) fn remembered(&self) -> Option<Arc<SeatState>> {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        // Who holds the lock has looked, and nobody else writes meanwhile.
        if !self.locked.load(Ordering::Acquire) {
            remembered.take_if(|known| !known.is_current(self));
        }
        remembered.as_ref().map(Remembered::state)
    }

    pub(super) fn remember(&self, what: Option<Remembered>) {
        *self.remembered.lock().unwrap_or_else(PoisonError::into_inner) = what;
    }

    /// Appends to the progress file what changed, if nothing else did. Called under the lock.
    fn step(&self, state: &SeatState, reach: Reach) -> Result<bool, SeatError> {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        let known = remembered
            .as_mut()
            .filter(|known| known.is_current(self) && known.progress < reach.longest());
        let Some(known) = known else {
            return Ok(false);
        };
        let Some(next) = progress::moved(&known.state, state) else {
            return Ok(false);
        };
        let durable = match reach {
            Reach::Now => true,
            Reach::Later => false,
            Reach::Soon => known.synced.is_none_or(|at| at.elapsed() >= SYNC_EVERY),
        };
        known.progress = progress::append(&self.progress, state, durable)?;
        known.state = Arc::new(next);
        known.noted(durable);
        Ok(true)
    }

    /// Replaces the seat's file. Called under the lock.
    fn replace(&self, state: &mut SeatState) -> Result<(), SeatError> {
        state.revision = state.revision.wrapping_add(1);
        state.progress_kept = true;
        let bytes = checked::to_json(&self.file, state)?;
        let file = files::replace(&self.file, &bytes).map_err(|source| HomeError::io(&self.file, source))?;
        let length = progress::begin(&self.progress, state)?;
        let mut replaced = Remembered::new(file, &self.file, length, Arc::new(state.clone()))?;
        replaced.noted(true);
        self.remember(Some(replaced));
        Ok(())
    }
}

/// The right to change a seat, and its state. Dropped without a save, changes are forgotten.
///
/// It may be held while a request and what is asked before it are under way, and for nothing longer.
pub struct SeatLock {
    seat: Arc<Inner>,
    state: SeatState,
    // Dropped in this order: other processes first, then this process's next task.
    _file: File,
    _turn: OwnedMutexGuard<()>,
}

impl Seat {
    /// Takes the lock and reads the state again. Waits at most `within` for another process.
    ///
    /// # Errors
    /// [`SeatError::Busy`]; [`SeatError::Missing`]; a file can't be read, or was damaged and has been set aside.
    pub async fn lock(&self, within: Duration) -> Result<SeatLock, SeatError> {
        let deadline = Instant::now() + within;
        let turn = tokio::time::timeout_at(deadline, self.inner.turn.clone().lock_owned())
            .await
            .map_err(|_| SeatError::Busy)?;
        // Before the lock's file is made: a seat that was removed must not come back as one.
        self.read()?;
        let path = self.inner.file.with_extension("lock");
        let file = files::open_private(&path)?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => tokio::time::sleep(POLL).await,
                Err(TryLockError::WouldBlock) => return Err(SeatError::Busy),
                Err(TryLockError::Error(source)) => return Err(HomeError::io(&path, source).into()),
            }
        }
        let state = self.read()?;
        self.inner.locked.store(true, Ordering::Release);
        Ok(SeatLock {
            state: SeatState::clone(&state),
            seat: self.inner.clone(),
            _file: file,
            _turn: turn,
        })
    }

    /// Waits until everything that this process wrote of the seat is durable; does nothing where it is.
    ///
    /// # Errors
    /// The file can't be synced.
    pub fn flush(&self) -> Result<(), SeatError> {
        let mut remembered = self
            .inner
            .remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = remembered.as_mut().filter(|known| known.ahead) {
            progress::sync(&self.inner.progress)?;
            known.noted(true);
        }
        Ok(())
    }

    /// Takes the lock, lets `step` change the state, and saves it. An error of the step changes nothing.
    ///
    /// # Errors
    /// As [`Seat::lock`] and [`SeatLock::save`], or the step's own.
    pub async fn with_lock<T, E: From<SeatError>>(
        &self,
        within: Duration,
        step: impl FnOnce(&mut SeatState) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut lock = self.lock(within).await?;
        let value = step(&mut lock)?;
        lock.save()?;
        Ok(value)
    }
}

impl SeatLock {
    /// Writes the state and waits until it is durable. The lock stays.
    ///
    /// # Errors
    /// It can't be written; what was saved before still is.
    pub fn save(&mut self) -> Result<(), SeatError> {
        self.save_as(Reach::Now)
    }

    /// As [`SeatLock::save`], but where only cursor, head, what is pending and the expiry changed, without waiting for the
    /// disk: the end of this process can't undo it, a loss of power can, until the next step that waits.
    ///
    /// Only for what comes again by itself and nobody was told of yet: the answer to a post, which is then sent once more and
    /// answered the same; records that were accepted and are read again.
    ///
    /// # Errors
    /// As [`SeatLock::save`].
    pub fn save_unsynced(&mut self) -> Result<(), SeatError> {
        self.save_as(Reach::Later)
    }

    /// As [`SeatLock::save`], but where only the same changed, and this process waited for the disk within the last second, as
    /// [`SeatLock::save_unsynced`]. [`Seat::flush`] waits for what is left.
    ///
    /// Only for how far a reader is: after a loss of power it may be shown the last second of a run of answers again.
    ///
    /// # Errors
    /// As [`SeatLock::save`].
    pub fn save_soon(&mut self) -> Result<(), SeatError> {
        self.save_as(Reach::Soon)
    }

    fn save_as(&mut self, reach: Reach) -> Result<(), SeatError> {
        if self.seat.step(&self.state, reach)? {
            return Ok(());
        }
        self.seat.replace(&mut self.state)
    }
}

impl Drop for SeatLock {
    fn drop(&mut self) {
        // Before the file's lock goes: from then on others may write.
        self.seat.locked.store(false, Ordering::Release);
    }
}

impl Deref for SeatLock {
    type Target = SeatState;

    fn deref(&self) -> &SeatState {
        &self.state
    }
}

impl DerefMut for SeatLock {
    fn deref_mut(&mut self) -> &mut SeatState {
        &mut self.state
    }
}

impl fmt::Debug for SeatLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SeatLock({})", self.seat.participant)
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seat({})", self.inner.participant)
    }
}
