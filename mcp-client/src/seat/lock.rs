//! The lock of a seat: one append, cursor move or re-key at a time, whichever process makes it.
//!
//! The state is read again under the lock, unless the file is still the very one that this process read or wrote
//! last. The system drops the lock when its holder dies, however it dies.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;
use zeroize::Zeroizing;

use super::error::SeatError;
use super::state::SeatState;
use super::store::{Inner, Seat};
use crate::home::{HomeError, files};

/// Between two looks at a lock that another process holds.
const POLL: Duration = Duration::from_millis(5);

/// A state together with the file it is on disk.
///
/// The open file keeps its number from being given to another, so that the same number means: nobody replaced it.
pub(super) struct Remembered {
    file: File,
    state: Arc<SeatState>,
}

/// A file that stays open, and its bytes.
pub(super) type OpenedBytes = (File, Zeroizing<Vec<u8>>);

impl Remembered {
    pub(super) fn new(file: File, state: Arc<SeatState>) -> Self {
        Self { file, state }
    }

    pub(super) fn read(path: &Path) -> Result<Option<OpenedBytes>, HomeError> {
        let error = |source| HomeError::io(path, source);
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(other) => return Err(error(other)),
        };
        let length = file.metadata().map_err(error)?.len();
        let capacity = usize::try_from(length).unwrap_or(0).saturating_add(1);
        let mut bytes = Zeroizing::new(Vec::with_capacity(capacity));
        file.read_to_end(&mut bytes).map_err(error)?;
        Ok(Some((file, bytes)))
    }

    /// Whether `path` is still this file.
    #[cfg(unix)]
    fn is_current(&self, path: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        match (self.file.metadata(), std::fs::metadata(path)) {
            (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
            _ => false,
        }
    }

    /// Without file numbers nothing is remembered: the file is read each time.
    #[cfg(not(unix))]
    fn is_current(&self, _path: &Path) -> bool {
        false
    }
}

impl Inner {
    pub(super) fn remembered(&self) -> Option<Arc<SeatState>> {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.take_if(|known| !known.is_current(&self.file));
        remembered.as_ref().map(|known| known.state.clone())
    }

    pub(super) fn remember(&self, what: Option<Remembered>) {
        *self.remembered.lock().unwrap_or_else(PoisonError::into_inner) = what;
    }
}

/// The right to change a seat, and its state. Dropped without [`SeatLock::save`], changes are forgotten.
///
/// It may be held while one request is under way, and for nothing longer.
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
        let path = self.inner.file.with_extension("lock");
        // Before the lock's file is made: a seat that was removed must not come back as one.
        self.read()?;
        let file = files::open_private(&path)?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(std::fs::TryLockError::WouldBlock) if Instant::now() < deadline => {
                    tokio::time::sleep(POLL).await;
                }
                Err(std::fs::TryLockError::WouldBlock) => return Err(SeatError::Busy),
                Err(std::fs::TryLockError::Error(source)) => return Err(HomeError::io(&path, source).into()),
            }
        }
        let state = self.read()?;
        Ok(SeatLock {
            state: SeatState::clone(&state),
            seat: self.inner.clone(),
            _file: file,
            _turn: turn,
        })
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
    /// The file can't be written; it is then as it was.
    pub fn save(&mut self) -> Result<(), SeatError> {
        let path = &self.seat.file;
        let bytes = files::to_json(path, &self.state)?;
        let file = files::replace(path, &bytes).map_err(|source| HomeError::io(path, source))?;
        self.seat
            .remember(Some(Remembered::new(file, Arc::new(self.state.clone()))));
        Ok(())
    }

    /// Gives the lock up and keeps the changes in this process alone, until its next save or until another process
    /// changes the seat.
    ///
    /// Only for what a repeat of a pending request brings again: the answer to a post. It spares each post its second
    /// wait for the disk; after a crash the post is sent once more, and answered the same.
    ///
    /// # Errors
    /// As [`SeatLock::save`], where the platform has no way to remember.
    pub fn save_with_next(mut self) -> Result<(), SeatError> {
        let mut remembered = self
            .seat
            .remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match remembered
            .as_mut()
            .filter(|known| known.is_current(&self.seat.file))
        {
            Some(known) => {
                known.state = Arc::new(self.state.clone());
                Ok(())
            }
            None => {
                drop(remembered);
                self.save()
            }
        }
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
