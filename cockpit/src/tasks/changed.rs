//! What a task changed: what its commits did, and what differs in the working tree otherwise than when it started.
//!
//! Whatever changed while it ran counts as its own, also what a person or another agent did in the same working tree: git can't
//! tell whose hand it was.

use std::collections::BTreeMap;

use super::Commit;

/// What differs in a working tree from the commit it is at: paths, each with what tells its content from another.
pub(crate) type Dirty = BTreeMap<String, String>;

/// How much of what differs was listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Extent {
    /// Nothing: nobody looked, or there was too much.
    #[default]
    Nothing,
    /// What git tracks; of the other files there were too many.
    Tracked,
    /// Everything.
    Whole,
}

/// What was seen of a working tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    pub(crate) extent: Extent,
    pub(crate) files: Dirty,
}

/// What a task changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    /// Paths; whether a commit of it has them.
    pub(crate) files: BTreeMap<String, bool>,
    /// Its commits.
    pub(crate) commits: Vec<String>,
    /// Whether it may have changed more, which was not listed.
    pub(crate) unlisted: bool,
}

/// From what differed when it started (none if nobody looked) and when it ended, and the commits made meanwhile.
pub(crate) fn changed(start: Option<&Listing>, end: &Listing, commits: &[Commit]) -> Changed {
    let mut changed = Changed::default();
    if let Some(start) = start {
        changed.unlisted = start.extent.min(end.extent) != Extent::Whole;
        // A path that one look has and the other does not differs only if the other would have listed it.
        let of_start = start.files.keys().filter(|_| start.extent <= end.extent);
        let of_end = end.files.keys().filter(|_| end.extent <= start.extent);
        for path in of_start.chain(of_end) {
            if start.files.get(path) != end.files.get(path) {
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

    fn listing<const N: usize>(extent: Extent, entries: [(&str, &str); N]) -> Listing {
        let entry = |(path, state): &(&str, &str)| ((*path).to_owned(), (*state).to_owned());
        let files = entries.iter().map(entry).collect();
        Listing { extent, files }
    }

    fn paths(changed: &Changed) -> Vec<&str> {
        changed.files.keys().map(String::as_str).collect()
    }

    #[test]
    fn what_was_different_already_and_stayed_so_is_not_its_own() {
        let start = listing(Extent::Whole, [("mine", "1"), ("edited", "1"), ("reverted", "1")]);
        let end = listing(Extent::Whole, [("mine", "1"), ("edited", "2"), ("new", "1")]);
        let got = changed(Some(&start), &end, &[]);
        assert_eq!(paths(&got), ["edited", "new", "reverted"]);
        assert!(got.files.values().all(|committed| !committed) && !got.unlisted);
    }

    #[test]
    fn of_a_path_that_one_look_could_not_have_listed_nothing_is_said() {
        let whole = listing(Extent::Whole, [("untracked", "1"), ("edited", "1")]);
        let tracked = listing(Extent::Tracked, [("edited", "2")]);
        for (start, end) in [(&whole, &tracked), (&tracked, &whole)] {
            let got = changed(Some(start), end, &[]);
            assert_eq!((paths(&got), got.unlisted), (vec!["edited"], true));
        }
        let reverted = listing(Extent::Tracked, []);
        let got = changed(Some(&tracked), &reverted, &[]);
        assert_eq!((paths(&got), got.unlisted), (vec!["edited"], true));
        for (start, end) in [(&whole, &Listing::default()), (&Listing::default(), &whole)] {
            let got = changed(Some(start), end, &[]);
            assert_eq!((paths(&got), got.unlisted), (vec![], true));
        }
    }

    #[test]
    fn commits_count_also_where_nobody_looked_at_the_start() {
        let commit = Commit {
            hash: "c1".into(),
            at: 5,
            subject: "s".into(),
            paths: vec!["a".into()],
        };
        let got = changed(None, &listing(Extent::Whole, [("somebody's", "1")]), &[commit]);
        assert_eq!(got.files, BTreeMap::from([("a".to_owned(), true)]));
        assert_eq!(got.commits, ["c1"]);
    }
}
