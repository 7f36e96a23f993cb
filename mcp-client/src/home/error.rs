//! The error of this layer: files and folders of the client's home.

use std::io;
use std::path::{Path, PathBuf};

/// A file or folder of the client's home can't be used. Each text says what to do next, none quotes a file's content.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Neither `DEVPILOT_HOME` nor a home folder is known.
    #[error("No home folder is known here. Set DEVPILOT_HOME to a folder that only you can read.")]
    NoHome,
    /// A variable names a folder by a path that means another one in each folder.
    #[error(
        "{variable} is {path:?}, which is another folder in each folder that a command is run in. Set {} to the absolute path \
         of a folder that only you can read.",
        if *variable == "DEVPILOT_HOME" { "it" } else { "DEVPILOT_HOME" }
    )]
    Relative {
        /// The variable.
        variable: &'static str,
        /// What it says.
        path: PathBuf,
    },
    /// What is to be the client's folder is none, or lies below something that is none.
    #[error(
        "{} should be a folder and is none. Nothing was lost. Move it away, or set DEVPILOT_HOME to a folder of its own.",
        path.display()
    )]
    NoFolder {
        /// What is there.
        path: PathBuf,
    },
    /// The folder named is not the client's alone.
    #[error(
        "{} is shared with other things or users and can't hold secrets. Set DEVPILOT_HOME to a folder of its own.",
        path.display()
    )]
    Shared {
        /// The folder.
        path: PathBuf,
    },
    /// The folder can't be kept from other users.
    #[error(
        "{} can't be closed to other users: its disk keeps no permissions, or it belongs to somebody else. Nothing was \
         written. Set DEVPILOT_HOME to a folder of your own on another disk.",
        path.display()
    )]
    NotPrivate {
        /// The folder.
        path: PathBuf,
    },
    /// The disk does not take writes.
    #[error(
        "{} can't be written: it is read-only. Nothing was lost. Make it writable, or set DEVPILOT_HOME to a folder that is.",
        path.display()
    )]
    ReadOnly {
        /// The file or folder.
        path: PathBuf,
    },
    /// This user is shut out.
    #[error(
        "{} can't be used: it is read-only or belongs to somebody else. Nothing was lost. Let this user read and write it, or \
         set DEVPILOT_HOME to a folder of its own.",
        path.display()
    )]
    NotAllowed {
        /// The file or folder.
        path: PathBuf,
    },
    /// A folder, a pipe or a device has the name of a file.
    #[error("{} is no file. Nothing in it was touched. Move it away and try again.", path.display())]
    NotAFile {
        /// What is there.
        path: PathBuf,
    },
    /// A file that nothing of ours could have written.
    #[error(
        "{} is larger than any file of devpilot-session, and was not read. Nothing in it was touched. Move it away and try again.",
        path.display()
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// A file has the name of a folder.
    #[error("{} should be a folder and is none. Nothing was lost. Move it away and try again.", path.display())]
    NotAFolder {
        /// What is there, or lies below it.
        path: PathBuf,
    },
    /// A symbolic link whose end is not there.
    #[error(
        "{} is a link that leads nowhere. Nothing was lost. Bring back what it leads to (a disk that is not mounted?) or \
         remove the link, and try again.",
        path.display()
    )]
    LeadsNowhere {
        /// The link.
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
            io::ErrorKind::PermissionDenied => Self::NotAllowed { path },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            io::ErrorKind::NotADirectory => Self::NotAFolder { path },
            io::ErrorKind::IsADirectory => Self::NotAFile { path },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io { path, source },
        }
    }

    /// Whether something that is no file of ours, or leads to none, has a file's name: it can be put aside and the file made anew.
    pub(crate) const fn is_in_the_way(&self) -> bool {
        matches!(
            self,
            Self::NotAFile { .. } | Self::LeadsNowhere { .. } | Self::TooLarge { .. }
        )
    }
}
