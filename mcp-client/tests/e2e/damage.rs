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
