//! What differs in a working tree, as far as it can be listed.

use std::path::Path;

use super::run::parts;
use super::{Checkout, GitError, Ignored, Scratch};
use crate::limits;
use crate::tasks::{Dirty, Extent, Listing};

/// Looks at a working tree: the commit it is at, and what differs, as far as it can be listed.
///
/// # Errors
/// Git does not answer.
pub(crate) async fn look(
    scratch: &Scratch,
    checkout: &Checkout,
) -> Result<(Option<String>, Listing), GitError> {
    let head = checkout.head().await?;
    let base = head.as_deref().unwrap_or(checkout.format.empty_tree());
    let listing = list(scratch, checkout, base).await;
    Ok((head, within(listing)?.unwrap_or_default()))
}

/// None where there was more than is listed, or than git tells in time.
fn within<T>(listed: Result<T, GitError>) -> Result<Option<T>, GitError> {
    match listed {
        Ok(listed) => Ok(Some(listed)),
        Err(GitError::TooMuch | GitError::TimedOut) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn list(scratch: &Scratch, checkout: &Checkout, base: &str) -> Result<Listing, GitError> {
    let staged = [
        "diff-index",
        "--cached",
        "--raw",
        "-z",
        "--no-abbrev",
        "--no-renames",
        base,
        "--",
    ];
    let unstaged = [
        "diff-files",
        "--raw",
        "-z",
        "--no-abbrev",
        "--no-renames",
        // Whether one has changed is found by `git status` in it, which runs what its own configuration names.
        "--ignore-submodules=all",
        "--",
    ];
    let mut files = Dirty::new();
    for change in raw(&scratch.git(checkout, staged).output().await?) {
        files.insert(change.path, change.to);
    }
    let mut touched = raw(&scratch.git(checkout, unstaged).output().await?);
    if touched.len() > limits::DIRTY || files.len() > limits::DIRTY {
        return Err(GitError::TooMuch);
    }
    let room = limits::DIRTY - touched.len();
    let untracked = within(untracked(scratch, checkout, room).await)?;
    let extent = match untracked {
        Some(_) => Extent::Whole,
        None => Extent::Tracked,
    };
    touched.extend(untracked.into_iter().flatten().map(|path| Change {
        path,
        from: String::new(),
        to: String::new(),
    }));
    let paths: Vec<&str> = touched.iter().map(|change| change.path.as_str()).collect();
    let states = states(scratch, checkout, &paths).await?;
    for change in touched {
        let state = states
            .get(&change.path)
            .cloned()
            .unwrap_or_else(|| "gone".to_owned());
        // Touched and the same as what is staged: if that is the commit's, it does not differ.
        if state == change.from {
            continue;
        }
        files.insert(change.path, state);
    }
    Ok(Listing { extent, files })
}

/// The files that git neither tracks nor ignores, at most `most`.
async fn untracked(scratch: &Scratch, checkout: &Checkout, most: usize) -> Result<Vec<String>, GitError> {
    let git = scratch.git(checkout, ["ls-files", "-z", "--others"]);
    let git = Ignored::of(checkout).await?.apply(git);
    let found: Vec<String> = parts(&git.more(["--"]).output().await?).collect();
    match found.len() > most {
        true => Err(GitError::TooMuch),
        false => Ok(found),
    }
}

/// One entry of git's raw form.
struct Change {
    path: String,
    from: String,
    to: String,
}

/// Reads `:100644 100644 <from> <to> M` NUL `path` NUL. Submodules are left out: they are repositories of their own.
fn raw(output: &[u8]) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut parts = parts(output);
    while let (Some(head), Some(path)) = (parts.next(), parts.next()) {
        let fields: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        if let [old, new, from, to, _] = fields.as_slice() {
            if *old == "160000" || *new == "160000" {
                continue;
            }
            let to = if *new == "000000" { "gone" } else { *to };
            changes.push(Change {
                path,
                from: (*from).to_owned(),
                to: to.to_owned(),
            });
        }
    }
    changes
}

/// What tells the content of each file from another: git's own id of it where it is not too large. Nothing is stored.
async fn states(scratch: &Scratch, checkout: &Checkout, paths: &[&str]) -> Result<Dirty, GitError> {
    let mut states = Dirty::new();
    let mut hashed = Vec::new();
    for path in paths {
        match seen(&checkout.top.join(path)) {
            Some(Seen::Content) if !path.contains('\n') && !path.starts_with('"') => hashed.push(*path),
            Some(Seen::Content) | None => {}
            Some(Seen::State(state)) => drop(states.insert((*path).to_owned(), state)),
        }
    }
    if hashed.is_empty() {
        return Ok(states);
    }
    let input = hashed
        .iter()
        .flat_map(|path| [path.as_bytes(), b"\n"].concat())
        .collect();
    let output = scratch
        .git(checkout, ["hash-object", "--no-filters", "--stdin-paths"])
        .input(input)
        .ran()
        .await?;
    // It stops at a file that went meanwhile; those after it are as they are at the next look.
    let said = String::from_utf8_lossy(&output.output).into_owned();
    for (path, id) in hashed.iter().zip(said.lines()) {
        states.insert((*path).to_owned(), id.to_owned());
    }
    Ok(states)
}

enum Seen {
    /// Its content is to be compared.
    Content,
    /// This stands for it.
    State(String),
}

/// None if it is not there, or is neither a file nor a link: reading a pipe would wait for a writer.
fn seen(path: &Path) -> Option<Seen> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    if metadata.is_symlink() {
        let target = std::fs::read_link(path).ok()?;
        return Some(Seen::State(format!("link {}", target.display())));
    }
    if !metadata.is_file() {
        return None;
    }
    if metadata.len() <= limits::HASHED {
        return Some(Seen::Content);
    }
    let modified = metadata
        .modified()
        .ok()?
        .duration_since(std::time::UNIX_EPOCH)
        .ok()?;
    Some(Seen::State(format!(
        "size {} at {}",
        metadata.len(),
        modified.as_nanos()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raw_entry_gives_what_it_came_from_and_what_it_is() {
        let (a, b, none) = ("a".repeat(40), "b".repeat(40), "0".repeat(40));
        let output = format!(
            ":100644 100644 {a} {b} M\0x y\0:100644 000000 {a} {none} D\0gone\0:160000 160000 {a} {b} M\0sub\0"
        );
        let changes = raw(output.as_bytes());
        let told: Vec<_> = changes
            .iter()
            .map(|change| (change.path.as_str(), change.to.as_str()))
            .collect();
        assert_eq!(told, [("x y", b.as_str()), ("gone", "gone")]);
    }
}
