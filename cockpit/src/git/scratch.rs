//! Empty repositories of our own, in which git reads another's objects and index without its configuration.

use std::path::Path;

use tempfile::TempDir;

use super::run::Git;
use super::{Checkout, GitError, ObjectFormat};

/// The scratch repositories, one of each object format; removed when this is dropped. What a command writes goes into them and
/// nowhere else.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// Makes them under `folder`.
    pub(crate) async fn make(folder: &Path) -> Result<Self, GitError> {
        let folder = tempfile::Builder::new().prefix("scratch-").tempdir_in(folder)?;
        for format in ObjectFormat::ALL {
            let option = format!("--object-format={}", format.name());
            let arguments = ["init", "--quiet", "--template=", "--initial-branch=none", &option];
            let git = Git::new(folder.path(), arguments).more(["--bare", format.name()]);
            alone(git).output().await?;
        }
        Ok(Self { folder })
    }

    /// Git with these arguments, in `checkout`'s working tree, with its objects and its index, and none of its configuration.
    pub(super) fn git<const N: usize>(&self, checkout: &Checkout, arguments: [&str; N]) -> Git {
        let git = Git::new(&checkout.top, arguments)
            .with("GIT_DIR", self.folder.path().join(checkout.format.name()))
            .with("GIT_WORK_TREE", &checkout.top)
            .with("GIT_INDEX_FILE", checkout.git_dir.join("index"))
            .with(
                "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                quoted(&checkout.common_dir.join("objects")),
            );
        alone(git)
    }

    /// Removes what folders of a process that was killed hold.
    pub(crate) fn sweep(folder: &Path) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("scratch-") {
                // It is of no use and in nobody's way.
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }
}

/// Without the system's and the user's configuration.
fn alone(git: Git) -> Git {
    git.with("GIT_CONFIG_NOSYSTEM", "1")
        .with("GIT_CONFIG_GLOBAL", "/dev/null")
}

/// As the list of folders takes one: in quotes where a separator or a quote is in it.
fn quoted(folder: &Path) -> std::ffi::OsString {
    match folder.to_str() {
        Some(text) if text.contains([':', ';', '"']) => {
            format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")).into()
        }
        _ => folder.as_os_str().to_owned(),
    }
}
