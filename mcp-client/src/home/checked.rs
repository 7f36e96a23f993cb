//! JSON files with a checksum as their last member, so that damage which leaves them readable is seen as well: of keys that
//! nothing else tells of, one changed letter would be blamed on the plane, or on the sender of a link.
//!
//! Against accidents, not against people: whoever can write here holds the keys as well. A file without a checksum, as
//! somebody may have written it by hand, is taken as it is.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use wire::transcript::sha256;
use zeroize::Zeroizing;

use super::{HomeError, files};

/// Between the last member and the checksum.
const MEMBER: &[u8] = br#","checksum":""#;
/// After the checksum.
const END: &[u8] = br#""}"#;
/// Characters of a checksum.
pub(crate) const SUM: usize = 16;

/// The first half of a SHA-256, in hex.
pub(crate) fn checksum(bytes: &[u8]) -> String {
    let hash = sha256(bytes);
    let half = hash.iter().take(SUM / 2);
    half.map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of a state file, wiped on drop. `value` is an object with at least one member.
pub(crate) fn to_json<T: Serialize>(path: &Path, value: &T) -> Result<Zeroizing<Vec<u8>>, HomeError> {
    let plain = files::to_json(path, value)?;
    let object = plain.strip_suffix(b"}\n").unwrap_or(&plain);
    let sum = checksum(object);
    let room = object.len() + MEMBER.len() + SUM + END.len() + 1;
    let mut bytes = Zeroizing::new(Vec::with_capacity(room));
    for part in [object, MEMBER, sum.as_bytes(), END, b"\n"] {
        bytes.extend_from_slice(part);
    }
    Ok(bytes)
}

/// As [`files::parse_json`]; a file that is not what its checksum says is damaged.
///
/// # Errors
/// As [`files::read_json`].
pub(crate) fn parse_json<T: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    known: u64,
    remedy: &'static str,
) -> Result<T, HomeError> {
    // First, since a newer version may check in another way: what it wrote is left alone.
    let value = files::parse_json(path, bytes, known, remedy)?;
    match is_whole(bytes) {
        true => Ok(value),
        false => Err(files::damaged(path, remedy)?),
    }
}

/// As [`files::read_json`], with the checksum looked at.
///
/// # Errors
/// As [`files::read_json`].
pub(crate) fn read_json<T: DeserializeOwned>(
    path: &Path,
    known: u64,
    remedy: &'static str,
) -> Result<Option<T>, HomeError> {
    files::read_by(path, remedy, |bytes| parse_json(path, bytes, known, remedy))
}

fn is_whole(bytes: &[u8]) -> bool {
    let split = || {
        let rest = bytes.trim_ascii_end().strip_suffix(END)?;
        let (rest, sum) = rest.split_at_checked(rest.len().checked_sub(SUM)?)?;
        Some((rest.strip_suffix(MEMBER)?, sum))
    };
    split().is_none_or(|(object, sum)| checksum(object).as_bytes() == sum)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::*;

    fn parsed(bytes: &[u8]) -> Option<Value> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        std::fs::write(&path, bytes).unwrap();
        let read = read_json::<Value>(&path, 1, "Do this.");
        let is_left = read.is_ok() || matches!(read, Err(HomeError::Newer { .. }));
        assert_eq!(path.exists(), is_left, "what is damaged is set aside");
        read.ok().flatten().map(|mut value| {
            let members = value.as_object_mut().unwrap();
            members.retain(|name, _| ["version", "key", "people"].contains(&name.as_str()));
            value
        })
    }

    #[test]
    fn one_changed_bit_is_seen_wherever_it_is() {
        let value = json!({ "version": 1, "key": "q7RmT2vK", "people": [{ "name": "Ana" }, 12] });
        let bytes = to_json(Path::new("state.json"), &value).unwrap();
        assert_eq!(parsed(&bytes), Some(value.clone()));
        let checked = bytes.len() - MEMBER.len() - SUM - END.len() - 1;
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.to_vec();
                changed[at] ^= 1 << bit;
                let found = parsed(&changed);
                // What makes the checksum none hides no damage of what it is of.
                let taken = at >= checked && found == Some(value.clone());
                assert!(found.is_none() || taken, "bit {bit} of byte {at}: {found:?}");
            }
        }
    }

    #[test]
    fn without_a_checksum_it_is_taken_as_it_is() {
        assert_eq!(parsed(b"{ \"version\": 1 }"), Some(json!({ "version": 1 })));
        assert_eq!(
            parsed(b"{\"checksum\":\"0000000000000000\",\"version\":1}"),
            Some(json!({ "version": 1 }))
        );
        assert_eq!(parsed(b"{\"version\":1,\"checksum\":\"0000000000000000\"}"), None);
    }
}
