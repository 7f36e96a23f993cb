//! Which files git ignores by what stands outside of the working tree. The scratch repository has its own configuration and its
//! own `info/exclude`; both of these are read as data and handed on by name, so that nothing else of them counts.
//!
//! Source: `gitignore(5)`. What stands in `.gitignore` files git reads by itself.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::run::Git;
use super::{Checkout, GitError};

/// Where a working tree's rules are.
#[derive(Debug)]
pub(super) struct Ignored {
    /// `core.excludesFile`; none where no configuration says it, and git's default stands. Empty: no file.
    named: Option<PathBuf>,
    /// `info/exclude`, which all working trees of a repository share.
    shared: Option<PathBuf>,
}

impl Ignored {
    pub(super) async fn of(checkout: &Checkout) -> Result<Self, GitError> {
        let arguments = ["config", "--type=path", "--get", "core.excludesFile"];
        let ran = Git::new(&checkout.top, arguments).ran().await?;
        let said = String::from_utf8_lossy(&ran.output);
        let said = said.strip_suffix('\n').unwrap_or(&said);
        // A path that is not absolute is from the top. What is no file is not opened: a pipe would wait for a writer.
        let file = |path: PathBuf| Some(path).filter(|path| path.is_file());
        let named = (ran.code == 0).then(|| file(checkout.top.join(said)).unwrap_or_default());
        Ok(Self {
            named,
            shared: file(checkout.common_dir.join("info/exclude")),
        })
    }

    /// `git ls-files --others` by these rules. Of two that fit, git goes by the one it read last; this is its own order.
    pub(super) fn apply(&self, git: Git) -> Git {
        let mut git = git.more(["--exclude-standard"]);
        if let Some(path) = &self.named {
            git = git
                .with("GIT_CONFIG_COUNT", "1")
                .with("GIT_CONFIG_KEY_0", "core.excludesFile")
                .with("GIT_CONFIG_VALUE_0", path);
        }
        if let Some(path) = &self.shared {
            git = git.more([OsStr::new("--exclude-from"), path.as_os_str()]);
        }
        git
    }
}
