//! Where what a task changed collided on a merge.
//!
//! A task stands on the side of a merge that has a commit of its own, or else, where it left a file uncommitted, the side whose
//! commit of that file came first after it. A collision is then with the newest commit of the other side.

use std::collections::{BTreeMap, BTreeSet};

use super::{Commit, Merge};

/// What is known of a task. Times are seconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) started_at: i64,
    pub(crate) ended_at: Option<i64>,
    /// Paths; whether a commit of it has them.
    pub(crate) files: BTreeMap<String, bool>,
    pub(crate) commits: BTreeSet<String>,
}

/// A collision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Collided<'a> {
    pub(crate) path: &'a str,
    pub(crate) merge: &'a Merge,
    /// The newest commit of the other side that changed the path.
    pub(crate) with: Option<&'a Commit>,
}

/// The collisions of a task, in the order of the merges.
pub(crate) fn collisions<'a>(task: &Known, merges: &'a [Merge]) -> Vec<Collided<'a>> {
    let mut found = Vec::new();
    for merge in merges {
        // A merge before the task began can't be about what it did.
        if merge.at.is_some_and(|at| at < task.started_at) {
            continue;
        }
        for path in &merge.paths {
            let Some(committed) = task.files.get(path) else {
                continue;
            };
            let [ours, theirs] = &merge.sides;
            let other = match side(task, path, *committed, [ours, theirs]) {
                Some(0) => theirs,
                Some(_) => ours,
                None => continue,
            };
            found.push(Collided {
                path,
                merge,
                with: touching(other, path).next(),
            });
        }
    }
    found
}

fn touching<'a>(side: &'a [Commit], path: &str) -> impl Iterator<Item = &'a Commit> {
    side.iter()
        .filter(move |commit| commit.paths.iter().any(|one| one == path))
}

fn side(task: &Known, path: &str, committed: bool, sides: [&Vec<Commit>; 2]) -> Option<usize> {
    let own = sides
        .iter()
        .position(|side| touching(side, path).any(|commit| task.commits.contains(&commit.hash)));
    if own.is_some() || committed {
        return own;
    }
    // Left uncommitted: somebody committed it later.
    let ended = task.ended_at?;
    let first = |side: &Vec<Commit>| {
        touching(side, path)
            .map(|commit| commit.at)
            .filter(|at| *at >= ended)
            .min()
    };
    let [ours, theirs] = sides.map(first);
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => Some(usize::from(theirs < ours)),
        (Some(_), None) => Some(0),
        (None, Some(_)) => Some(1),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(hash: &str, at: i64, path: &str) -> Commit {
        Commit {
            hash: hash.into(),
            at,
            subject: format!("about {hash}"),
            paths: vec![path.into()],
        }
    }

    fn merge(at: Option<i64>, ours: Vec<Commit>, theirs: Vec<Commit>) -> Merge {
        Merge {
            hash: at.map(|_| "m".into()),
            at,
            paths: vec!["f".into()],
            sides: [ours, theirs],
        }
    }

    fn task(path: &str, commits: &[&str]) -> Known {
        Known {
            started_at: 100,
            ended_at: Some(200),
            files: BTreeMap::from([(path.to_owned(), !commits.is_empty())]),
            commits: commits.iter().map(|hash| (*hash).to_owned()).collect(),
        }
    }

    fn with(found: &[Collided<'_>]) -> Vec<Option<String>> {
        found
            .iter()
            .map(|one| one.with.map(|commit| commit.hash.clone()))
            .collect()
    }

    #[test]
    fn a_task_collides_with_the_newest_commit_of_the_other_side() {
        let merges = [merge(
            Some(400),
            vec![commit("t1", 150, "f")],
            vec![commit("o2", 300, "f"), commit("o1", 140, "f")],
        )];
        assert_eq!(
            with(&collisions(&task("f", &["t1"]), &merges)),
            [Some("o2".to_owned())]
        );
        let merges = [merge(
            None,
            vec![commit("o1", 140, "f")],
            vec![commit("t1", 150, "f")],
        )];
        assert_eq!(
            with(&collisions(&task("f", &["t1"]), &merges)),
            [Some("o1".to_owned())]
        );
    }

    #[test]
    fn another_file_another_s_commits_and_an_earlier_merge_are_no_collision() {
        let merges = [merge(
            Some(400),
            vec![commit("t1", 150, "f")],
            vec![commit("o1", 140, "f")],
        )];
        assert!(collisions(&task("g", &["t1"]), &merges).is_empty());
        assert!(collisions(&task("f", &["elsewhere"]), &merges).is_empty());
        let merges = [merge(
            Some(99),
            vec![commit("t1", 50, "f")],
            vec![commit("o1", 40, "f")],
        )];
        assert!(collisions(&task("f", &["t1"]), &merges).is_empty());
    }

    #[test]
    fn what_was_left_uncommitted_is_on_the_side_that_committed_it_first() {
        let merges = [merge(
            Some(400),
            vec![commit("o1", 300, "f")],
            vec![commit("later", 210, "f")],
        )];
        assert_eq!(
            with(&collisions(&task("f", &[]), &merges)),
            [Some("o1".to_owned())]
        );
        let merges = [merge(
            Some(400),
            vec![commit("o1", 190, "f")],
            vec![commit("o2", 150, "f")],
        )];
        assert!(collisions(&task("f", &[]), &merges).is_empty());
    }
}
