//! Reading, replacing and setting aside single files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;
use time::OffsetDateTime;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use zeroize::Zeroizing;

use super::HomeError;

const TEMPORARY_SUFFIX: &str = ".tmp";
/// A writer takes milliseconds; whatever is this old was left by a process that died.
const TEMPORARY_MAX_AGE: Duration = Duration::from_secs(3600);
/// Enough for most files, so that growing buffers leave few copies of secrets behind.
const BUFFER: usize = 16 * 1024;
/// No file that is read whole comes near; one that is larger makes no sense, and its bytes would take all memory.
const LARGEST: u64 = 16 << 20;

/// A moment in a file name: UTC, to the second, sorting as text does.
const FILE_TIME: &[BorrowedFormatItem<'_>] =
    format_description!("[year][month][day]T[hour][minute][second]Z");

/// A moment as file names carry it, such as `20261129T175400Z`.
pub(crate) fn file_time(at: OffsetDateTime) -> String {
    at.format(FILE_TIME)
        .unwrap_or_else(|_| at.unix_timestamp().to_string())
}

/// A file's bytes, wiped on drop; none if there is no such file.
///
/// # Errors
/// The file is there and can't be read, or is larger than any of ours.
pub fn read(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, HomeError> {
    Ok(read_open(path)?.map(|(_, bytes)| bytes))
}

/// A file that is still open, and its bytes.
pub(crate) type OpenFile = (File, Zeroizing<Vec<u8>>);

/// As [`read`]; gives the file as well, still open.
pub(crate) fn read_open(path: &Path) -> Result<Option<OpenFile>, HomeError> {
    let error = |source| HomeError::io(path, source);
    let Some(mut file) = open_existing(path)? else {
        return Ok(None);
    };
    let length = file.metadata().map_err(error)?.len();
    if length > LARGEST {
        return Err(HomeError::TooLarge {
            path: path.to_path_buf(),
        });
    }
    let capacity = usize::try_from(length).unwrap_or(BUFFER).saturating_add(1);
    let mut bytes = Zeroizing::new(Vec::with_capacity(capacity));
    // What is appended meanwhile belongs to a later look.
    Read::take(&mut file, length)
        .read_to_end(&mut bytes)
        .map_err(error)?;
    Ok(Some((file, bytes)))
}

/// Opens a file to read; none if nothing has that name. What is no file is not opened: a pipe would never answer.
///
/// # Errors
/// [`HomeError::NotAFile`]; [`HomeError::LeadsNowhere`]; the file is there and can't be opened.
pub(crate) fn open_existing(path: &Path) -> Result<Option<File>, HomeError> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => {
            return Err(HomeError::NotAFile {
                path: path.to_path_buf(),
            });
        }
        Err(source) if source.kind() == io::ErrorKind::PermissionDenied => {
            return Err(HomeError::io(path, source));
        }
        Err(source) => return leads_nowhere(path, source).map(|()| None),
    }
    match File::open(path) {
        Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened.map(Some).map_err(|source| HomeError::io(path, source)),
    }
}

/// Why nothing was found at a path: there is nothing, or a link to nothing.
fn leads_nowhere(path: &Path, source: io::Error) -> Result<(), HomeError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Err(HomeError::LeadsNowhere {
            path: path.to_path_buf(),
        }),
        _ if source.kind() == io::ErrorKind::NotFound => Ok(()),
        _ => Err(HomeError::io(path, source)),
    }
}

/// Reads a JSON file that carries a `version` of at most `known`.
///
/// # Errors
/// As [`read`]; [`HomeError::Newer`]; [`HomeError::Damaged`] once the file has been set aside, with `remedy`.
pub fn read_json<T: DeserializeOwned>(
    path: &Path,
    known: u64,
    remedy: &'static str,
) -> Result<Option<T>, HomeError> {
    read_by(path, remedy, |bytes| parse_json(path, bytes, known, remedy))
}

/// Reads a file and makes of its bytes what `parse` does. What is there in the place of a file is set aside.
///
/// # Errors
/// As [`read_json`], but for what `parse` gives.
pub(super) fn read_by<T>(
    path: &Path,
    remedy: &'static str,
    parse: impl FnOnce(&[u8]) -> Result<T, HomeError>,
) -> Result<Option<T>, HomeError> {
    match read(path) {
        Ok(Some(bytes)) => parse(&bytes).map(Some),
        Ok(None) => Ok(None),
        Err(HomeError::NotAFile { .. } | HomeError::TooLarge { .. }) => Err(damaged(path, remedy)?),
        Err(error) => Err(error),
    }
}

/// Sets a file aside that makes no sense, and says so.
pub(crate) fn damaged(path: &Path, remedy: &'static str) -> Result<HomeError, HomeError> {
    Ok(HomeError::Damaged {
        path: path.to_path_buf(),
        kept: set_aside(path)?,
        remedy,
    })
}

