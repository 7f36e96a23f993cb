//! Sealed records as the plane gave them, kept so that they need not be fetched again: `cache/<session>`, one JSON
//! line a record.
//!
//! Nothing here is opened or believed: a reader verifies what it takes from the cache as what it takes from the
//! plane. Losing the cache loses nothing, so writes don't wait for the disk, and a file that makes no sense is set
//! aside and begun anew.
//!
//! Records of one file follow each other without a gap. Only whole lines count: the torn end of a killed writer is cut
//! by the next one.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wire::api::Record;
use wire::ids::SessionId;

use crate::home::{Home, HomeError, files};

/// How long a writer waits for another process. An append takes milliseconds.
const LOCK_WAIT: Duration = Duration::from_secs(1);
const LOCK_POLL: Duration = Duration::from_millis(5);
/// No cache grows to this; one that is larger makes no sense, and its bytes would take all memory.
const LARGEST: u64 = 1 << 30;

/// The cache can't be used; the records can still be had from the plane.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The file can't be read or written.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// Another process keeps it from being written.
    #[error("Another process on this machine is writing the cache of that session.")]
    Busy,
    /// Records that do not follow what is there: [clear](Cache::clear) first, where what lies between is gone.
    #[error("The cache ends at {last}, and record {got} does not follow it.")]
    Gap {
        /// The last seq kept.
        last: u64,
        /// The first seq given.
        got: u64,
    },
}

/// The cached records of one session. Several processes may use the same.
#[derive(Debug)]
pub struct Cache {
    home: Home,
    path: PathBuf,
    index: Mutex<Index>,
    /// Set once this process has seen to the folder: that it is there, and the owner's alone.
    folder_made: AtomicBool,
}

/// Where lines start, as far as the file was looked at.
#[derive(Debug, Default)]
struct Index {
    /// The seq of the first line.
    first: u64,
    /// The start of each whole line.
    starts: Vec<u64>,
    /// The end of the last whole line.
    end: u64,
    /// Something stands after it: the torn end of a killed writer.
    torn: bool,
}

impl Index {
    fn last(&self) -> Option<u64> {
        let lines = u64::try_from(self.starts.len()).ok()?;
        lines.checked_sub(1).map(|more| self.first.saturating_add(more))
    }

    /// The bytes of the lines after `after`, at most `limit`; and the seq of the first of them.
    fn range(&self, after: u64, limit: usize) -> Option<(u64, u64, u64)> {
        let seq = self.first.max(after.saturating_add(1));
        let line = usize::try_from(seq - self.first).ok()?;
        let start = *self.starts.get(line)?;
        let end = line
            .checked_add(limit)
            .and_then(|line| self.starts.get(line))
            .unwrap_or(&self.end);
        Some((seq, start, *end))
    }
}

impl Cache {
    /// The cache of a session. No file is touched before the first read or append.
    pub fn new(home: &Home, session: &SessionId) -> Self {
        Self {
            home: home.clone(),
            path: home.cache_file(session),
            index: Mutex::default(),
            folder_made: AtomicBool::new(false),
        }
    }

