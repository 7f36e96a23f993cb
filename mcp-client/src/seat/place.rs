//! Where a call runs: a repository, a folder, or nowhere in particular.

use std::path::{Path, PathBuf};

/// The place that sessions are remembered by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    top: Option<PathBuf>,
    name: String,
}

impl Place {
    /// The place of a folder: the nearest folder upwards that has a `.git` (a folder, or a file in a work tree), else the
    /// folder itself. `/` and the user's home are no place of their own: what was last used anywhere counts there.
    ///
    /// Git is not asked: it may be missing, and this runs before every call.
    pub fn of(folder: &Path, user_home: Option<&Path>) -> Self {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let user_home = user_home.map(|home| home.canonicalize().unwrap_or_else(|_| home.to_path_buf()));
        let repository = folder.ancestors().find(|above| above.join(".git").exists());
        let top = repository.unwrap_or(&folder);
        let nowhere = top.parent().is_none() || user_home.as_deref() == Some(top);
        Self {
            name: top.to_string_lossy().into_owned(),
            top: (!nowhere).then(|| top.to_path_buf()),
        }
    }

    /// The repository's top folder or the folder; none in `/` and in the user's home.
    pub fn folder(&self) -> Option<&Path> {
        self.top.as_deref()
    }

    /// The text by which a seat remembers it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a seat that was last used at `place` belongs here. Nowhere in particular, every seat does.
    pub fn covers(&self, place: &str) -> bool {
        self.top.is_none() || self.name == place
    }
}
