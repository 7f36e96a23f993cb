//! Which repository is meant, and which of its files.

use std::path::{Path, PathBuf};

use ::cockpit::contract::Repo;
use ::cockpit::{Checkout, GitError, identify, origin_mark, within};

use super::bad;
use crate::render;
use crate::verbs::failure::{Failure, code};
use crate::verbs::host::{Face, Host};

/// The longest name of a repository.
const NAME_MAX: usize = 200;

/// What is meant.
pub(super) struct Meant {
    named: Named,
    /// Relative to the repository's top, as git has them.
    pub(super) paths: Vec<String>,
}

enum Named {
    /// A working tree of this machine.
    Tree(Checkout),
    /// By the hash of its origin.
    Origin(String),
    /// By a name that the cockpit knows.
    Name(String),
}

impl Meant {
    /// The name, if it is meant by nothing else.
    pub(super) fn name(&self) -> Option<&str> {
        match &self.named {
            Named::Name(name) => Some(name),
            Named::Tree(_) | Named::Origin(_) => None,
        }
    }

    /// As a cockpit is asked. A folder means something on its own machine alone.
    pub(super) fn repo(&self, here: bool) -> Repo {
        match &self.named {
            Named::Tree(checkout) => Repo {
                folder: here.then(|| checkout.top.to_string_lossy().into_owned()),
                name: (!here).then(|| checkout.marks.name.clone()),
                ..checkout.marks.question()
            },
            Named::Origin(origin) => Repo {
                origin: Some(origin.clone()),
                ..Repo::default()
            },
            Named::Name(name) => Repo {
                name: Some(name.clone()),
                ..Repo::default()
            },
        }
    }
}

/// Finds out what `named` (the working folder's repository if it is left out) and `paths` mean.
pub(super) async fn meant(
    named: Option<&str>,
    paths: &[String],
    host: &dyn Host,
    home: Option<PathBuf>,
) -> Result<Meant, Failure> {
    let here = working_folder(host);
    let own = match &here {
        Some(here) => tree(here).await?,
        None => None,
    };
    let Some(named) = named.map(str::trim).filter(|named| !named.is_empty()) else {
        let (Some(here), Some(checkout)) = (here, own) else {
            return Err(no_repository(&format!(
                "This folder is in no git repository. {}",
                by(host.face())
            )));
        };
        return in_tree(checkout, &here, paths);
    };
    if named.len() > ::cockpit::limits::PATH || named.contains('\0') {
        return Err(bad(&format!(
            "{} is the folder, the origin URL or the name of a repository.",
            host.face().argument("repo")
        )));
    }
    if let Some(origin) = origin_mark(named) {
        return match (here, own) {
            (Some(here), Some(own)) if own.marks.origin.as_ref() == Some(&origin) => {
                in_tree(own, &here, paths)
            }
            _ => relative(Named::Origin(origin), paths),
        };
    }
    let folder = match (named.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => here.as_deref().unwrap_or(Path::new("/")).join(named),
    };
    if let Some(checkout) = tree(&folder).await? {
        let is_own = own.as_ref().is_some_and(|own| own.top == checkout.top);
        let from = here.filter(|_| is_own).unwrap_or_else(|| checkout.top.clone());
        return in_tree(checkout, &from, paths);
    }
    if Path::new(named).is_absolute() || named.starts_with(['.', '~']) || named.len() > NAME_MAX {
        let shown = render::title(named);
        return Err(no_repository(&format!(
            "\"{shown}\" is in no git repository. {}",
            by(host.face())
        )));
    }
    match (here, own) {
        (Some(here), Some(own)) if is_called(&own.marks.name, named) => in_tree(own, &here, paths),
        _ => relative(Named::Name(named.to_owned()), paths),
    }
}

/// How a repository is named.
fn by(face: Face) -> String {
    format!(
        "Name one with {}: its folder, origin URL or name.",
        face.argument("repo")
    )
}

/// That nothing goes by a name.
pub(super) fn unknown(name: &str, face: Face) -> Failure {
    let shown = render::title(name);
    no_repository(&format!(
        "There is no repository \"{shown}\": it is no folder here, and the cockpit knows none of that name. {}",
        by(face)
    ))
}

fn no_repository(text: &str) -> Failure {
    Failure::new(code::NO_REPOSITORY, text)
}

/// Whether a repository goes by a name: the whole of its own, or the last part.
fn is_called(own: &str, named: &str) -> bool {
    own.strip_suffix(named)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Where paths start: the folder of this process as far as it is in the host's, else that one.
fn working_folder(host: &dyn Host) -> Option<PathBuf> {
    let folder = host.folder()?;
    let current = std::env::current_dir()
        .ok()
        .filter(|current| current.starts_with(folder));
    let here = current.unwrap_or_else(|| folder.to_path_buf());
    Some(here.canonicalize().unwrap_or(here))
}

async fn tree(folder: &Path) -> Result<Option<Checkout>, Failure> {
    identify(folder).await.map_err(|error| match error {
        GitError::Missing(_) => Failure::new(code::LOCAL_FILE, error.to_string()),
        other => Failure::new(
            code::LOCAL_FILE,
            format!("The repository can't be looked at: {other}."),
        ),
    })
}

fn in_tree(checkout: Checkout, here: &Path, paths: &[String]) -> Result<Meant, Failure> {
    let paths = each(paths, |path| within(&checkout.top, here, path))?;
    Ok(Meant {
        named: Named::Tree(checkout),
        paths,
    })
}

/// Of a repository that may not be on this machine paths start at its top.
fn relative(named: Named, paths: &[String]) -> Result<Meant, Failure> {
    let top = Path::new("/");
    let paths = each(paths, |path| match Path::new(path).is_absolute() {
        true => Err(::cockpit::PathError::Outside(
            "the top, at which paths of another repository start".to_owned(),
        )),
        false => within(top, top, path),
    })?;
    Ok(Meant { named, paths })
}

fn each(
    paths: &[String],
    path: impl Fn(&str) -> Result<String, ::cockpit::PathError>,
) -> Result<Vec<String>, Failure> {
    let one = |raw: &String| {
        if raw.len() > ::cockpit::limits::PATH {
            return Err(bad("A path has at most 4,096 bytes."));
        }
        path(raw).map_err(|error| {
            bad(&format!(
                "The path \"{}\" can't be asked about: {error}.",
                render::title(raw)
            ))
        })
    };
    paths.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use ::cockpit::{Marks, ObjectFormat};

    use super::*;

    /// A folder's name says who works where, and means nothing on another machine.
    #[test]
    fn a_cockpit_elsewhere_is_told_no_folder_of_this_machine() {
        for origin in [Some("https://git.example/acme/pay.git"), None] {
            let (top, common) = ("/home/ana/secret-client/pay", "/home/ana/secret-client/pay/.git");
            let meant = Meant {
                named: Named::Tree(Checkout {
                    top: top.into(),
                    git_dir: common.into(),
                    common_dir: common.into(),
                    format: ObjectFormat::Sha1,
                    marks: Marks::new(
                        top,
                        common,
                        origin,
                        Some("0123456789abcdef0123456789abcdef01234567"),
                    ),
                }),
                paths: vec!["src/main.rs".to_owned()],
            };
            let elsewhere = meant.repo(false);
            assert_eq!(elsewhere.folder, None);
            let sent = serde_json::to_string(&elsewhere).unwrap_or_default();
            assert!(sent.contains("pay") && !sent.contains("secret-client"), "{sent}");
            assert_eq!(meant.repo(true).folder.as_deref(), Some(top));
        }
    }
}
