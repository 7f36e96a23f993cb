//! The lock of a home's way into sessions: one process at a time makes a session or joins one.
//!
//! Without it, the same call in two processes at once would not find what the other is about to make. The system drops
//! the lock when its holder dies, however it dies.

use std::fmt;
use std::fs::{File, TryLockError};
use std::time::Duration;

use tokio::time::Instant;

use super::error::SeatError;
use super::store::Seats;
use crate::home::{HomeError, files};

/// Between two looks at a lock that another process holds.
const POLL: Duration = Duration::from_millis(20);

/// Held while a seat is made; dropping it lets the next process in.
pub struct EnteringLock {
    _file: File,
}

impl fmt::Debug for EnteringLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EnteringLock")
    }
}

impl Seats {
    /// Takes the lock, waiting for another process until `until` at most. What was listed before is old by then.
    ///
    /// # Errors
    /// [`SeatError::EnteringBusy`]; the lock's file can't be used.
    pub async fn lock_entering(&self, until: Instant) -> Result<EnteringLock, SeatError> {
        let folder = self.home.sessions_folder();
        self.home.make_folder(&folder)?;
        let path = folder.join(".share.lock");
        let file = files::open_private(&path)?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(EnteringLock { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < until => tokio::time::sleep(POLL).await,
                Err(TryLockError::WouldBlock) => return Err(SeatError::EnteringBusy),
                Err(TryLockError::Error(source)) => return Err(HomeError::io(&path, source).into()),
            }
        }
    }
}
