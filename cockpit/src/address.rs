//! How programs of the same user find the running cockpit.
//!
//! A port of the loopback interface belongs to whoever of the machine's users opened it first, and titles and reports must go to
//! no other. So the cockpit writes where it listens, and a token made fresh at each start, into a file for its user alone, and
//! holds a lock on another beside it for as long as it lives, also when it is killed. Who holds the lock has the port: a
//! client that finds it free reports to nobody.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

const ADDRESS: &str = "address.json";
const LOCK: &str = "lock";

/// Where the running cockpit is, and what lets its own user in.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// Its origin, such as `http://127.0.0.1:3847`.
    pub url: String,
    /// What requests carry as `Authorization: Bearer`. It opens this cockpit and nothing else.
    pub token: String,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", self.url)
    }
}

/// The cockpit that runs on `folder`; none if none does, or the folder can't be read.
pub fn find(folder: &Path) -> Option<Address> {
    let lock = File::open(folder.join(LOCK)).ok()?;
    match lock.try_lock_shared() {
        // Nobody holds it: what the file says is of one that has ended.
        Ok(()) => None,
        Err(TryLockError::WouldBlock) => read(folder),
        Err(TryLockError::Error(_)) => None,
    }
}

fn read(folder: &Path) -> Option<Address> {
    serde_json::from_slice(&std::fs::read(folder.join(ADDRESS)).ok()?).ok()
}

/// That this process is the cockpit of a folder; ends with it.
#[derive(Debug)]
pub(crate) struct Seat {
    _lock: File,
}

impl Seat {
    /// Takes the folder, which is made for its user alone. None if another cockpit has it.
    pub(crate) fn take(folder: &Path) -> io::Result<Option<Self>> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        let lock = private(
            OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false),
        )
        .open(folder.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Makes known where it is, in one step.
    pub(crate) fn tell(&self, folder: &Path, address: &Address) -> io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(".address").tempfile_in(folder)?;
        file.write_all(&serde_json::to_vec(address)?)?;
        file.persist(folder.join(ADDRESS))
            .map_err(|failed| failed.error)?;
        Ok(())
    }
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_counts_only_while_its_cockpit_lives() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("cockpit");
        assert_eq!(find(&folder), None);
        let address = Address {
            url: "http://127.0.0.1:1".into(),
            token: "t".repeat(64),
        };
        let seat = Seat::take(&folder).unwrap().unwrap();
        assert_eq!(find(&folder), None, "it has not said where it is");
        seat.tell(&folder, &address).unwrap();
        assert_eq!(find(&folder), Some(address));
        assert!(Seat::take(&folder).unwrap().is_none(), "one a folder");
        drop(seat);
        assert_eq!(find(&folder), None);
        assert!(Seat::take(&folder).unwrap().is_some());
    }

    #[test]
    fn debug_shows_no_token() {
        let address = Address {
            url: "u".into(),
            token: "hunter2".into(),
        };
        assert!(!format!("{address:?}").contains("hunter2"));
    }

    #[cfg(unix)]
    #[test]
    fn its_files_are_for_their_user_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("cockpit");
        let seat = Seat::take(&folder).unwrap().unwrap();
        seat.tell(
            &folder,
            &Address {
                url: "u".into(),
                token: "t".into(),
            },
        )
        .unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join(ADDRESS)), 0o600);
        assert_eq!(mode(&folder.join(LOCK)), 0o600);
    }
}
