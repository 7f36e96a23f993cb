//! The way to a cockpit: which one is meant, and one bounded exchange with it.
//!
//! A cockpit is on this machine, or behind TLS. It gets no credential of a plane and no link: the only token ever sent is the
//! one that the cockpit of this very home wrote for its user, and only to where that one listens. What it answers is data
//! by whoever wrote the titles and reports in it, and is judged as such by the verb.
//!
//! Source: `docs/cockpit.md`, decision 0025.

mod exchange;

use ::cockpit::address::{self, Address};

pub(crate) use exchange::AskError;

use crate::home::{Environment, Home, SecretText};
use crate::plane::{BadOrigin, Origin};

/// The variable that names another cockpit.
pub(crate) const VARIABLE: &str = "DEVPILOT_COCKPIT_URL";
/// Where one listens unless it is told otherwise.
pub(crate) const DEFAULT: &str = "http://127.0.0.1:3847";

/// A cockpit that can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cockpit {
    origin: Origin,
    token: Option<SecretText>,
}

impl Cockpit {
    /// The one to ask: as the environment says, else the one that runs for this home, else the default's.
    ///
    /// # Errors
    /// The environment names what is neither on this machine nor behind TLS.
    pub(crate) fn meant(environment: &Environment, home: &Home) -> Result<Self, BadOrigin> {
        let named = environment
            .get(VARIABLE)
            .map(|url| url.parse::<Origin>())
            .transpose()?;
        let own = Self::own(home);
        match (named, own) {
            (None, Some(own)) => Ok(own),
            (Some(named), Some(own)) if named == own.origin => Ok(own),
            (named, _) => Ok(Self {
                origin: match named {
                    Some(named) => named,
                    None => DEFAULT.parse()?,
                },
                token: None,
            }),
        }
    }

    /// The one that runs for this home; none if none does.
    pub(crate) fn own(home: &Home) -> Option<Self> {
        let Address { url, token } = address::find(&home.cockpit_folder())?;
        Some(Self {
            origin: url.parse().ok().filter(Origin::is_loopback)?,
            token: Some(SecretText::new(token)),
        })
    }

    /// Where it is.
    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever could write that file elsewhere would get the titles and reports of this user.
    #[test]
    fn the_cockpit_of_this_home_is_on_this_machine() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let cockpit = home.cockpit_folder();
        std::fs::create_dir_all(&cockpit).unwrap();
        // Held, as by a cockpit that runs.
        let lock = std::fs::File::create(cockpit.join("lock")).unwrap();
        lock.lock().unwrap();
        for (url, is_told) in [
            ("http://127.0.0.1:9", true),
            ("http://[::1]:9", true),
            ("https://cockpit.example", false),
            ("https://192.0.2.1:3847", false),
            ("http://127.0.0.1.evil.example:9", false),
        ] {
            let address = serde_json::json!({ "url": url, "token": "t" });
            std::fs::write(cockpit.join("address.json"), address.to_string()).unwrap();
            assert_eq!(Cockpit::own(&home).is_some(), is_told, "{url}");
        }
    }

    /// The variable may name anybody's: whoever listens there must not be able to ask this user's cockpit.
    #[test]
    fn the_token_goes_to_the_cockpit_that_wrote_it_and_to_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let cockpit = home.cockpit_folder();
        std::fs::create_dir_all(&cockpit).unwrap();
        let lock = std::fs::File::create(cockpit.join("lock")).unwrap();
        lock.lock().unwrap();
        let address = serde_json::json!({ "url": "http://127.0.0.1:9", "token": "t" });
        std::fs::write(cockpit.join("address.json"), address.to_string()).unwrap();
        for (named, has_token) in [
            ("", true),
            ("http://127.0.0.1:9", true),
            ("http://127.0.0.1:10", false),
            ("http://localhost:9", false),
            ("http://[::1]:9", false),
            ("https://127.0.0.1:9", false),
            ("https://cockpit.example", false),
        ] {
            let meant = Cockpit::meant(&Environment::of([(VARIABLE, named)]), &home).unwrap();
            let expected = if named.is_empty() {
                "http://127.0.0.1:9"
            } else {
                named
            };
            assert_eq!(
                (meant.origin.to_string().as_str(), meant.token.is_some()),
                (expected, has_token)
            );
        }
    }

    #[test]
    fn a_cockpit_is_on_this_machine_or_behind_tls() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let meant = |url| Cockpit::meant(&Environment::of([(VARIABLE, url)]), &home);
        for url in [
            "http://127.0.0.1:9",
            "http://localhost:9",
            "http://[::1]:9",
            "https://cockpit.example",
        ] {
            let cockpit = meant(url).unwrap();
            assert_eq!((cockpit.origin.to_string().as_str(), cockpit.token), (url, None));
        }
        for url in [
            "http://192.0.2.1:3847",
            "http://cockpit.example",
            "ftp://127.0.0.1",
            "127.0.0.1:3847",
        ] {
            assert!(meant(url).is_err(), "{url}");
        }
        assert_eq!(meant("").unwrap().origin.to_string(), DEFAULT);
    }
}
