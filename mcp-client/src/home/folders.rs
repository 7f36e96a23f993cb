//! Private folders. The one place that knows how a platform says "for the owner alone".
//!
//! On Windows a profile folder is the user's own by inheritance, so nothing is set there; that path is not run in
//! our tests.

use std::fs::{self, DirBuilder};
use std::path::Path;

use super::HomeError;

/// Makes `root` and `folder` under it, each 0700. Folders of ours that are looser are tightened.
pub(super) fn make_private(root: &Path, folder: &Path) -> Result<(), HomeError> {
    refuse_shared(root)?;
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    for path in [root, folder] {
        builder
            .create(path)
            .map_err(|source| HomeError::io(path, source))?;
        tighten(path)?;
    }
    Ok(())
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
    let mode = fs::metadata(path).map_err(error)?.permissions().mode();
    if mode & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(error)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn tighten(_path: &Path) -> Result<(), HomeError> {
    Ok(())
}
