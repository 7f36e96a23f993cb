//! `config.toml`: what a person may set for every host at once, since hosts clear the environment.
//!
//! This room reads and checks; it opens no connection. An unknown key is an error that names it, so that a
//! misspelt setting is never silently without effect.
//!
//! Source: `mcp-client.md`, Environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::home::{Environment, Home, HomeError, SecretText, files};
use crate::plane::{Origin, ProxySetting};

/// Where programs look for a proxy of https, in this order.
const PROXY_VARIABLES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
/// Where programs look for the hosts that it is not for.
const EXCEPTION_VARIABLES: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// The settings of `config.toml`. A missing file is the default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// PEM files of certificate authorities to trust beside the system's. Relative paths start at the home folder.
    pub certificate_authorities: Vec<PathBuf>,
    /// The proxy for requests to planes: a URL. It may hold a password, so it is never printed.
    pub proxy: Option<SecretText>,
    /// Hosts that are reached without a proxy, as in `NO_PROXY`: comma-separated; `*` is all. It counts in place of the
    /// environment's.
    pub no_proxy: Option<String>,
    /// The name to join under, unless `DEVPILOT_NAME` or a call says another.
    pub name: Option<String>,
    /// Planes whose address changed, by the old one. A person's word that it is the same plane: what this machine keeps for
    /// the old address is used at the new one.
    pub moved: BTreeMap<Origin, Origin>,
}

/// `config.toml` can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// A line is no TOML, or a key is unknown or has a value of another kind.
    #[error("{} line {line}: {what}. Correct the file; nothing else was read from it.", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, without the line's text: it may hold a password.
        what: String,
    },
}

impl Config {
    /// Reads `config.toml`.
    ///
    /// # Errors
    /// The file can't be read or is wrong; it is left as it is, since a person wrote it.
    pub fn load(home: &Home) -> Result<Self, ConfigError> {
        let path = home.config_file();
        let Some(bytes) = files::read(&path)? else {
            return Ok(Self::default());
        };
        let wrong = |line, what: &str| ConfigError::Wrong {
            path: path.clone(),
            line,
            what: what.to_owned(),
        };
        let text = std::str::from_utf8(&bytes).map_err(|_| wrong(1, "the file is not UTF-8"))?;
        let mut config: Self = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.bytes().take(start).filter(|byte| *byte == b'\n').count();
            wrong(before + 1, error.message())
        })?;
        let Some(moved) = at_last(&config.moved) else {
            let before = text
                .lines()
                .take_while(|line| !line.trim_start().starts_with("[moved]"));
            return Err(wrong(
                before.count() + 1,
                "the addresses under `[moved]` lead in a circle, so none of them is the plane's new one",
            ));
        };
        config.moved = moved;
        for authority in &mut config.certificate_authorities {
            *authority = home.root().join(&authority);
        }
        Ok(config)
    }

    /// The proxy for planes that are not on this machine: of this file, else of the environment.
    pub fn proxy(&self, environment: &Environment) -> Option<ProxySetting> {
        let of_environment = || {
            PROXY_VARIABLES
                .iter()
                .find_map(|from| Some((SecretText::new(environment.get(from)?), *from)))
        };
        let of_file = self.proxy.clone().map(|url| (url, "`proxy` in config.toml"));
        let (url, from) = of_file.or_else(of_environment)?;
        let except = self.no_proxy.clone();
        let except = except.or_else(|| EXCEPTION_VARIABLES.iter().find_map(|name| environment.get(name)));
        Some(ProxySetting { url, from, except })
    }

    /// The name to join under: `DEVPILOT_NAME`, this file, git's `user.name`, the OS user.
    pub fn display_name(&self, environment: &Environment) -> String {
        environment
            .get("DEVPILOT_NAME")
            .or_else(|| self.name.clone())
            .or_else(git_user_name)
            .or_else(|| os_user(environment))
            .unwrap_or_else(|| "unnamed".to_owned())
    }
}

/// Each old address with the one where its plane is at last, which may have moved more than once. None if there is a circle.
fn at_last(moved: &BTreeMap<Origin, Origin>) -> Option<BTreeMap<Origin, Origin>> {
    let last = |first: &Origin| {
        let mut at = first;
        for _ in 0..moved.len() {
            match moved.get(at) {
                Some(next) => at = next,
                None => break,
            }
        }
        (!moved.contains_key(at)).then(|| at.clone())
    };
    moved.keys().map(|old| Some((old.clone(), last(old)?))).collect()
}

