//! Bearer tokens: 32 random bytes behind a prefix that names their kind (`plane-api.md`, Credentials).

use crate::encoding::{BadEncoding, array_from_base64url, to_base64url};

/// What a token is for; each kind has its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// `dps_`: a participant of one session, of one epoch.
    Session,
    /// `dpm_`: a machine of a user of an org.
    Machine,
    /// `dpa_`: the org console.
    Console,
}

impl TokenKind {
    /// The prefix of this kind.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Session => "dps_",
            Self::Machine => "dpm_",
            Self::Console => "dpa_",
        }
    }

    /// The text form of a token. The result is a secret.
    pub fn format(self, bytes: &[u8; 32]) -> String {
        format!("{}{}", self.prefix(), to_base64url(bytes))
    }

    /// Reads a token of any kind.
    ///
    /// # Errors
    /// No known prefix, or what follows is not 32 bytes.
    pub fn parse(text: &str) -> Result<(Self, [u8; 32]), BadEncoding> {
        [Self::Session, Self::Machine, Self::Console]
            .into_iter()
            .find_map(|kind| text.strip_prefix(kind.prefix()).map(|rest| (kind, rest)))
            .ok_or(BadEncoding)
            .and_then(|(kind, rest)| Ok((kind, array_from_base64url(rest)?)))
    }
}
