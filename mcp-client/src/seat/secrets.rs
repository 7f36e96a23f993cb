//! The secrets of a seat. All wipe themselves on drop and hide from Debug; they have serde because the state file
//! holds them (`crypto.md` section 15).

use std::fmt;

use seal::secret::{LinkKind, LinkSecret};
use serde::{Deserialize, Serialize};
use wire::encoding::Secret32;

use crate::home::SecretText;

/// What a seat holds of one epoch.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EpochSecret {
    /// S: of the epoch in force, where this seat came by a full link.
    Full(Secret32),
    /// R: of earlier epochs, and where this seat came by a view link.
    View(Secret32),
}

impl EpochSecret {
    /// For the checks of `crypto.md` section 5, which come before any use.
    pub fn to_link_secret(&self) -> LinkSecret {
        match self {
            Self::Full(secret) => LinkSecret::from_bytes(LinkKind::Full, *secret.expose()),
            Self::View(secret) => LinkSecret::from_bytes(LinkKind::View, *secret.expose()),
        }
    }
}

impl From<&LinkSecret> for EpochSecret {
    fn from(secret: &LinkSecret) -> Self {
        let bytes = Secret32::new(*secret.expose());
        match secret.kind() {
            LinkKind::Full => Self::Full(bytes),
            LinkKind::View => Self::View(bytes),
        }
    }
}

impl fmt::Debug for EpochSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EpochSecret")
    }
}

/// A seat's own keys, exactly as drawn (`crypto.md` section 6).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentitySecrets {
    /// The X25519 secret key.
    pub sk: Secret32,
    /// The Ed25519 seed.
    pub seed: Secret32,
}

impl fmt::Debug for IdentitySecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdentitySecrets")
    }
}

/// The plane's token for this participant. It counts only while its epoch is the session's.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionToken {
    /// `dps_…`.
    pub text: SecretText,
    /// The epoch it was given in.
    pub epoch: u32,
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken")
    }
}