    /// The first and the last seq kept.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn span(&self) -> Result<Option<(u64, u64)>, CacheError> {
        let mut index = self.index();
        if let Some(mut file) = self.open()? {
            self.refresh(&mut index, &mut file)?;
        }
        Ok(index.last().map(|last| (index.first, last)))
    }

    /// Records after a seq, in order and without a gap, at most `limit`. Where the cache begins later than that, from its
    /// beginning: the caller looks at the first seq.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn read(&self, after: u64, limit: usize) -> Result<Vec<Record>, CacheError> {
        let mut index = self.index();
        let Some(mut file) = self.open()? else {
            return Ok(Vec::new());
        };
        // A file that another process began anew no longer has its lines where they were: look once more.
        for _ in 0..2 {
            self.refresh(&mut index, &mut file)?;
            match self.read_lines(&index, &mut file, after, limit)? {
                Some(records) => return Ok(records),
                None => *index = Index::default(),
            }
        }
        drop(index);
        self.set_aside()?;
        Ok(Vec::new())
    }

    /// Adds records that follow the last one kept. Those that are there already are passed over, since several seats of
    /// a session share its cache.
    ///
    /// # Errors
    /// [`CacheError::Gap`]; [`CacheError::Busy`]; the file can't be written.
    pub fn append(&self, records: &[Record]) -> Result<(), CacheError> {
        if records.is_empty() {
            return Ok(());
        }
        let _lock = self.lock()?;
        let mut index = self.index();
        let mut file = files::open_private(&self.path)?;
        if file.metadata().map_err(|source| self.error(source))?.len() > LARGEST {
            // What can't be a cache is out of the way then.
            files::set_aside(&self.path)?;
            file = files::open_private(&self.path)?;
        }
        self.refresh(&mut index, &mut file)?;
        let last = index.last();
        let mut expected = last.map(|last| last.saturating_add(1));
        let mut lines = Vec::new();
        let mut starts = Vec::new();
        for record in records
            .iter()
            .filter(|record| last.is_none_or(|last| record.seq > last))
        {
            if expected.is_some_and(|expected| expected != record.seq) {
                return Err(CacheError::Gap {
                    last: expected.map_or(0, |next| next.saturating_sub(1)),
                    got: record.seq,
                });
            }
            expected = Some(record.seq.saturating_add(1));
            starts.push(index.end + lines.len() as u64);
            serde_json::to_writer(&mut lines, record).map_err(|bad| self.error(io::Error::other(bad)))?;
            lines.push(b'\n');
        }
        if index.torn {
            file.set_len(index.end).map_err(|source| self.error(source))?;
        }
        file.seek(SeekFrom::Start(index.end))
            .map_err(|source| self.error(source))?;
        file.write_all(&lines).map_err(|source| self.error(source))?;
        // Written under the lock, so these lines need not be looked at again.
        if let (true, Some(record)) = (index.starts.is_empty(), records.first()) {
            index.first = record.seq;
        }
        index.starts.append(&mut starts);
        index.end += lines.len() as u64;
        index.torn = false;
        Ok(())
    }

    /// Forgets everything: a checkpoint lies after it, or the session is over.
    ///
    /// # Errors
    /// [`CacheError::Busy`]; the file can't be removed.
    pub fn clear(&self) -> Result<(), CacheError> {
        if self.open()?.is_none() {
            return Ok(());
        }
        let _lock = self.lock()?;
        *self.index() = Index::default();
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.error(error).into()),
            _ => Ok(()),
        }
    }

    /// Puts the file aside, since its records are not those that were accepted. Nothing happens where there is none.
    ///
    /// # Errors
    /// [`CacheError::Busy`]; the file can't be renamed.
    pub fn set_aside(&self) -> Result<(), CacheError> {
        let _lock = self.lock()?;
        if self.open()?.is_none() {
            return Ok(());
        }
        *self.index() = Index::default();
        files::set_aside(&self.path)?;
        Ok(())
    }

    /// Takes in lines that were added since the last look. A file that got shorter was begun anew.
    fn refresh(&self, index: &mut Index, file: &mut File) -> Result<(), HomeError> {
        let length = file.metadata().map_err(|source| self.error(source))?.len();
        if length < index.end {
            *index = Index::default();
        }
        index.torn = length > index.end;
        if !index.torn {
            return Ok(());
        }
        let mut added = Vec::new();
        file.seek(SeekFrom::Start(index.end))
            .map_err(|source| self.error(source))?;
        file.read_to_end(&mut added)
            .map_err(|source| self.error(source))?;
        if index.starts.is_empty() {
            let Some(first) = added
                .split_inclusive(|byte| *byte == b'\n')
                .next()
                .filter(|line| is_whole(line))
            else {
                return Ok(());
            };
            // A first line without a seq leaves 0, which no record has: reading it then finds the damage.
            index.first = serde_json::from_slice::<Record>(first).map_or(0, |record| record.seq);
        }
        for line in added
            .split_inclusive(|byte| *byte == b'\n')
            .filter(|line| is_whole(line))
        {
            index.starts.push(index.end);
            index.end += line.len() as u64;
        }
        index.torn = length > index.end;
        Ok(())
    }

    /// The records of these lines; none if they are not what the index says.
    fn read_lines(
        &self,
        index: &Index,
        file: &mut File,
        after: u64,
        limit: usize,
    ) -> Result<Option<Vec<Record>>, HomeError> {
        let Some((mut seq, start, end)) = index.range(after, limit) else {
            return Ok(Some(Vec::new()));
        };
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(start))
            .map_err(|source| self.error(source))?;
        Read::take(&mut *file, end - start)
            .read_to_end(&mut bytes)
            .map_err(|source| self.error(source))?;
        let mut records = Vec::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            match serde_json::from_slice::<Record>(line) {
                Ok(record) if record.seq == seq => records.push(record),
                _ => return Ok(None),
            }
            seq = seq.saturating_add(1);
        }
        Ok(Some(records))
    }

    fn open(&self) -> Result<Option<File>, HomeError> {
        match files::open_existing(&self.path) {
            Err(other) if other.is_in_the_way() => files::set_aside(&self.path).map(|_| None),
            Ok(Some(file)) if file.metadata().is_ok_and(|found| found.len() > LARGEST) => {
                files::set_aside(&self.path).map(|_| None)
            }
            opened => opened,
        }
    }

    /// A lock on a file of its own: the cache itself may be set aside or removed while others wait.
    fn lock(&self) -> Result<File, CacheError> {
        let path = self.path.with_extension("lock");
        if let Some(folder) = path.parent()
            && !(self.folder_made.load(Ordering::Relaxed) && folder.is_dir())
        {
            self.home.make_folder(folder)?;
            self.folder_made.store(true, Ordering::Relaxed);
        }
        let file = files::open_private(&path)?;
        let deadline = Instant::now() + LOCK_WAIT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => pause(),
                Err(TryLockError::WouldBlock) => return Err(CacheError::Busy),
                Err(TryLockError::Error(source)) => return Err(self.error(source).into()),
            }
        }
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, source: io::Error) -> HomeError {
        HomeError::io(&self.path, source)
    }
}

/// Between two looks at a lock that another process holds: that one is not ours to be told by.
#[expect(
    clippy::disallowed_methods,
    reason = "a lock of the file system wakes nobody within a time"
)]
fn pause() {
    std::thread::sleep(LOCK_POLL);
}

fn is_whole(line: &[u8]) -> bool {
    line.ends_with(b"\n")
}

#[cfg(test)]
mod tests;
