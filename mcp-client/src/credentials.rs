//! Machine tokens by plane, and which plane to share on.
//!
//! A token is given out for the origin it belongs to and for no other: a link's host is whatever its sender wrote.
//!
//! Source: `mcp-client.md`, Local files and Environment; `crypto.md` section 4.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use wire::token::TokenKind;

use crate::home::{Environment, Home, HomeError, SecretText, files};
use crate::plane::{BadOrigin, Origin};

const VERSION: u64 = 1;
const REMEDY: &str = "For a plane on this machine start it again (`devpilot-plane serve`); to any other connect again \
                      (`connect`, with its address).";

/// No plane, no token, or a file that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    /// The file can't be read or written.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// Nothing says which plane to share on.
    #[error(
        "No plane is known on this machine. Connect it to your team's with `connect` and its address, in a terminal; or start \
         one here with `devpilot-plane serve` (`make run` in a source checkout). Then try again."
    )]
    NoPlane,
    /// The plane is known, a machine token for it is not.
    #[error(
        "This machine has no token for {origin}. Connect it with `connect {origin}`, in a terminal; its operator says yes \
         there. Then try again."
    )]
    NoToken {
        /// The plane.
        origin: Origin,
    },
    /// The text is no machine token; it is not repeated.
    #[error("What was given as machine token is none: it starts with dpm_ and has 47 characters.")]
    NotAToken,
    /// `DEVPILOT_PLANE` is no address of a plane.
    #[error("DEVPILOT_PLANE is {0}")]
    Plane(#[from] BadOrigin),
}

/// The file as stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<Origin>,
    #[serde(default)]
    planes: BTreeMap<Origin, StoredPlane>,
}

#[derive(Serialize, Deserialize)]
struct StoredPlane {
    token: SecretText,
}

impl Default for Stored {
    fn default() -> Self {
        Self {
            version: VERSION,
            default: None,
            planes: BTreeMap::new(),
        }
    }
}

/// What this machine may use. Debug shows nothing.
pub struct Credentials {
    stored: Stored,
    named_plane: Option<Origin>,
    named_token: Option<SecretText>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials")
    }
}

impl Credentials {
    /// Reads `credentials.json`, `DEVPILOT_PLANE` and `DEVPILOT_BRIDGE_TOKEN`.
    ///
    /// # Errors
    /// The file is damaged (it is then set aside) or can't be read; a variable is no plane or no machine token.
    pub fn load(home: &Home, environment: &Environment) -> Result<Self, CredentialsError> {
        let stored = files::read_json(&home.credentials_file(), VERSION, REMEDY)?.unwrap_or_default();
        let named_plane = environment
            .get("DEVPILOT_PLANE")
            .map(|plane| plane.parse::<Origin>())
            .transpose()?;
        let named_token = environment
            .get("DEVPILOT_BRIDGE_TOKEN")
            .map(|token| checked(SecretText::new(token.trim())))
            .transpose()?;
        Ok(Self {
            stored,
            named_plane,
            named_token,
        })
    }

    /// The same, where a person said that planes have new addresses (`moved` in `config.toml`): what was kept for an old
    /// address counts for the new one.
    #[must_use]
    pub fn on_moved_planes(mut self, moved: &BTreeMap<Origin, Origin>) -> Self {
        for (old, new) in moved {
            if let Some(plane) = self.stored.planes.remove(old) {
                self.stored.planes.entry(new.clone()).or_insert(plane);
            }
            if self.stored.default.as_ref() == Some(old) {
                self.stored.default = Some(new.clone());
            }
        }
        self
    }

    /// The plane to share on: `DEVPILOT_PLANE`, else the one last connected.
    ///
    /// # Errors
    /// [`CredentialsError::NoPlane`], which names both ways to get one.
    pub fn share_plane(&self) -> Result<&Origin, CredentialsError> {
        let only = || match self.stored.planes.len() {
            1 => self.stored.planes.keys().next(),
            _ => None,
        };
        self.named_plane
            .as_ref()
            .or(self.stored.default.as_ref())
            .or_else(only)
            .ok_or(CredentialsError::NoPlane)
    }

