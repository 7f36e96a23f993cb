//! Damage on this machine: files of the client that were changed, cut or lost. It is mended from an honest plane, and never
//! held against that plane.

use std::fs;
use std::path::{Path, PathBuf};

use crate::party::{Party, texts};
use crate::plane::TestPlane;

/// The one file below a folder of the client's home whose name passes.
fn file(party: &Party, folder: &str, passes: impl Fn(&str) -> bool) -> PathBuf {
    let mut folders = vec![party.home().join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if passes(&entry.file_name().to_string_lossy()) {
                found.push(entry.path());
            }
        }
    }
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn damaged(party: &Party, folder: &str) -> PathBuf {
    file(party, folder, |name| name.contains(".damaged-"))
}

fn cache(party: &Party) -> PathBuf {
    file(party, "cache", |name| !name.contains('.'))
}

/// Changes one character within the sealed bytes of a record: what is there still parses.
fn flip(path: &Path, seq: u64) {
    let text = fs::read_to_string(path).unwrap();
    let start = text.find(&format!("\"seq\":{seq},")).unwrap();
    let sealed = start + text[start..].find("\"sealed\":\"").unwrap() + 10 + 100;
    let mut bytes = text.into_bytes();
    bytes[sealed] = if bytes[sealed] == b'A' { b'B' } else { b'A' };
    fs::write(path, bytes).unwrap();
}

#[tokio::test]
async fn a_flipped_bit_in_the_cache_is_read_again_and_is_no_fork() {
    let plane = TestPlane::start().await;
    let ana = Party::new("Ana", &plane);
    let link = ana.share("Cache", "start").await.link.unwrap();
    let mut sam = Party::new("Sam", &plane);
    sam.join(&link).await;
    ana.post("one").await;
    sam.post("two").await;
    ana.post("three").await;
    let whole = texts(&sam.read_all().await);
    assert_eq!(whole, ["start", "one", "two", "three"]);
    // Seqs: 1 epoch, 2 Ana, 3 start, 4 Sam, 5 to 7 the messages. An own record, the others', the last.
    for seq in [3, 5, 6, 7] {
        flip(&cache(&sam), seq);
        sam.restart();
        let read = sam.read_all().await;
        assert_eq!(
            (read.integrity.state.as_str(), texts(&read)),
            ("ok", whole.clone())
        );
        fs::remove_file(damaged(&sam, "cache")).unwrap();
        sam.restart();
        let read = sam.read_all().await;
        assert_eq!(
            (read.integrity.state.as_str(), texts(&read)),
            ("ok", whole.clone())
        );
    }
    sam.post("four").await;
    assert_eq!(ana.read_all().await.integrity.state, "ok");
}

fn progress(party: &Party) -> PathBuf {
    file(party, "sessions", |name| name.ends_with(".progress"))
}

#[tokio::test]
async fn a_lost_progress_file_costs_nothing_but_a_warning() {
    let plane = TestPlane::start().await;
    let ana = Party::new("Ana", &plane);
    let link = ana.share("Progress", "start").await.link.unwrap();
    let damages: [fn(&Path); 5] = [
        |file| fs::remove_file(file).unwrap(),
        |file| fs::write(file, b"").unwrap(),
        |file| fs::write(file, b"\0\0\0\0\n").unwrap(),
        |file| {
            let mut bytes = fs::read(file).unwrap();
            let at = bytes.len() - 40;
            bytes[at] ^= 1;
            fs::write(file, bytes).unwrap();
        },
        |file| {
            let bytes = fs::read(file).unwrap();
            fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
        },
    ];
    for damage in damages {
        let mut sam = Party::new("Sam", &plane);
        sam.join(&link).await;
        sam.post("mine").await;
        sam.post("mine too").await;
        ana.post("and yours").await;
        sam.read().await;
        sam.post("mine again").await;
        damage(&progress(&sam));
        sam.restart();
        // The first thing may be a post as well as a read.
        sam.post("after it").await;
        let read = sam.read_all().await;
        assert_eq!(read.integrity.state, "ok", "{:?}", read.integrity);
        assert_eq!(read.warnings.len(), 1, "{:?}", read.warnings);
        let own = read.messages.iter().filter(|message| message.mine).count();
        assert_eq!(own, 4);
        sam.restart();
        let read = sam.read_all().await;
        assert_eq!((read.integrity.state.as_str(), read.warnings.len()), ("ok", 0));
        sam.post("as before").await;
        assert_eq!(sam.join(&link).await.integrity.state, "ok");
        assert_eq!(ana.read_all().await.integrity.state, "ok");
    }
}

#[tokio::test]
async fn an_alarm_for_a_fault_of_this_machine_ends_with_a_join() {
    let plane = TestPlane::start().await;
    let ana = Party::new("Ana", &plane);
    let link = ana.share("Alarm", "start").await.link.unwrap();
    let mut sam = Party::new("Sam", &plane);
    sam.join(&link).await;
    sam.post("before").await;
    let old = fs::read(progress(&sam)).unwrap();
    sam.post("mine").await;
    // A whole file, of earlier: nothing shows the loss.
    let older = |sam: &Party| {
        fs::write(progress(sam), &old).unwrap();
        fs::remove_file(cache(sam)).unwrap();
    };
    older(&sam);
    sam.restart();
    let read = sam.read_all().await;
    assert_eq!(read.integrity.error.as_deref(), Some("own_record_mismatch"));
    let refused = sam.try_post("goes nowhere").await.unwrap_err();
    for told in [&read.integrity.detail, refused.message()] {
        assert!(told.contains("restored from a backup"), "{told}");
        assert!(told.contains("join again with the session's link"), "{told}");
    }
    assert_eq!(sam.join(&link).await.integrity.state, "ok");
    sam.restart();
    assert_eq!(sam.read_all().await.integrity.state, "ok");
    sam.post("goes on").await;
    // Also where the join is the first that finds it.
    older(&sam);
    sam.restart();
    assert_eq!(sam.join(&link).await.integrity.state, "ok");
    sam.post("and on").await;
    assert_eq!(
        texts(&ana.read_all().await),
        ["start", "before", "mine", "goes on", "and on"]
    );
}