/// The OS user. Hosts clear the environment of all but HOME and PATH: then it is what the home folder is called.
fn os_user(environment: &Environment) -> Option<String> {
    let named = ["USER", "LOGNAME", "USERNAME"]
        .iter()
        .find_map(|name| environment.get(name));
    named.or_else(|| {
        let home = environment.get("HOME")?;
        Some(Path::new(&home).file_name()?.to_str()?.to_owned())
    })
}

/// Git's `user.name` for the current folder; none without git.
fn git_user_name() -> Option<String> {
    let answer = Command::new("git")
        .args(["config", "--get", "user.name"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let name = String::from_utf8(answer.stdout).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;

    fn load(text: &str) -> Result<Config, ConfigError> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.toml"), text).unwrap();
        Config::load(&Home::at(folder.path()))
    }

    #[test]
    fn no_file_is_the_default() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Config::load(&Home::at(folder.path())).unwrap(), Config::default());
    }

    #[test]
    fn certificate_paths_start_at_the_home_folder() {
        let folder = tempfile::tempdir().unwrap();
        let text = "certificate_authorities = [\"corp.pem\", \"/etc/ca.pem\"]\nname = \"Ana\"\n";
        std::fs::write(folder.path().join("config.toml"), text).unwrap();
        let config = Config::load(&Home::at(folder.path())).unwrap();
        let expected = [folder.path().join("corp.pem"), PathBuf::from("/etc/ca.pem")];
        assert_eq!(config.certificate_authorities, expected);
        assert_eq!(config.name.as_deref(), Some("Ana"));
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line() {
        let error = load("name = \"Ana\"\nproxi = \"http://p\"\n")
            .unwrap_err()
            .to_string();
        assert!(error.contains("`proxi`") && error.contains("line 2"), "{error}");
    }

    #[test]
    fn planes_that_moved_twice_are_where_they_are_at_last_and_a_circle_is_refused() {
        let [one, two, three] = ["one", "two", "three"].map(|host| format!("https://{host}.example.org"));
        let moves = |moved: &[(&String, &String)]| {
            let lines: Vec<String> = moved
                .iter()
                .map(|(old, new)| format!("\"{old}\" = \"{new}\""))
                .collect();
            load(&format!("name = \"Ana\"\n[moved]\n{}\n", lines.join("\n")))
        };
        let moved = moves(&[(&one, &two), (&two, &three)]).unwrap().moved;
        let last: Vec<String> = moved.values().map(ToString::to_string).collect();
        assert_eq!(last, [three.clone(), three.clone()]);
        for circle in [
            vec![(&one, &one)],
            vec![(&one, &two), (&two, &one)],
            vec![(&three, &one), (&one, &two), (&two, &one)],
        ] {
            let error = moves(&circle).unwrap_err().to_string();
            assert!(error.contains("line 2") && error.contains("circle"), "{error}");
        }
    }

    #[test]
    fn a_password_is_neither_in_an_error_nor_in_debug() {
        let error = load("proxy = \"http://u:hunter2@p\"\nproxy = \"http://u:hunter2@q\"\n").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
        let config = load("proxy = \"http://u:hunter2@p\"\n").unwrap();
        assert!(!format!("{config:?}").contains("hunter2"));
        assert_eq!(config.proxy.unwrap().expose(), "http://u:hunter2@p");
    }

    #[test]
    fn the_name_comes_from_the_environment_first() {
        let config = Config {
            name: Some("file".to_owned()),
            ..Config::default()
        };
        let environment = Environment::of([("DEVPILOT_NAME", "env"), ("USER", "os")]);
        assert_eq!(config.display_name(&environment), "env");
        assert_eq!(config.display_name(&Environment::of([("USER", "os")])), "file");
    }

    #[test]
    fn a_cleared_environment_still_knows_who_it_is() {
        let cleared = Environment::of([("HOME", "/home/sam"), ("PATH", "/bin")]);
        assert_eq!(os_user(&cleared).as_deref(), Some("sam"));
        let named = Environment::of([("HOME", "/home/sam"), ("LOGNAME", "samantha")]);
        assert_eq!(os_user(&named).as_deref(), Some("samantha"));
    }
}
