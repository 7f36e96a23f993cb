//! The folder a process works in, by which the session last used there is found again.

use std::path::{Path, PathBuf};

/// The top of the repository that `folder` is in, else `folder` itself. None in the root folder and in `home`: they
/// are nobody's project, and every session would seem to belong to them.
pub fn project(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let top = folder
        .ancestors()
        .find(|folder| folder.join(".git").exists())
        .unwrap_or(folder);
    let nobodys = top.parent().is_none() || Some(top) == home;
    (!nobodys).then(|| top.to_path_buf())
}

/// The folder of this process. None where the system does not tell.
pub fn of_this_process() -> Option<PathBuf> {
    // The working folder is told without symbolic links, so the home must be as well.
    let home = std::env::home_dir().map(|home| home.canonicalize().unwrap_or(home));
    project(&std::env::current_dir().ok()?, home.as_deref())
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_found_from_inside_and_a_folder_stands_for_itself() {
        let root = tempfile::tempdir().unwrap();
        let inside = root.path().join("repository/a/b");
        std::fs::create_dir_all(&inside).unwrap();
        std::fs::create_dir(root.path().join("repository/.git")).unwrap();
        assert_eq!(project(&inside, None), Some(root.path().join("repository")));
        assert_eq!(project(root.path(), None), Some(root.path().to_path_buf()));
    }

    #[test]
    fn home_and_root_are_nobodys_project() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(project(home.path(), Some(home.path())), None);
        assert_eq!(project(Path::new("/"), None), None);
    }
}
