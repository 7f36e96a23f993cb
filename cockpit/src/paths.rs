//! From a path as somebody writes it to the path as git has it: relative to the top, `/`-separated.

use std::path::{Component, Path, PathBuf};

/// A path that is not in the repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It leads out of it.
    #[error("it is outside of the repository at {0}")]
    Outside(String),
    /// It holds what no file's name can.
    #[error("it is empty or holds a NUL")]
    Malformed,
}

/// `path`, relative to `folder` unless it is absolute, as git has it in the working tree `top`; the top itself is empty. The
/// file need not be there. `..` is taken as written, without asking the disk.
///
/// # Errors
/// [`PathError`].
pub fn within(top: &Path, folder: &Path, path: &str) -> Result<String, PathError> {
    if path.trim().is_empty() || path.contains('\0') {
        return Err(PathError::Malformed);
    }
    let outside = || PathError::Outside(top.display().to_string());
    let whole = plain(&folder.join(path)).ok_or_else(outside)?;
    let relative = match whole.strip_prefix(top) {
        Ok(relative) => relative.to_path_buf(),
        // The same folder may be written through a symbolic link.
        Err(_) => real(&whole)
            .strip_prefix(top)
            .map_err(|_| outside())?
            .to_path_buf(),
    };
    let parts: Vec<_> = relative
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    Ok(parts.join("/"))
}

/// Without `.` and `..`; none if that leads above the root.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !whole.pop() {
                    return None;
                }
            }
            other => whole.push(other),
        }
    }
    Some(whole)
}

/// Symbolic links of the folders followed, as far as they are there; the last part stands for itself.
fn real(path: &Path) -> PathBuf {
    for folder in path.ancestors().skip(1) {
        if let (Ok(real), Ok(rest)) = (folder.canonicalize(), path.strip_prefix(folder)) {
            return real.join(rest);
        }
    }
    path.to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Result<String, PathError> {
        within(Path::new("/w/pay"), Path::new("/w/pay/src"), path)
    }

    #[test]
    fn a_path_is_taken_relative_to_the_folder_and_told_relative_to_the_top() {
        for (path, expected) in [
            ("lib.rs", "src/lib.rs"),
            ("./a b/ü.rs", "src/a b/ü.rs"),
            ("../README.md", "README.md"),
            ("x/../../docs", "docs"),
            ("/w/pay/src/lib.rs", "src/lib.rs"),
            ("..", ""),
            ("/w/pay/", ""),
            ("-rf", "src/-rf"),
            (":(top)x", "src/:(top)x"),
        ] {
            assert_eq!(of(path).as_deref(), Ok(expected), "{path}");
        }
    }

    #[test]
    fn a_path_outside_is_refused_and_named_so() {
        for path in [
            "../../other/x",
            "/etc/passwd",
            "/w/payments/x",
            "../../../../../../x",
        ] {
            assert!(matches!(of(path), Err(PathError::Outside(_))), "{path}");
        }
        for path in ["", "  ", "a\0b"] {
            assert_eq!(of(path), Err(PathError::Malformed));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_to_the_repository_leads_into_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("pay/src")).unwrap();
        std::os::unix::fs::symlink(root.join("pay"), root.join("link")).unwrap();
        let path = root.join("link/src/new.rs");
        let got = within(&root.join("pay"), &root, path.to_str().unwrap());
        assert_eq!(got.as_deref(), Ok("src/new.rs"));
    }
}
