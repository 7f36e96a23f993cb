//! The join link (`crypto.md` section 4): its text form, found in pasted text, withheld from other text.

pub(crate) mod base32;
mod find;
mod redact;
mod shape;

use sha2::{Digest, Sha256};
use wire::ids::SessionId;
use zeroize::Zeroizing;

use crate::secret::{LinkKind, LinkSecret};

pub use find::{decoded, find, undone};
pub use redact::{WITHHELD, redact};

/// Bytes of a token: secret, epoch, check.
const TOKEN_LEN: usize = 40;

/// A session link. Its secret opens the session, so neither Debug nor an error shows it.
#[derive(Debug)]
pub struct Link {
    /// Scheme, host and port: `https://plane.example:8443`. It is whatever the sender wrote.
    pub origin: String,
    /// The session.
    pub session_id: SessionId,
    /// The epoch whose secret it carries, from 1.
    pub epoch: u32,
    /// The secret.
    pub secret: LinkSecret,
}

impl Link {
    /// The text to hand on. It is a secret as a whole.
    pub fn to_text(&self) -> Zeroizing<String> {
        let kind = self.secret.kind();
        let mut token = Zeroizing::new([0; TOKEN_LEN]);
        let (secret, rest) = token.split_at_mut(32);
        secret.copy_from_slice(self.secret.expose());
        let (epoch, check) = rest.split_at_mut(4);
        epoch.copy_from_slice(&self.epoch.to_be_bytes());
        check.copy_from_slice(&check_of(
            kind,
            &self.session_id,
            self.epoch,
            self.secret.expose(),
        ));

        // Enough room from the start: growing would leave copies of the token behind.
        let mut text = Zeroizing::new(String::with_capacity(self.origin.len() + 128));
        text.push_str(&self.origin);
        text.push_str("/s/");
        text.extend(
            self.session_id
                .to_string()
                .chars()
                .filter(|symbol| *symbol != '-'),
        );
        text.push_str("#dp1");
        text.push(kind.letter());
        text.push_str(&base32::encode(&token));
        text
    }
}

/// The error check of a token: no defence, but it covers the session id.
pub(crate) fn check_of(kind: LinkKind, session: &SessionId, epoch: u32, secret: &[u8; 32]) -> [u8; 4] {
    let mut hash = Sha256::new();
    hash.update(b"devpilot-session v1 link");
    hash.update([kind.letter() as u8]);
    hash.update(session.as_bytes());
    hash.update(epoch.to_be_bytes());
    hash.update(secret);
    let [a, b, c, d, ..] = <[u8; 32]>::from(hash.finalize());
    [a, b, c, d]
}