    /// The machine token for exactly this plane. That of the environment belongs to the plane to share on.
    ///
    /// # Errors
    /// [`CredentialsError::NoToken`].
    pub fn machine_token(&self, origin: &Origin) -> Result<&SecretText, CredentialsError> {
        let named = match self.share_plane() {
            Ok(plane) if plane == origin => self.named_token.as_ref(),
            _ => None,
        };
        named
            .or_else(|| self.stored.planes.get(origin).map(|plane| &plane.token))
            .ok_or_else(|| CredentialsError::NoToken {
                origin: origin.clone(),
            })
    }

    /// The token of `credentials.json` for exactly this plane, whatever the environment says.
    pub fn stored_token(&self, origin: &Origin) -> Option<&SecretText> {
        self.stored.planes.get(origin).map(|plane| &plane.token)
    }

    /// The plane of `credentials.json` that is shared on unless the environment names another.
    pub fn default_plane(&self) -> Option<&Origin> {
        self.stored.default.as_ref()
    }

    /// `DEVPILOT_PLANE`.
    pub fn named_plane(&self) -> Option<&Origin> {
        self.named_plane.as_ref()
    }

    /// Whether `DEVPILOT_BRIDGE_TOKEN` is set: it then counts before the stored token of the plane to share on.
    pub fn has_named_token(&self) -> bool {
        self.named_token.is_some()
    }

    /// The planes of `credentials.json`, the default first.
    pub fn planes(&self) -> Vec<&Origin> {
        let default = self.stored.default.iter();
        let others = self
            .stored
            .planes
            .keys()
            .filter(|plane| Some(*plane) != self.stored.default.as_ref());
        default.chain(others).collect()
    }

    /// Stores a plane's machine token, and makes it the plane to share on if asked to or if there is none yet.
    ///
    /// # Errors
    /// Not a machine token, or the file can't be written.
    pub fn remember(
        home: &Home,
        origin: &Origin,
        token: SecretText,
        make_default: bool,
    ) -> Result<(), CredentialsError> {
        let token = checked(token)?;
        change(home, |stored| {
            stored.planes.insert(origin.clone(), StoredPlane { token });
            if make_default || stored.default.is_none() {
                stored.default = Some(origin.clone());
            }
        })
    }

    /// Makes a plane the one to share on.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn make_default(home: &Home, origin: &Origin) -> Result<(), CredentialsError> {
        change(home, |stored| stored.default = Some(origin.clone()))
    }

    /// Whether a token could be stored now: asked before one is fetched that can be fetched once only.
    ///
    /// # Errors
    /// The file or its folder can't be written.
    pub fn try_storing(home: &Home) -> Result<(), CredentialsError> {
        change(home, |_| {})
    }
}

/// Changes the file. Two machines' logins at once must not lose one of the tokens.
fn change(home: &Home, change: impl FnOnce(&mut Stored)) -> Result<(), CredentialsError> {
    home.make_folder(home.root())?;
    let path = home.credentials_file();
    let lock_path = path.with_extension("lock");
    let lock = files::open_private(&lock_path)?;
    lock.lock().map_err(|source| HomeError::io(&lock_path, source))?;
    let mut stored: Stored = files::read_json(&path, VERSION, REMEDY)?.unwrap_or_default();
    change(&mut stored);
    files::write_json(&path, &stored)?;
    Ok(())
}

