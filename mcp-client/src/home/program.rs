//! This program at a path of its own: what hooks, printed commands and answers name stays there when a package
//! manager's cache goes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Home, HomeError};

#[cfg(not(windows))]
const NAME: &str = "devpilot-session";
#[cfg(windows)]
const NAME: &str = "devpilot-session.exe";

impl Home {
    /// Where this program is kept.
    pub fn program_file(&self) -> PathBuf {
        self.bin_folder().join(NAME)
    }

    /// Whether what is kept is `program`.
    pub fn keeps_program(&self, program: &Path) -> bool {
        is_same(program, &self.program_file())
    }

    /// Links `program` to [`Home::program_file`], in one step and in place of an older one.
    ///
    /// # Errors
    /// The folder or the file can't be made.
    pub fn keep_program(&self, program: &Path) -> Result<(), HomeError> {
        let kept = self.program_file();
        if is_same(program, &kept) {
            return Ok(());
        }
        self.make_folder(&self.bin_folder())?;
        let fresh = self.bin_folder().join(format!("{NAME}.{}", std::process::id()));
        let made = link(program, &fresh).and_then(|()| fs::rename(&fresh, &kept));
        made.map_err(|source| {
            // What is left of a failed attempt is of no use.
            let _ = fs::remove_file(&fresh);
            HomeError::io(&kept, source)
        })
    }
}

/// Whether both are one file, links followed.
fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other || same_content(&one, &other),
        _ => false,
    }
}

#[cfg(unix)]
fn same_content(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

/// A copy is taken for the same by its size and time, which copying keeps.
#[cfg(not(unix))]
fn same_content(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).and_then(|found| Ok((found.len(), found.modified()?)));
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

/// A hard link outlives the original; across file systems, or where the system forbids it, a symbolic one has to do.
#[cfg(unix)]
fn link(program: &Path, at: &Path) -> io::Result<()> {
    fs::hard_link(program, at).or_else(|_| std::os::unix::fs::symlink(program, at))
}

#[cfg(not(unix))]
fn link(program: &Path, at: &Path) -> io::Result<()> {
    fs::copy(program, at).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_kept_and_an_older_one_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home"));
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&old, "old").unwrap();
        fs::write(&new, "new").unwrap();
        for (program, content) in [(&old, "old"), (&old, "old"), (&new, "new")] {
            home.keep_program(program).unwrap();
            assert_eq!(fs::read_to_string(home.program_file()).unwrap(), content);
            assert_eq!(fs::read_dir(home.bin_folder()).unwrap().count(), 1);
        }
        fs::remove_file(&new).unwrap();
        assert_eq!(
            fs::read_to_string(home.program_file()).unwrap(),
            "new",
            "it outlives the original"
        );
    }
}
