//! The groups of tools, and which of them this server shows (`DEVPILOT_MCP_TOOLS`).
//!
//! One table says what each group holds. A setting that can't be kept to ends the server before it speaks: a host
//! that was meant to see less must not be shown more.

use super::toolbox::{Entry, Toolbox};
use super::tools;
use crate::verbs;

/// The variable that limits the server to groups.
pub(crate) const VARIABLE: &str = "DEVPILOT_MCP_TOOLS";

/// Names of groups.
type Names = Vec<&'static str>;

/// One group.
struct Group {
    /// As the setting names it.
    name: &'static str,
    /// What the server's instructions say of it; the parts of all groups together have at most 1,500 characters.
    instructions: &'static str,
    /// Its tools, in the order hosts list them.
    tools: fn() -> Vec<Entry>,
}

/// The group that prompts and resources belong to.
const SESSION: &str = "session";

/// Every group, in the order hosts list their tools. One without tools is known and can't be chosen yet.
const TABLE: [Group; 3] = [
    Group {
        name: SESSION,
        instructions: tools::SESSION_INSTRUCTIONS,
        tools: tools::session,
    },
    Group {
        name: "history",
        instructions: "",
        tools: tools::history,
    },
    Group {
        name: "claims",
        instructions: "",
        tools: Vec::new,
    },
];

/// A setting that can't be kept to.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroupError {
    /// A word that names no group.
    #[error(
        "DEVPILOT_MCP_TOOLS names a group of tools that does not exist: {named:?}. Choose from {}, or leave it empty \
         for all.",
        with_tools()
    )]
    Unknown {
        /// The word, cut.
        named: String,
    },
    /// A group that has nothing in it yet.
    #[error(
        "DEVPILOT_MCP_TOOLS names the group `{group}`, which has no tools in this version. Choose from {}, or leave it \
         empty for all.",
        with_tools()
    )]
    NoTools {
        /// Its name.
        group: &'static str,
    },
}

/// What a server shows its host.
pub(crate) struct Shown {
    /// What a host tells its model about the server as a whole.
    pub(crate) instructions: String,
    /// The tools.
    pub(crate) toolbox: Toolbox,
    /// Whether there are prompts about sessions, and their transcripts as resources.
    pub(crate) sessions: bool,
}

/// The groups that were chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Groups {
    chosen: Names,
}

impl Groups {
    /// From the setting: names with commas between them; nothing or only blanks means all.
    ///
    /// # Errors
    /// See [`GroupError`].
    pub(crate) fn chosen(setting: Option<&str>) -> Result<Self, GroupError> {
        let words = setting.unwrap_or_default().split(',').map(str::trim);
        let mut asked = Vec::new();
        for word in words.filter(|word| !word.is_empty()) {
            let group = TABLE
                .iter()
                .find(|group| group.name == word)
                .ok_or_else(|| GroupError::Unknown {
                    named: verbs::repeated(word).chars().take(LONGEST_NAMED).collect(),
                })?;
            if (group.tools)().is_empty() {
                return Err(GroupError::NoTools { group: group.name });
            }
            asked.push(group.name);
        }
        let all = asked.is_empty();
        Ok(Self {
            chosen: names(|group| all || asked.contains(&group.name)),
        })
    }

    /// Their tools, and the names of those that are left out.
    fn toolbox(&self) -> Toolbox {
        let (mut shown, mut hidden) = (Vec::new(), Vec::new());
        for group in &TABLE {
            match self.has(group.name) {
                true => shown.extend((group.tools)()),
                false => hidden.extend((group.tools)().iter().map(Entry::name)),
            }
        }
        Toolbox::new(shown).without(hidden)
    }

    /// Everything a server shows.
    pub(crate) fn shown(&self) -> Shown {
        Shown {
            instructions: self.instructions(),
            toolbox: self.toolbox(),
            sessions: self.has(SESSION),
        }
    }