fn checked(token: SecretText) -> Result<SecretText, CredentialsError> {
    match TokenKind::parse(token.expose()) {
        Ok((TokenKind::Machine, _)) => Ok(token),
        _ => Err(CredentialsError::NotAToken),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const HERE: &str = "http://127.0.0.1:8787";
    const THERE: &str = "https://plane.example";

    fn token(byte: u8) -> String {
        TokenKind::Machine.format(&[byte; 32])
    }

    fn origin(text: &str) -> Origin {
        text.parse().unwrap()
    }

    fn home() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home"));
        (folder, home)
    }

    #[test]
    fn the_stored_form_is_the_documented_one() {
        let (_folder, home) = home();
        home.make_folder(home.root()).unwrap();
        let text = format!(
            r#"{{"version":1,"default":"{HERE}","planes":{{"{HERE}":{{"token":"{}"}}}}}}"#,
            token(7)
        );
        std::fs::write(home.credentials_file(), text).unwrap();
        let credentials = Credentials::load(&home, &Environment::of([])).unwrap();
        assert_eq!(credentials.share_plane().unwrap().to_string(), HERE);
        assert_eq!(
            credentials.machine_token(&origin(HERE)).unwrap().expose(),
            token(7)
        );
        assert!(!format!("{credentials:?}").contains("dpm_"));
    }

    #[test]
    fn a_token_is_given_for_its_own_plane_only() {
        let (_folder, home) = home();
        Credentials::remember(&home, &origin(HERE), SecretText::new(token(1)), false).unwrap();
        let bridge = token(9);
        let environment = Environment::of([("DEVPILOT_BRIDGE_TOKEN", &bridge)]);
        let credentials = Credentials::load(&home, &environment).unwrap();
        assert_eq!(credentials.machine_token(&origin(HERE)).unwrap().expose(), bridge);
        let refused = credentials.machine_token(&origin(THERE)).unwrap_err();
        assert!(matches!(refused, CredentialsError::NoToken { .. }));

        let environment = Environment::of([("DEVPILOT_BRIDGE_TOKEN", &bridge), ("DEVPILOT_PLANE", THERE)]);
        let credentials = Credentials::load(&home, &environment).unwrap();
        assert_eq!(credentials.share_plane().unwrap().to_string(), THERE);
        assert_eq!(
            credentials.machine_token(&origin(THERE)).unwrap().expose(),
            bridge
        );
        assert_eq!(
            credentials.machine_token(&origin(HERE)).unwrap().expose(),
            token(1)
        );
    }

    #[test]
    fn an_unknown_plane_names_both_ways() {
        let (_folder, home) = home();
        let credentials = Credentials::load(&home, &Environment::of([])).unwrap();
        let text = credentials.share_plane().unwrap_err().to_string();
        assert!(text.contains("with `connect` and its address") && text.contains("`devpilot-plane serve`"));
    }

    #[test]
    fn a_plane_is_the_default_when_asked() {
        let (_folder, home) = home();
        Credentials::remember(&home, &origin(HERE), SecretText::new(token(1)), false).unwrap();
        Credentials::remember(&home, &origin(THERE), SecretText::new(token(2)), false).unwrap();
        let load = || Credentials::load(&home, &Environment::of([])).unwrap();
        assert_eq!(load().share_plane().unwrap().to_string(), HERE);
        Credentials::remember(&home, &origin(THERE), SecretText::new(token(3)), true).unwrap();
        assert_eq!(load().share_plane().unwrap().to_string(), THERE);
        assert_eq!(load().machine_token(&origin(HERE)).unwrap().expose(), token(1));
        assert_eq!(load().planes(), [&origin(THERE), &origin(HERE)]);
        Credentials::make_default(&home, &origin(HERE)).unwrap();
        assert_eq!(load().share_plane().unwrap().to_string(), HERE);
        assert_eq!(load().stored_token(&origin(THERE)).unwrap().expose(), token(3));
    }

    #[test]
    fn what_is_no_machine_token_is_refused_unseen() {
        let session = TokenKind::Session.format(&[1; 32]);
        let environment = Environment::of([("DEVPILOT_BRIDGE_TOKEN", &session)]);
        let (_folder, home) = home();
        let error = Credentials::load(&home, &environment).unwrap_err().to_string();
        assert!(!error.contains(&session), "{error}");
        assert_eq!(token(0).len(), 47);
    }

    #[test]
    fn a_damaged_file_is_set_aside() {
        let (_folder, home) = home();
        home.make_folder(home.root()).unwrap();
        std::fs::write(home.credentials_file(), "{\"version\":1,\"planes\":{\"secret").unwrap();
        let error = Credentials::load(&home, &Environment::of([]))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("damaged-") && error.contains("devpilot-plane serve") && !error.contains("secret"),
            "{error}"
        );
        assert!(Credentials::load(&home, &Environment::of([])).is_ok());
        let kept = std::fs::read_dir(home.root()).unwrap().count();
        assert_eq!(kept, 1);
    }
}
