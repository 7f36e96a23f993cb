//! What several processes, killed writers and damage leave of a cache.

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
