//! What differs in a working tree, and which commits were made in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::run::{is_id, parts};
use super::{Checkout, GitError, Scratch};
use crate::cut;
use crate::limits;
use crate::tasks::Commit;

/// How much of the log of a working tree's movements is read, from its end.
const MOVES: u64 = 256 << 10;

/// What differs in a working tree from the commit it is at: paths, each with what tells its content from another.
pub(crate) type Dirty = BTreeMap<String, String>;

/// Looks at a working tree: the commit it is at, and what differs.
///
/// # Errors
/// Git does not answer, or more files differ than are looked at.
pub(crate) async fn look(
    scratch: &Scratch,
    checkout: &Checkout,
) -> Result<(Option<String>, Dirty), GitError> {
    let head = checkout.head().await?;
    let base = head.as_deref().unwrap_or(checkout.format.empty_tree());
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
    let untracked = ["ls-files", "-z", "--others", "--exclude-standard", "--"];
    let mut dirty = Dirty::new();
    for change in raw(&scratch.git(checkout, staged).output().await?) {
        dirty.insert(change.path, change.to);
    }
    let mut touched = raw(&scratch.git(checkout, unstaged).output().await?);
    for path in parts(&scratch.git(checkout, untracked).output().await?) {
        let from = String::new();
        touched.push(Change {
            path,
            from,
            to: String::new(),
        });
    }
    if touched.len() > limits::DIRTY || dirty.len() > limits::DIRTY {
        return Err(GitError::TooMuch);
    }
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
        dirty.insert(change.path, state);
    }
    Ok((head, dirty))
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

/// The commits that a working tree came to since `since` (seconds), other than what `from` has, with the paths of each.
///
/// # Errors
/// Git does not answer.
pub(crate) async fn made_since(
    scratch: &Scratch,
    checkout: &Checkout,
    from: Option<&str>,
    since: i64,
) -> Result<Vec<Commit>, GitError> {
    let mut tips: BTreeSet<String> = moves(&checkout.git_dir.join("logs/HEAD"), since);
    tips.extend(checkout.head().await?);
    if tips.is_empty() {
        return Ok(Vec::new());
    }
    let mut input: String = tips.iter().fold(String::new(), |all, id| all + id + "\n");
    if let Some(from) = from.filter(|id| is_id(id)) {
        input.push_str(&format!("^{from}\n"));
    }
    let since = format!("--max-age={since}");
    let most = format!("--max-count={}", limits::COMMITS);
    let arguments = ["log", "--stdin", "--ignore-missing", &since, &most];
    commits(scratch, checkout, arguments, &[], input.into_bytes()).await
}

/// `git log` with the paths of each commit; of a merge those that differ from both sides.
pub(super) async fn commits<const N: usize>(
    scratch: &Scratch,
    checkout: &Checkout,
    arguments: [&str; N],
    paths: &[String],
    input: Vec<u8>,
) -> Result<Vec<Commit>, GitError> {
    // No path can be this, since nobody could know it.
    let mark = uuid::Uuid::new_v4().simple().to_string();
    let format = format!("--format={mark} %H %ct %s");
    let fixed = [
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--diff-merges=dense-combined",
        "--name-only",
        "-z",
    ];
    let git = scratch
        .git(checkout, arguments)
        .more(fixed)
        .more([format.as_str(), "--"])
        .more(paths)
        .input(input);
    let output = git.output().await?;
    let mut found: Vec<Commit> = Vec::new();
    for part in parts(&output) {
        let part = part.trim_start_matches('\n');
        if let Some(head) = part.strip_prefix(mark.as_str()) {
            let mut fields = head.trim_start().splitn(3, ' ');
            let (Some(hash), Some(at)) = (fields.next(), fields.next()) else {
                continue;
            };
            found.push(Commit {
                hash: hash.to_owned(),
                at: at.parse().unwrap_or_default(),
                subject: cut::cut(fields.next().unwrap_or_default(), limits::SUBJECT).to_owned(),
                paths: Vec::new(),
            });
        } else if let Some(commit) = found.last_mut()
            && !part.is_empty()
        {
            commit.paths.push(part.to_owned());
        }
    }
    Ok(found)
}

/// Where a working tree was since `since`, from git's log of its movements.
fn moves(log: &Path, since: i64) -> BTreeSet<String> {
    // Without one, as in a repository that keeps none, there is still the commit it is at.
    end_of(log, MOVES)
        .map(|text| moved(&text, since))
        .unwrap_or_default()
}

/// The last `most` bytes of one of git's own files. What is no file is not opened: a pipe would wait for a writer.
pub(super) fn end_of(path: &Path, most: u64) -> std::io::Result<String> {
    use std::io::{Error, ErrorKind, Read, Seek, SeekFrom};
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(Error::from(ErrorKind::InvalidInput));
    }
    let mut file = std::fs::File::open(path)?;
    file.seek(SeekFrom::Start(metadata.len().saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// `<from> <to> Name <mail> <seconds> <zone>` TAB what was done.
fn moved(text: &str, since: i64) -> BTreeSet<String> {
    text.lines()
        .filter_map(|line| {
            let (who, _) = line.split_once('\t').unwrap_or((line, ""));
            let to = who.split(' ').nth(1)?;
            let at: i64 = who.rsplit(' ').nth(1)?.parse().ok()?;
            (at >= since && is_id(to)).then(|| to.to_owned())
        })
        .collect()
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

    #[test]
    fn movements_before_the_start_do_not_count() {
        let (a, b, c) = ("a".repeat(40), "b".repeat(40), "c".repeat(40));
        let log = format!(
            "{a} {b} Ann O'x <a@b> 100 +0200\tcommit: one\n{b} {c} Ann O'x <a@b> 200 +0000\tcommit: two\t1 3\n"
        );
        assert_eq!(moved(&log, 150), BTreeSet::from([c.clone()]));
        assert_eq!(moved(&log, 100), BTreeSet::from([b, c]));
        assert_eq!(moved("torn li", 0), BTreeSet::new());
    }
}
