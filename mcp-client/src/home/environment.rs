//! The environment as a value, so that nothing below reads the process's own behind the back of a test.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Where settings come from. Debug shows no values: some of them are secrets.
#[derive(Clone, Default)]
pub struct Environment {
    fixed: Option<BTreeMap<String, String>>,
}

impl Environment {
    /// The process's own environment.
    pub fn process() -> Self {
        Self { fixed: None }
    }

    /// Exactly these variables.
    pub fn of<const N: usize>(variables: [(&str, &str); N]) -> Self {
        let pairs = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            fixed: Some(BTreeMap::from(pairs)),
        }
    }

    /// A variable's value; none if unset, empty or not UTF-8. Hosts write empty values for what is not configured.
    pub fn get(&self, name: &str) -> Option<String> {
        let value = match &self.fixed {
            Some(variables) => variables.get(name).cloned(),
            None => std::env::var(name).ok(),
        };
        value.filter(|value| !value.trim().is_empty())
    }

    /// The user's home folder: from the environment, else from the system's own record of the user.
    pub fn user_home(&self) -> Option<PathBuf> {
        match &self.fixed {
            Some(_) => self
                .get("HOME")
                .or_else(|| self.get("USERPROFILE"))
                .map(PathBuf::from),
            None => std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
        }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Environment")
    }
}
