//! The error of this layer: files and folders of the client's home.

use std::io;
use std::path::{Path, PathBuf};

/// A file or folder of the client's home can't be used. Each text says what to do next, none quotes a file's content.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Neither `DEVPILOT_HOME` nor a home folder is known.
    #[error("No home folder is known here. Set DEVPILOT_HOME to a folder that only you can read.")]
    NoHome,
    /// The folder named is not the client's alone.
    #[error(
        "{} is shared with other things or users and can't hold secrets. Set DEVPILOT_HOME to a folder of its own.",
        path.display()
    )]
    Shared {
        /// The folder.
        path: PathBuf,
    },
    /// The folder does not take writes.
    #[error(
        "{} can't be written: it is read-only or belongs to somebody else. Nothing was lost. Make it writable, or set \
         DEVPILOT_HOME to a folder that is.",
        path.display()
    )]
    NotWritable {
        /// The file or folder.
        path: PathBuf,
    },
    /// No room left.
    #[error("{} can't be written: the disk is full. Nothing was lost. Make room and try again.", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// The file's content makes no sense.
    #[error("{} was damaged. It is kept as {}, nothing was overwritten. {remedy}", path.display(), kept.display())]
    Damaged {
        /// Where it was.
        path: PathBuf,
        /// Where it is now.
        kept: PathBuf,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A later version of this program wrote it.
    #[error("{} was written by a newer devpilot-session (format {version}). Update this one.", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        version: u64,
    },
    /// Anything else the system said.
    #[error("{} can't be used: {source}.", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's word.
        source: io::Error,
    },
}

impl HomeError {
    /// Sorts a system error into what a person can do about it.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::NotWritable { path },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io { path, source },
        }
    }
}
