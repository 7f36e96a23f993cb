//! The client's `credentials.json` of the same user, so that after `serve` on a laptop the client's next command
//! works. This program writes one entry and leaves the rest of the file as it is.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use wire::token::TokenKind;

/// Why the token can't be handed to the client.
#[derive(Debug, thiserror::Error)]
pub(super) enum CredentialsError {
    /// There is no place for it.
    #[error("HOME is not set: name the client's folder with DEVPILOT_HOME")]
    NoHome,
    /// The file can't be read or written.
    #[error("{} can't be used: {error}", path.display())]
    Unusable { path: PathBuf, error: io::Error },
    /// Somebody else's, or damaged: not ours to replace.
    #[error("{} is not the client's file of version 1. Move it away, then start again.", path.display())]
    Foreign { path: PathBuf },
}

/// The file, read.
pub(super) struct ClientFile {
    path: PathBuf,
    content: Map<String, Value>,
}

const VERSION: u64 = 1;

impl ClientFile {
    /// That of this user: in `DEVPILOT_HOME`, else `~/.devpilot`. A missing one is empty.
    pub(super) fn of_this_user() -> Result<Self, CredentialsError> {
        let variable = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let folder = variable("DEVPILOT_HOME")
            .or_else(|| variable("HOME").map(|home| home.join(".devpilot")))
            .ok_or(CredentialsError::NoHome)?;
        Self::read(folder.join("credentials.json"))
    }

    fn read(path: PathBuf) -> Result<Self, CredentialsError> {
        let content = match fs::read(&path) {
            Ok(text) => match serde_json::from_slice(&text) {
                Ok(Value::Object(content)) if content.get("version") == Some(&json!(VERSION)) => content,
                _ => return Err(CredentialsError::Foreign { path }),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Map::new(),
            Err(error) => return Err(CredentialsError::Unusable { path, error }),
        };
        if content.get("planes").is_some_and(|planes| !planes.is_object()) {
            return Err(CredentialsError::Foreign { path });
        }
        Ok(Self { path, content })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The machine token for a plane.
    pub(super) fn token(&self, origin: &str) -> Option<[u8; 32]> {
        let text = self.content.get("planes")?.get(origin)?.get("token")?.as_str()?;
        match TokenKind::parse(text) {
            Ok((TokenKind::Machine, token)) => Some(token),
            _ => None,
        }
    }

    /// Keeps a machine token for a plane, and makes the plane the default if there is none.
    pub(super) fn keep(mut self, origin: &str, token: &str) -> Result<PathBuf, CredentialsError> {
        self.content.insert("version".to_owned(), json!(VERSION));
        self.content.entry("default").or_insert_with(|| json!(origin));
        let planes = self.content.entry("planes").or_insert_with(|| json!({}));
        if let Some(planes) = planes.as_object_mut() {
            planes.insert(origin.to_owned(), json!({ "token": token }));
        }
        match write(&self.path, &Value::Object(self.content)) {
            Ok(()) => Ok(self.path),
            Err(error) => Err(CredentialsError::Unusable {
                path: self.path,
                error,
            }),
        }
    }
}

/// Replaces the file in one step; nobody but its owner may read it or look into a folder made for it.
fn write(path: &Path, content: &Value) -> io::Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    private_folder(folder)?;
    let draft = path.with_extension(format!("json.{}", std::process::id()));
    let written = (|| {
        let mut file = private_file(&draft)?;
        serde_json::to_writer_pretty(&mut file, content)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(&draft, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "http://127.0.0.1:8787";

    fn token(byte: u8) -> String {
        TokenKind::Machine.format(&[byte; 32])
    }

    #[test]
    fn a_new_file_is_private_and_names_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("credentials.json");
        let file = ClientFile::read(path.clone()).unwrap();
        assert_eq!(file.token(HERE), None);
        file.keep(HERE, &token(7)).unwrap();
        assert_eq!(ClientFile::read(path.clone()).unwrap().token(HERE), Some([7; 32]));
        let stored: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let expected = json!({ "version": 1, "default": HERE, "planes": { HERE: { "token": token(7) } } });
        assert_eq!(stored, expected);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o600);
            assert_eq!(mode(path.parent().unwrap()), 0o700);
        }
        assert_eq!(
            fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1,
            "a draft was left behind"
        );
    }

    #[test]
    fn other_entries_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.json");
        let other = json!({ "version": 1, "default": "https://a.example", "later": [1],
            "planes": { "https://a.example": { "token": token(1), "note": "x" } } });
        fs::write(&path, other.to_string()).unwrap();
        ClientFile::read(path.clone())
            .unwrap()
            .keep(HERE, &token(2))
            .unwrap();
        let stored: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        assert_eq!(stored["default"], other["default"]);
        assert_eq!(stored["later"], other["later"]);
        assert_eq!(
            stored["planes"]["https://a.example"],
            other["planes"]["https://a.example"]
        );
        assert_eq!(stored["planes"][HERE]["token"], token(2));
    }

    #[test]
    fn a_file_of_another_kind_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.json");
        for text in [
            "",
            "{",
            "[]",
            "{\"version\":2}",
            "{}",
            "{\"version\":1,\"planes\":[]}",
        ] {
            fs::write(&path, text).unwrap();
            assert!(
                matches!(
                    ClientFile::read(path.clone()),
                    Err(CredentialsError::Foreign { .. })
                ),
                "{text}"
            );
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}
