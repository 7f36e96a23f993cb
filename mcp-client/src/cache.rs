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
        // What can't be a cache is out of the way then.
        drop(self.open()?);
        let mut file = files::open_private(&self.path)?;
        self.refresh(&mut index, &mut file)?;
        let last = index.last();
        let mut expected = last.map(|last| last.saturating_add(1));
        let mut lines = Vec::new();
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
            serde_json::to_writer(&mut lines, record).map_err(|bad| self.error(io::Error::other(bad)))?;
            lines.push(b'\n');
        }
        file.set_len(index.end).map_err(|source| self.error(source))?;
        file.seek(SeekFrom::Start(index.end))
            .map_err(|source| self.error(source))?;
        file.write_all(&lines).map_err(|source| self.error(source))?;
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
        if let Some(folder) = path.parent() {
            self.home.make_folder(folder)?;
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
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use std::fs;

    use wire::timestamp::Timestamp;
    use wire::transcript::RecordClass;

    use super::*;

    struct Fixture {
        _folder: tempfile::TempDir,
        home: Home,
        session: SessionId,
    }

    impl Fixture {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let home = Home::at(folder.path().join("home"));
            Self {
                _folder: folder,
                home,
                session: SessionId::from_bytes([7; 16]),
            }
        }

        fn cache(&self) -> Cache {
            Cache::new(&self.home, &self.session)
        }

        fn file(&self) -> PathBuf {
            self.home.cache_file(&self.session)
        }
    }

    fn records(seqs: std::ops::RangeInclusive<u64>) -> Vec<Record> {
        seqs.map(|seq| Record {
            seq,
            at: Timestamp::from_millis(1_796_000_000_000),
            epoch: 1,
            class: RecordClass::Notice,
            sender: None,
            item_id: None,
            sealed: None,
            signal: None,
            body: Some(format!("line one\nline two of {seq}")),
            epoch_record: None,
        })
        .collect()
    }

    fn seqs(records: &[Record]) -> Vec<u64> {
        records.iter().map(|record| record.seq).collect()
    }

    #[test]
    fn records_come_back_as_they_were_in_pages() {
        let fixture = Fixture::new();
        let cache = fixture.cache();
        assert_eq!(cache.span().unwrap(), None);
        assert_eq!(cache.read(0, 10).unwrap(), []);
        cache.append(&records(1..=5)).unwrap();
        cache.append(&records(6..=7)).unwrap();
        assert_eq!(cache.span().unwrap(), Some((1, 7)));
        assert_eq!(cache.read(0, 100).unwrap(), records(1..=7));
        assert_eq!(cache.read(4, 2).unwrap(), records(5..=6));
        assert_eq!(cache.read(7, 2).unwrap(), []);
        assert_eq!(cache.read(u64::MAX, 2).unwrap(), []);
    }

    #[test]
    fn a_second_process_sees_and_extends_it() {
        let fixture = Fixture::new();
        let (one, two) = (fixture.cache(), fixture.cache());
        one.append(&records(1..=2)).unwrap();
        two.append(&records(1..=3)).unwrap();
        one.append(&records(2..=4)).unwrap();
        assert_eq!(one.read(0, 100).unwrap(), records(1..=4));
        assert_eq!(two.read(2, 100).unwrap(), records(3..=4));
    }

    #[test]
    fn a_gap_is_refused_and_changes_nothing() {
        let fixture = Fixture::new();
        let cache = fixture.cache();
        cache.append(&records(5..=6)).unwrap();
        assert!(matches!(
            cache.append(&records(8..=9)),
            Err(CacheError::Gap { last: 6, got: 8 })
        ));
        assert_eq!(seqs(&cache.read(0, 100).unwrap()), [5, 6]);
        cache.clear().unwrap();
        cache.append(&records(8..=9)).unwrap();
        assert_eq!(seqs(&cache.read(0, 100).unwrap()), [8, 9]);
    }

    #[test]
    fn a_torn_last_line_is_not_shown_and_cut_by_the_next_writer() {
        let fixture = Fixture::new();
        fixture.cache().append(&records(1..=3)).unwrap();
        let whole = fs::read(fixture.file()).unwrap();
        for cut in 1..40 {
            fs::write(fixture.file(), whole.get(..whole.len() - cut).unwrap()).unwrap();
            let cache = fixture.cache();
            assert_eq!(seqs(&cache.read(0, 100).unwrap()), [1, 2], "cut by {cut}");
            cache.append(&records(3..=4)).unwrap();
            assert_eq!(cache.read(0, 100).unwrap(), records(1..=4));
        }
    }

    #[test]
    fn what_makes_no_sense_is_set_aside_and_begun_anew() {
        let fixture = Fixture::new();
        let cache = fixture.cache();
        cache.append(&records(1..=3)).unwrap();
        let text = fs::read_to_string(fixture.file())
            .unwrap()
            .replace("\"seq\":2", "\"seq\":9");
        fs::write(fixture.file(), &text).unwrap();
        assert_eq!(cache.read(0, 100).unwrap(), []);
        assert!(!fixture.file().exists());
        let names = fs::read_dir(fixture.home.root().join("cache")).unwrap();
        let kept = names
            .flatten()
            .find(|entry| entry.file_name().to_string_lossy().contains("damaged-"))
            .unwrap();
        assert_eq!(fs::read_to_string(kept.path()).unwrap(), text);
        cache.append(&records(1..=2)).unwrap();
        assert_eq!(cache.read(0, 100).unwrap(), records(1..=2));
    }

    #[test]
    fn a_file_too_large_to_be_a_cache_is_set_aside_unread() {
        let fixture = Fixture::new();
        let cache = fixture.cache();
        for use_it in [
            |cache: &Cache| assert_eq!(cache.read(0, 100).unwrap(), []),
            |cache: &Cache| cache.append(&records(1..=2)).unwrap(),
        ] {
            cache.append(&records(1..=2)).unwrap();
            let file = File::options().write(true).open(fixture.file()).unwrap();
            file.set_len(1 << 42).unwrap();
            use_it(&cache);
            assert!(fs::metadata(fixture.file()).map_or(0, |found| found.len()) < 1 << 20);
        }
        assert_eq!(cache.read(0, 100).unwrap(), records(1..=2));
    }

    #[test]
    fn a_file_that_another_process_began_anew_is_read_as_it_is_now() {
        let fixture = Fixture::new();
        let (one, two) = (fixture.cache(), fixture.cache());
        one.append(&records(1..=3)).unwrap();
        assert_eq!(one.read(0, 100).unwrap().len(), 3);
        two.clear().unwrap();
        two.append(&records(20..=60)).unwrap();
        assert_eq!(one.read(0, 100).unwrap(), records(20..=60));
        assert_eq!(one.span().unwrap(), Some((20, 60)));
    }

    #[test]
    fn writers_at_once_leave_every_record_once() {
        let fixture = Fixture::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let cache = fixture.cache();
                    for seq in 1..=50 {
                        // Whoever is behind passes over what is there; whoever is ahead is told of the gap.
                        let _ = cache.append(&records(1..=seq));
                    }
                });
            }
        });
        assert_eq!(fixture.cache().read(0, 1000).unwrap(), records(1..=50));
    }

    #[test]
    fn a_lock_that_nobody_gives_up_ends_in_an_error_not_in_a_hang() {
        let fixture = Fixture::new();
        let cache = fixture.cache();
        cache.append(&records(1..=1)).unwrap();
        let held = cache.lock().unwrap();
        assert!(matches!(cache.append(&records(2..=2)), Err(CacheError::Busy)));
        drop(held);
        cache.append(&records(2..=2)).unwrap();
    }
}
