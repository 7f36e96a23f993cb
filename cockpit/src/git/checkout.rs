//! What a folder is part of.

use std::path::{Path, PathBuf};

use super::run::{Git, is_id};
use super::{GitError, ObjectFormat};
use crate::repository::Marks;

/// The working tree that a folder is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// Its top folder, symbolic links followed.
    pub top: PathBuf,
    /// Where git keeps what is this working tree's own.
    pub git_dir: PathBuf,
    /// Where git keeps what all working trees of it share.
    pub common_dir: PathBuf,
    /// By which hash its objects are named.
    pub format: ObjectFormat,
    /// By what its repository is recognised.
    pub marks: Marks,
}

/// The working tree that `folder` is in; none outside of one.
///
/// # Errors
/// Git is missing or does not answer.
pub async fn identify(folder: &Path) -> Result<Option<Checkout>, GitError> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let arguments = [
        "rev-parse",
        "--path-format=absolute",
        "--show-toplevel",
        "--git-dir",
        "--git-common-dir",
        "--is-shallow-repository",
        "--show-object-format",
    ];
    let ran = Git::new(folder, arguments).ran().await?;
    if ran.code != 0 {
        // Not a repository, a bare one, or one that git does not trust since it is somebody else's.
        tracing::debug!(error = %ran.refused(), "no working tree");
        return Ok(None);
    }
    let said = String::from_utf8_lossy(&ran.output).into_owned();
    let lines: Vec<&str> = said.lines().collect();
    let [top, git_dir, common_dir, shallow, format] = lines.as_slice() else {
        return Ok(None);
    };
    let Some(format) = ObjectFormat::named(format).filter(|_| is_where_found(folder, Path::new(top))) else {
        return Ok(None);
    };
    let origin = Git::new(folder, ["config", "--get", "remote.origin.url"])
        .line()
        .await
        .unwrap_or(None);
    let root = match *shallow {
        "false" => root(folder).await,
        _ => None,
    };
    Ok(Some(Checkout {
        marks: Marks::new(top, common_dir, origin.as_deref(), root.as_deref()),
        top: PathBuf::from(top),
        git_dir: PathBuf::from(git_dir),
        common_dir: PathBuf::from(common_dir),
        format,
    }))
}

/// Whether `top` is the first folder from `folder` upwards in which there is a repository. Its configuration can name any
/// other folder as its working tree, and what lies there is not its own to tell of.
fn is_where_found(folder: &Path, top: &Path) -> bool {
    let (Ok(folder), Ok(top)) = (folder.canonicalize(), top.canonicalize()) else {
        return false;
    };
    // A file in a linked worktree or a submodule. A folder without HEAD git passes over.
    let holds = |folder: &&Path| {
        let entry = folder.join(".git");
        entry.is_file() || entry.join("HEAD").symlink_metadata().is_ok()
    };
    folder.ancestors().find(holds) == Some(top.as_path())
}

/// The commit that the first line of the history began with. None where there is no commit yet.
async fn root(folder: &Path) -> Option<String> {
    let arguments = ["rev-list", "--max-parents=0", "--first-parent", "HEAD", "--"];
    let line = Git::new(folder, arguments).line().await.ok()??;
    Some(line).filter(|id| is_id(id))
}

impl Checkout {
    /// The commit it is at; none where there is none yet.
    pub(crate) async fn head(&self) -> Result<Option<String>, GitError> {
        let arguments = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
        let line = Git::new(&self.top, arguments).line().await?;
        Ok(line.filter(|id| is_id(id)))
    }

    /// Every commit that a branch, here or at a remote as last fetched, points to.
    pub(crate) async fn tips(&self) -> Result<Vec<String>, GitError> {
        let arguments = [
            "for-each-ref",
            "--format=%(objectname)",
            "refs/heads",
            "refs/remotes",
        ];
        let output = Git::new(&self.top, arguments).output().await?;
        let said = String::from_utf8_lossy(&output);
        let mut tips: Vec<String> = said.lines().filter(|id| is_id(id)).map(str::to_owned).collect();
        tips.extend(self.head().await?);
        tips.sort();
        tips.dedup();
        Ok(tips)
    }
}
