//! What a task changed: what its commits did, and what differs in the working tree otherwise than when it started.
//!
//! Whatever changed while it ran counts as its own, also what a person or another agent did in the same working tree: git can't
//! tell whose hand it was.

use std::collections::BTreeMap;

use super::Commit;

/// What a task changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    /// Paths; whether a commit of it has them.
    pub(crate) files: BTreeMap<String, bool>,
    /// Its commits.
    pub(crate) commits: Vec<String>,
}

/// From what differed when it started (none if nobody looked) and when it ended, and the commits made meanwhile.
pub(crate) fn changed(
    start: Option<&BTreeMap<String, String>>,
    end: &BTreeMap<String, String>,
    commits: &[Commit],
) -> Changed {
    let mut changed = Changed::default();
    if let Some(start) = start {
        for path in start.keys().chain(end.keys()) {
            if start.get(path) != end.get(path) {
                changed.files.insert(path.clone(), false);
            }
        }
    }
    for commit in commits {
        changed.commits.push(commit.hash.clone());
        for path in &commit.paths {
            changed.files.insert(path.clone(), true);
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dirty<const N: usize>(entries: [(&str, &str); N]) -> BTreeMap<String, String> {
        entries
            .iter()
            .map(|(path, state)| ((*path).to_owned(), (*state).to_owned()))
            .collect()
    }

    #[test]
    fn what_was_different_already_and_stayed_so_is_not_its_own() {
        let start = dirty([("mine", "1"), ("edited", "1"), ("reverted", "1")]);
        let end = dirty([("mine", "1"), ("edited", "2"), ("new", "1")]);
        let got = changed(Some(&start), &end, &[]);
        let paths: Vec<_> = got.files.keys().map(String::as_str).collect();
        assert_eq!(paths, ["edited", "new", "reverted"]);
        assert!(got.files.values().all(|committed| !committed));
    }

    #[test]
    fn commits_count_also_where_nobody_looked_at_the_start() {
        let commit = Commit {
            hash: "c1".into(),
            at: 5,
            subject: "s".into(),
            paths: vec!["a".into()],
        };
        let got = changed(None, &dirty([("somebody's", "1")]), &[commit]);
        assert_eq!(got.files, BTreeMap::from([("a".to_owned(), true)]));
        assert_eq!(got.commits, ["c1"]);
    }
}