    fn instructions(&self) -> String {
        let parts = TABLE.iter().filter(|group| self.has(group.name));
        let parts: Vec<&str> = parts.map(|group| group.instructions).collect();
        parts.join("\n").trim().to_owned()
    }

    fn has(&self, name: &str) -> bool {
        self.chosen.contains(&name)
    }
}

/// Characters shown of a word that names no group.
const LONGEST_NAMED: usize = 40;

fn names(which: impl Fn(&Group) -> bool) -> Names {
    TABLE
        .iter()
        .filter(|group| which(group))
        .map(|group| group.name)
        .collect()
}

fn with_tools() -> String {
    names(|group| !(group.tools)().is_empty()).join(", ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn shown(setting: &str) -> Vec<String> {
        let toolbox = Groups::chosen(Some(setting)).unwrap().toolbox();
        let tools = toolbox.list();
        tools.iter().map(|tool| tool.name.to_string()).collect()
    }

    #[test]
    fn nothing_chosen_is_everything() {
        let all = Groups::chosen(None).unwrap().toolbox().list().len();
        assert!(all >= 7, "{all}");
        for setting in ["", " ", ",", " , ,"] {
            assert_eq!(shown(setting).len(), all, "{setting:?}");
        }
    }

    #[test]
    fn a_group_shows_its_own_tools_alone() {
        for setting in ["session", " session ,session"] {
            let tools = shown(setting);
            assert_eq!(tools.len(), 7, "{setting:?}");
            assert!(tools.iter().all(|name| name.starts_with("devpilot_session_")));
        }
    }

    #[test]
    fn a_credential_in_the_setting_is_not_repeated() {
        let key = ["ghp_", "x7Kp2mQ9vR4tW8zB3nF6hJ1cL5dS0gYaE2uo"].concat();
        let error = Groups::chosen(Some(&key)).unwrap_err().to_string();
        assert!(
            error.contains("does not exist") && !error.contains("x7Kp2mQ9"),
            "{error}"
        );
    }

    #[test]
    fn a_word_that_is_no_group_is_an_error_that_names_what_can_be_chosen() {
        for setting in ["sesion", "session,Session", "session history", "all"] {
            let error = Groups::chosen(Some(setting)).unwrap_err();
            assert!(matches!(error, GroupError::Unknown { .. }), "{setting:?}");
            let said = error.to_string();
            let (_, named) = said.split_once("Choose from ").unwrap();
            let named: Vec<&str> = named.split(", or leave").next().unwrap().split(", ").collect();
            assert!(named.len() >= 2, "{said}");
            // By the tools that a server of this setting lists: each name can be chosen, and together they are all there is.
            let listed: usize = named.iter().map(|name| shown(name).len()).sum();
            assert!(named.iter().all(|name| !shown(name).is_empty()), "{said}");
            assert_eq!(listed, shown("").len(), "{said}");
        }
    }

    #[test]
    fn a_group_without_tools_is_an_error_that_says_so() {
        let error = Groups::chosen(Some("session,claims")).unwrap_err();
        assert_eq!(error, GroupError::NoTools { group: "claims" });
        assert!(error.to_string().contains("no tools in this version"), "{error}");
    }

    #[test]
    fn the_instructions_of_any_choice_are_at_most_1500_characters() {
        for setting in ["", "session"] {
            let instructions = Groups::chosen(Some(setting)).unwrap().instructions();
            assert!(!instructions.is_empty());
            assert!(
                instructions.chars().count() <= 1_500,
                "{}",
                instructions.chars().count()
            );
        }
    }

    #[test]
    fn without_the_sessions_nothing_is_said_or_shown_of_them() {
        let history = Groups::chosen(Some("history")).unwrap().shown();
        assert!(!history.sessions);
        assert!(
            !history.instructions.contains("session"),
            "{}",
            history.instructions
        );
        let session = Groups::chosen(Some("session")).unwrap().shown();
        assert!(session.sessions && session.instructions.contains("devpilot_session_read"));
    }
}
