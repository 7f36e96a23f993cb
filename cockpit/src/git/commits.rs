//! Which commits were made in a working tree, and what each changed.

use std::collections::BTreeSet;
use std::path::Path;

use super::run::{is_id, parts};
use super::{Checkout, GitError, Scratch};
use crate::cut;
use crate::limits;
use crate::tasks::Commit;

/// How much of the log of a working tree's movements is read, from its end.
const MOVES: u64 = 256 << 10;

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
