//! By which hash a repository names its objects.

/// The hash. A repository has one, and reads no objects named by the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFormat {
    /// What git makes unless it is told otherwise.
    Sha1,
    /// `git init --object-format=sha256`.
    Sha256,
}

impl ObjectFormat {
    /// Every one that git has.
    pub(crate) const ALL: [Self; 2] = [Self::Sha1, Self::Sha256];

    /// As git calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
        }
    }

    /// The one of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The id of the tree without any file, which git knows without storing it.
    pub(super) fn empty_tree(self) -> &'static str {
        match self {
            Self::Sha1 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            Self::Sha256 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        }
    }
}
