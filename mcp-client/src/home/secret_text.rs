//! A secret that is text: a token, or a link.

use std::fmt;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// Secret text. Wiped on drop; Debug prints the type's name alone.
///
/// It has serde because state files hold tokens, and Clone because a request needs one of its own.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    /// Wraps text that must not be printed.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The text; for a request header or a file of ours, never for a log line.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText")
    }
}