/// As [`read_json`], on bytes already read from `path`.
///
/// # Errors
/// As [`read_json`].
pub(crate) fn parse_json<T: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    known: u64,
    remedy: &'static str,
) -> Result<T, HomeError> {
    #[derive(serde::Deserialize)]
    struct Version {
        version: u64,
    }
    match serde_json::from_slice::<Version>(bytes) {
        Ok(Version { version }) if version > known => {
            return Err(HomeError::Newer {
                path: path.to_path_buf(),
                version,
            });
        }
        _ => {}
    }
    serde_json::from_slice(bytes).or_else(|_| Err(damaged(path, remedy)?))
}

/// Replaces a file in one step: readers see the old content or the new, also after a crash or a loss of power.
///
/// # Errors
/// The content could not be made durable; the old file is then untouched.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), HomeError> {
    replace(path, bytes)
        .map(drop)
        .map_err(|source| HomeError::io(path, source))
}

/// As [`write_atomic`]; gives the open new file.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let temporary = written_beside(folder, bytes)?;
    temporary.as_file().sync_all()?;
    let file = temporary.persist(path).map_err(|failed| failed.error)?;
    sync_folder(folder)?;
    Ok(file)
}

/// Writes a file in one step where there is none of that name; false where there is.
///
/// # Errors
/// The content could not be made durable.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<bool, HomeError> {
    let error = |source| HomeError::io(path, source);
    let folder = path.parent().unwrap_or(Path::new("."));
    let temporary = written_beside(folder, bytes).map_err(error)?;
    temporary.as_file().sync_all().map_err(error)?;
    match temporary.persist_noclobber(path) {
        Ok(_) => sync_folder(folder).map(|()| true).map_err(error),
        Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(failed) => Err(error(failed.error)),
    }
}

/// As [`replace`], but without waiting for the disk: after a loss of power the old content, or none, may be there.
pub(crate) fn replace_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = written_beside(path.parent().unwrap_or(Path::new(".")), bytes)?;
    temporary.persist(path).map(drop).map_err(|failed| failed.error)
}

fn written_beside(folder: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut temporary = tempfile::Builder::new()
        .prefix(".")
        .suffix(TEMPORARY_SUFFIX)
        .tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    Ok(temporary)
}

/// As [`write_atomic`], of JSON.
///
/// # Errors
/// As [`write_atomic`].
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), HomeError> {
    write_atomic(path, &to_json(path, value)?)
}

/// The JSON bytes of a state file, wiped on drop.
pub(crate) fn to_json<T: Serialize>(path: &Path, value: &T) -> Result<Zeroizing<Vec<u8>>, HomeError> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(BUFFER));
    serde_json::to_writer(&mut *bytes, value)
        .map_err(|bad| HomeError::io(path, io::Error::other(bad.to_string())))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Between a file's name and the moment it was set aside.
pub(crate) const SET_ASIDE: &str = ".damaged-";

/// Renames a damaged file, or what has the place of one, to `<name>.damaged-<time>` beside it, and gives the new path. Never replaces another file.
///
/// # Errors
/// The folder does not take the new name.
pub fn set_aside(path: &Path) -> Result<PathBuf, HomeError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let time = file_time(OffsetDateTime::now_utc());
    for attempt in 0_u32.. {
        let more = if attempt == 0 {
            String::new()
        } else {
            format!("-{attempt}")
        };
        let kept = path.with_file_name(format!("{name}{SET_ASIDE}{time}{more}"));
        // Taking the name first keeps two processes from renaming onto each other. Only a folder can take a folder's place.
        let taken = match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => fs::create_dir(&kept),
            _ => OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&kept)
                .map(drop),
        };
        match taken {
            Ok(()) => {
                fs::rename(path, &kept).map_err(|source| HomeError::io(path, source))?;
                tracing::warn!(file = %kept.display(), "a damaged file was set aside");
                return Ok(kept);
            }
            Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(HomeError::io(path, source)),
        }
    }
    Err(HomeError::io(path, io::Error::other("no free name beside it")))
}

/// Opens, or makes, a file of ours that is 0600 and is never replaced: a lock, or a cache that is appended to. What is in its
/// place and is no file is set aside; a link is never followed to somebody else's file.
pub(crate) fn open_private(path: &Path) -> Result<File, HomeError> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        set_aside(path)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|source| HomeError::io(path, source))
}

/// Removes temporary files that a killed process left in a folder: they may hold secrets.
pub(crate) fn sweep_temporary(folder: &Path, now: SystemTime) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = name.starts_with('.') && name.ends_with(TEMPORARY_SUFFIX);
        let age = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
            .and_then(|modified| now.duration_since(modified).ok());
        if ours && age.is_some_and(|age| age > TEMPORARY_MAX_AGE) {
            // Somebody else may have removed it first; it is gone either way.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A rename is durable once its folder is.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
