//! Private folders. The one place that knows how a platform says "for the owner alone".
//!
//! On Windows a profile folder is the user's own by inheritance, so nothing is set there; that path is not run in
//! our tests.

use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::path::Path;

use super::{HomeError, files};

/// Makes `root` and `folder` under it, each 0700. Folders of ours that are looser are tightened.
pub(super) fn make_private(root: &Path, folder: &Path) -> Result<(), HomeError> {
    refuse_shared(root)?;
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    for path in [root, folder] {
        clear_way(root, path)?;
        builder
            .create(path)
            .map_err(|source| HomeError::io(path, source))?;
        tighten(path)?;
    }
    Ok(())
}

/// Whether a folder can be at `root`: what is there, or else the nearest thing above it, is one.
pub(super) fn refuse_no_folder(root: &Path) -> Result<(), HomeError> {
    let found = root
        .ancestors()
        .find_map(|path| fs::metadata(path).ok().map(|found| (path, found)));
    match found {
        Some((path, found)) if !found.is_dir() => Err(HomeError::NoFolder {
            path: path.to_path_buf(),
        }),
        _ => Ok(()),
    }
}

/// A file in the place of a folder of ours is set aside; in the place of the home itself it is nobody's to move.
fn clear_way(root: &Path, path: &Path) -> Result<(), HomeError> {
    let path_buf = || path.to_path_buf();
    match (fs::metadata(path), fs::symlink_metadata(path)) {
        (Ok(found), _) if !found.is_dir() => {
            if path == root {
                return Err(HomeError::NotAFolder { path: path_buf() });
            }
            files::set_aside(path).map(drop)
        }
        // A disk that is not mounted must not be taken for an empty home.
        (Err(_), Ok(found)) if found.is_symlink() => Err(HomeError::LeadsNowhere { path: path_buf() }),
        _ => Ok(()),
    }
}

/// A sticky folder, such as `/tmp`, is everybody's; changing its mode would break the machine.
#[cfg(unix)]
fn refuse_shared(root: &Path) -> Result<(), HomeError> {
    use std::os::unix::fs::PermissionsExt;
    let Ok(metadata) = fs::metadata(root) else {
        return Ok(());
    };
    if metadata.permissions().mode() & 0o1000 != 0 {
        return Err(HomeError::Shared {
            path: root.to_path_buf(),
        });
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_shared(_root: &Path) -> Result<(), HomeError> {
    Ok(())
}

#[cfg(unix)]
fn tighten(path: &Path) -> Result<(), HomeError> {
    use std::os::unix::fs::PermissionsExt;
    let error = |source| HomeError::io(path, source);
    let is_private = || {
        let mode = fs::metadata(path).map_err(error)?.permissions().mode();
        Ok::<_, HomeError>(mode & 0o077 == 0)
    };
    if is_private()? {
        return Ok(());
    }
    let not_private = || HomeError::NotPrivate {
        path: path.to_path_buf(),
    };
    match fs::set_permissions(path, fs::Permissions::from_mode(0o700)) {
        Err(source) if source.kind() == ErrorKind::PermissionDenied => Err(not_private()),
        Err(source) => Err(error(source)),
        // Some file systems take the change and forget it.
        Ok(()) => is_private()?.then_some(()).ok_or_else(not_private),
    }
}

#[cfg(not(unix))]
fn tighten(_path: &Path) -> Result<(), HomeError> {
    Ok(())
}
