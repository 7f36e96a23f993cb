//! What the vectors leave out of attachments: misuse by the caller.

use seal::Error;
use seal::attachment::{Layout, Opener, Sealer};
use seal::secret::AttachmentKey;

#[test]
fn a_layout_follows_from_the_size_alone() {
    let layout = Layout::of(0).unwrap();
    assert_eq!(
        (layout.chunks(), layout.data_len(0), layout.sealed_len(0)),
        (1, Some(0), Some(528))
    );
    assert_eq!((layout.data_len(1), layout.sealed_len(1)), (None, None));
    let largest = Layout::of(67_108_864).unwrap();
    assert_eq!(largest.chunks(), 64);
    assert_eq!(
        (largest.data_len(63), largest.sealed_len(63)),
        (Some(1_048_576), Some(1_048_592))
    );
    assert_eq!(Layout::of(67_108_865), Err(Error::TooLarge));
    // The padding alone may reach into a last chunk: no byte of the file is in it.
    let padded = Layout::of(1_048_577).unwrap();
    assert_eq!(
        (padded.data_len(0), padded.data_len(1)),
        (Some(1_048_576), Some(1))
    );
}

#[test]
fn a_sealer_takes_each_chunk_once_and_whole() {
    let key = AttachmentKey::random().unwrap();
    let mut sealer = Sealer::new(&key, 5).unwrap();
    assert_eq!(sealer.seal(b"four"), Err(Error::AttachSize));
    sealer.seal(b"fives").unwrap();
    assert_eq!(sealer.seal(b""), Err(Error::AttachSize));
    assert!(sealer.finish().is_ok());
    assert_eq!(Sealer::new(&key, 5).unwrap().finish(), Err(Error::AttachSize));
}

#[test]
fn an_opener_is_done_only_after_the_last_chunk() {
    let key = AttachmentKey::random().unwrap();
    let mut sealer = Sealer::new(&key, 5).unwrap();
    let chunk = sealer.seal(b"fives").unwrap();
    let digest = sealer.finish().unwrap();
    let mut opener = Opener::new(&key, 5, digest).unwrap();
    assert_eq!(opener.open(&chunk).unwrap()[..], b"fives"[..]);
    assert_eq!(opener.open(&chunk).unwrap_err(), Error::AttachSize);
    assert_eq!(opener.finish(), Ok(()));
    assert_eq!(
        Opener::new(&key, 5, digest).unwrap().finish(),
        Err(Error::AttachSize)
    );
}
