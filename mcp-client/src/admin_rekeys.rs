//! Administrator re-keys under way: the new secret and the record's exact bytes, kept from before they are sent until the
//! new link was shown (`crypto.md` section 10.4).
//!
//! One file a session in `rekeys/`, for its owner alone. This room stores; what is in force, and when a file may go, is
//! its caller's to know.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::PathBuf;

use seal::link::Link;
use seal::rekey::NewEpoch;
use seal::secret::{LinkKind, LinkSecret};
use serde::{Deserialize, Serialize};
use wire::encoding::{Blob, Secret32};
use wire::ids::SessionId;
use zeroize::Zeroizing;

use crate::home::{Home, HomeError, checked, files};
use crate::plane::Origin;

const VERSION: u64 = 1;
const REMEDY: &str = "The new link in it is lost; re-key the session once more.";

/// A re-key that was made and not shown yet.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct AdminRekey {
    version: u64,
    /// The plane it is for.
    pub(crate) plane: Origin,
    /// The session.
    pub(crate) session: SessionId,
    /// The epoch it opens.
    pub(crate) epoch: u32,
    /// S'.
    secret: Secret32,
    /// The epoch record, byte for byte.
    pub(crate) record: Blob,
}

impl AdminRekey {
    /// What was drawn for a session of a plane; none without the full secret, which an epoch of one's own has.
    pub(crate) fn new(plane: Origin, session: SessionId, new: &NewEpoch) -> Option<Self> {
        Some(Self {
            version: VERSION,
            plane,
            session,
            epoch: new.keys.epoch(),
            secret: Secret32::new(*new.keys.full_secret()?.expose()),
            record: Blob(new.record.clone()),
        })
    }

    /// The new full link.
    pub(crate) fn link(&self) -> Zeroizing<String> {
        let link = Link {
            origin: self.plane.to_string(),
            session_id: self.session,
            epoch: self.epoch,
            secret: LinkSecret::from_bytes(LinkKind::Full, *self.secret.expose()),
        };
        link.to_text()
    }
}

impl fmt::Debug for AdminRekey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AdminRekey({}, {})", self.session, self.epoch)
    }
}

/// The right to re-key one session from this home, held until it is dropped.
pub(crate) struct Desk {
    file: PathBuf,
    _lock: File,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Desk")
    }
}

impl Desk {
    /// Takes it; none while another process of this home holds it.
    ///
    /// # Errors
    /// The folder can't be made or locked.
    pub(crate) fn take(home: &Home, session: &SessionId) -> Result<Option<Self>, HomeError> {
        let folder = home.rekeys_folder();
        home.make_folder(&folder)?;
        let lock_path = folder.join(format!("{session}.lock"));
        let lock = files::open_private(&lock_path)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self {
                file: folder.join(format!("{session}.json")),
                _lock: lock,
            })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(HomeError::io(&lock_path, source)),
        }
    }

    /// What an earlier run left.
    ///
    /// # Errors
    /// The file can't be read, or is damaged and was set aside.
    pub(crate) fn left(&self) -> Result<Option<AdminRekey>, HomeError> {
        checked::read_json(&self.file, VERSION, REMEDY)
    }

    /// Keeps what is about to be sent. It is durable when this returns.
    ///
    /// # Errors
    /// The file can't be written: nothing may be sent then.
    pub(crate) fn keep(&self, rekey: &AdminRekey) -> Result<(), HomeError> {
        files::write_atomic(&self.file, &checked::to_json(&self.file, rekey)?)
    }

    /// Forgets it: it was shown, or is certainly not in force.
    ///
    /// # Errors
    /// The file is there and can't be removed.
    pub(crate) fn clear(&self) -> Result<(), HomeError> {
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(HomeError::io(&self.file, error)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use seal::rekey;
    use seal::secret::FullSecret;

    use super::*;

    fn made(session: SessionId, byte: u8) -> AdminRekey {
        let new = rekey::by_admin(&session, 1, FullSecret::from_bytes([byte; 32])).unwrap();
        AdminRekey::new("https://plane.example".parse().unwrap(), session, &new).unwrap()
    }

    #[test]
    fn what_was_kept_is_there_for_the_next_run_with_the_same_bytes_and_for_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home"));
        let session = SessionId::from_bytes([0x61; 16]);
        let kept = made(session, 7);
        let desk = Desk::take(&home, &session).unwrap().unwrap();
        assert!(desk.left().unwrap().is_none());
        desk.keep(&kept).unwrap();
        assert!(Desk::take(&home, &session).unwrap().is_none(), "one at a time");
        drop(desk);

        let desk = Desk::take(&home, &session).unwrap().unwrap();
        let left = desk.left().unwrap().unwrap();
        assert_eq!((left.epoch, &left.record), (2, &kept.record));
        assert_eq!(*left.link(), *kept.link());
        let found = seal::link::find(&left.link()).unwrap();
        assert_eq!((found.epoch, found.secret.expose()), (2, &[7; 32]));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&desk.file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        assert!(!format!("{left:?} {desk:?}").contains(&*left.link()));
        desk.clear().unwrap();
        desk.clear().unwrap();
        assert!(desk.left().unwrap().is_none());
    }
}
