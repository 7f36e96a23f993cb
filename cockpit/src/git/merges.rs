//! Merges, made again to see whether they collide.

use super::commits::{commits, end_of};
use super::run::{is_id, parts};
use super::{Checkout, GitError, Scratch};
use crate::limits;
use crate::tasks::{Merge, Merged};

/// The merges of two lines that any branch has since `since` (seconds): each with its time and its two parents, the newest first.
///
/// # Errors
/// Git does not answer.
pub(crate) async fn merges_since(
    scratch: &Scratch,
    checkout: &Checkout,
    since: i64,
) -> Result<Vec<Merged>, GitError> {
    let input: String = checkout
        .tips()
        .await?
        .iter()
        .fold(String::new(), |all, id| all + id + "\n");
    if input.is_empty() {
        return Ok(Vec::new());
    }
    let since = format!("--max-age={since}");
    let arguments = [
        "rev-list",
        "--stdin",
        "--ignore-missing",
        "--min-parents=2",
        "--max-parents=2",
        "--parents",
        "--timestamp",
        &since,
    ];
    let output = scratch
        .git(checkout, arguments)
        .input(input.into_bytes())
        .output()
        .await?;
    let said = String::from_utf8_lossy(&output);
    let merged = said.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let [at, hash, ours, theirs] = fields.as_slice() else {
            return None;
        };
        Some(Merged {
            hash: (*hash).to_owned(),
            at: at.parse().ok()?,
            parents: [(*ours).to_owned(), (*theirs).to_owned()],
        })
    });
    Ok(merged.collect())
}

/// Makes a merge again and tells what collides, with what each side did to it. The result is thrown away.
///
/// # Errors
/// Git does not answer, or is older than 2.38.
pub(crate) async fn again(
    scratch: &Scratch,
    checkout: &Checkout,
    merged: &Merged,
) -> Result<Merge, GitError> {
    let [ours, theirs] = &merged.parents;
    let arguments = [
        "merge-tree",
        "--write-tree",
        "--name-only",
        "--no-messages",
        "-z",
        ours,
        theirs,
    ];
    let ran = scratch.git(checkout, arguments).ran().await?;
    let paths: Vec<String> = match ran.code {
        0 => Vec::new(),
        // The first part is the tree.
        1 => parts(&ran.output).skip(1).take(limits::CONFLICTS).collect(),
        _ => return Err(ran.refused()),
    };
    with_sides(scratch, checkout, Some(merged), paths, [ours, theirs]).await
}

/// The merge that a working tree is in the middle of, with the paths that are not resolved; none if there is none.
///
/// # Errors
/// Git does not answer.
pub(crate) async fn unfinished(scratch: &Scratch, checkout: &Checkout) -> Result<Option<Merge>, GitError> {
    let Ok(text) = end_of(&checkout.git_dir.join("MERGE_HEAD"), 4_096) else {
        return Ok(None);
    };
    let theirs = text.trim();
    let Some(ours) = checkout.head().await?.filter(|_| is_id(theirs)) else {
        return Ok(None);
    };
    // `<mode> <id> <stage>` TAB `path`, once for each stage.
    let output = scratch
        .git(checkout, ["ls-files", "--unmerged", "-z", "--"])
        .output()
        .await?;
    let mut paths: Vec<String> = parts(&output)
        .filter_map(|part| part.split_once('\t').map(|(_, path)| path.to_owned()))
        .collect();
    paths.dedup();
    paths.truncate(limits::CONFLICTS);
    with_sides(scratch, checkout, None, paths, [&ours, theirs])
        .await
        .map(Some)
}

async fn with_sides(
    scratch: &Scratch,
    checkout: &Checkout,
    merged: Option<&Merged>,
    paths: Vec<String>,
    [ours, theirs]: [&str; 2],
) -> Result<Merge, GitError> {
    let mut merge = Merge {
        hash: merged.map(|merged| merged.hash.clone()),
        at: merged.map(|merged| merged.at),
        sides: [Vec::new(), Vec::new()],
        paths,
    };
    if merge.paths.is_empty() {
        return Ok(merge);
    }
    let most = format!("--max-count={}", limits::SIDE);
    for (side, (has, lacks)) in merge.sides.iter_mut().zip([(ours, theirs), (theirs, ours)]) {
        let input = format!("{has}\n^{lacks}\n").into_bytes();
        *side = commits(
            scratch,
            checkout,
            ["log", "--stdin", "--no-merges", &most],
            &merge.paths,
            input,
        )
        .await?;
    }
    Ok(merge)
}
