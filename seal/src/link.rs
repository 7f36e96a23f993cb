//! The join link (`crypto.md` section 4): its text form, found in pasted text, withheld from other text.

mod base32;
mod find;
mod redact;

use wire::ids::SessionId;
use zeroize::Zeroizing;

use crate::secret::LinkSecret;

pub use find::find;
pub use redact::redact;

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
        todo!()
    }
}
