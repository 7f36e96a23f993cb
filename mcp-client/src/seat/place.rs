//! Where a call runs: a repository, a folder, or nowhere in particular.

use std::path::Path;

/// The place that sessions are remembered by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    name: Option<String>,
}

impl Place {
    /// The place of a project's top folder, as [`crate::folder::project`] finds it. None, in `/` and in the user's home,
    /// is nowhere in particular: what was last used anywhere counts there.
    pub fn of(project: Option<&Path>) -> Self {
        let name = project.map(|top| {
            let top = top.canonicalize().unwrap_or_else(|_| top.to_path_buf());
            top.to_string_lossy().into_owned()
        });
        Self { name }
    }

    /// The text by which a seat remembers it; empty for nowhere in particular.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// Whether a seat that was last used at `place` belongs here. Nowhere in particular, every seat does.
    pub fn covers(&self, place: &str) -> bool {
        self.name.as_deref().is_none_or(|name| name == place)
    }
}
