//! By what a repository is recognised across clones and worktrees. Pure.
//!
//! Hashes, not the values: a question about a repository tells its cockpit nothing about where the origin is.
//! Source: `mcp-client.md`, Claims.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::contract::Repo;

/// What is known of a working tree's repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// SHA-256 in hex of the normalised origin URL.
    pub origin: Option<String>,
    /// SHA-256 in hex of the root commit's id.
    pub root: Option<String>,
    /// The folder that all its worktrees share: absolute.
    pub folder: String,
    /// How people call it.
    pub name: String,
}

impl Marks {
    /// From what git says. `top` is the working tree, `common` the folder that its worktrees share.
    pub fn new(top: &str, common: &str, origin: Option<&str>, root: Option<&str>) -> Self {
        let normal = origin.and_then(normal_origin);
        let folder_name = || {
            let main = common.trim_end_matches("/.git").trim_end_matches("\\.git");
            let main = if main == common { top } else { main };
            main.rsplit(['/', '\\']).next().unwrap_or(main).to_owned()
        };
        Self {
            name: normal.as_deref().map_or_else(folder_name, name_of),
            origin: normal.as_deref().map(hash),
            root: root.map(hash),
            folder: common.to_owned(),
        }
    }

    /// As rows of the store.
    pub(crate) fn rows(&self) -> Vec<String> {
        let mut rows = vec![format!("folder:{}", self.folder)];
        rows.extend(self.origin.iter().map(|hash| format!("origin:{hash}")));
        rows.extend(self.root.iter().map(|hash| format!("root:{hash}")));
        rows
    }

    /// As a question has them, without the folder: it means something on this machine alone.
    pub fn question(&self) -> Repo {
        Repo {
            origin: self.origin.clone(),
            root: self.root.clone(),
            ..Repo::default()
        }
    }
}

/// The mark of an origin URL: SHA-256 in hex of its normal form. None for what is no URL of a repository elsewhere.
pub fn origin_mark(url: &str) -> Option<String> {
    normal_origin(url).as_deref().map(hash)
}

/// How people call the repository of an origin URL: the last two parts of its path.
pub fn origin_name(url: &str) -> Option<String> {
    normal_origin(url).as_deref().map(name_of)
}

fn name_of(normal: &str) -> String {
    let path = normal.split_once('/').map_or(normal, |(_, path)| path);
    let mut parts = path.rsplit('/');
    match (parts.next(), parts.next()) {
        (Some(last), Some(owner)) => format!("{owner}/{last}"),
        _ => path.to_owned(),
    }
}

fn hash(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string can't fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// `host/path`, however the URL is written: without scheme, user, password, port of the scheme, leading and trailing
/// slashes and `.git`, the host in lower case. `git@host:path` is one as well; a path of this machine is none.
fn normal_origin(url: &str) -> Option<String> {
    let url = url.trim();
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
        None => {
            let (host, path) = url.split_once(':')?;
            // A drive of Windows, or a path with a colon in it.
            if host.len() < 2 || host.contains(['/', '\\']) || path.starts_with("//") {
                return None;
            }
            return finish(host, path);
        }
    };
    if scheme == "file" {
        return None;
    }
    let (authority, path) = rest.split_once('/')?;
    let port = match scheme.as_str() {
        "ssh" | "git+ssh" => ":22",
        "https" => ":443",
        "http" => ":80",
        "git" => ":9418",
        _ => "",
    };
    let authority = match port {
        "" => authority,
        port => authority.strip_suffix(port).unwrap_or(authority),
    };
    finish(authority, path)
}

fn finish(authority: &str, path: &str) -> Option<String> {
    let host = authority
        .rsplit('@')
        .next()
        .unwrap_or(authority)
        .to_ascii_lowercase();
    let path = path.split(['?', '#']).next().unwrap_or(path).trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_origin_has_one_mark_however_it_is_written() {
        let expected = normal_origin("https://example.org/acme/pay");
        assert_eq!(expected.as_deref(), Some("example.org/acme/pay"));
        for url in [
            "https://example.org/acme/pay.git",
            "https://Example.org:443/acme/pay/",
            "https://ada:hunter2@example.org/acme/pay.git",
            "ssh://git@example.org/acme/pay.git",
            "ssh://git@example.org:22/acme/pay",
            "git@example.org:acme/pay.git",
            "git://example.org/acme/pay",
        ] {
            assert_eq!(normal_origin(url), expected, "{url}");
        }
        for other in [
            "https://example.org/acme/Pay",
            "https://example.org:8443/acme/pay",
            "https://example.com/acme/pay",
        ] {
            assert_ne!(normal_origin(other), expected, "{other}");
        }
    }

    #[test]
    fn what_lies_on_this_machine_is_no_origin() {
        for url in [
            "/srv/git/pay.git",
            "../pay",
            "file:///srv/pay",
            "C:\\work\\pay",
            "C:/work/pay",
            "",
            "pay",
        ] {
            assert_eq!(normal_origin(url), None, "{url}");
        }
    }

    #[test]
    fn a_mark_is_the_hash_and_shows_no_password() {
        let mark = origin_mark("https://ada:hunter2@example.org/acme/pay.git");
        // printf 'example.org/acme/pay' | sha256sum
        let known = "9a4b685f85180710a5066ee30a362ee2bfa4285ee3c08a9deb824abb6d22f115";
        assert_eq!(mark.as_deref(), Some(known));
    }

    #[test]
    fn a_repository_is_called_by_its_origin_or_else_by_its_folder() {
        let named = |common, origin| Marks::new("/w/fix-1", common, origin, None).name;
        assert_eq!(
            named("/w/pay/.git", Some("git@example.org:acme/pay.git")),
            "acme/pay"
        );
        assert_eq!(named("/w/pay/.git", None), "pay");
        assert_eq!(named("/w/pay.git", None), "fix-1");
    }
}
