//! The one place that asks the operating system for randomness (`crypto.md` section 1).
//!
//! All other rooms are deterministic: what must be fresh comes in as a value of a type that only this room
//! and `secret` can make, so that sealing with a repeated or chosen nonce does not compile.

use wire::ids::{AttachmentId, MessageId, ProposalId, SessionId};

/// Bytes of an XChaCha20-Poly1305 nonce.
pub(crate) const NONCE_LEN: usize = 24;

/// The operating system gives no randomness; nothing can be made without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gives no randomness; try again, and restart the machine if it stays so")]
pub struct Unavailable;

/// `N` fresh bytes.
///
/// # Errors
/// [`Unavailable`].
pub fn bytes<const N: usize>() -> Result<[u8; N], Unavailable> {
    let mut out = [0; N];
    getrandom::fill(&mut out).map_err(|_| Unavailable)?;
    Ok(out)
}

/// A fresh nonce. Sealing takes it by value and it cannot be cloned: it serves once.
#[derive(Debug)]
pub struct Nonce([u8; NONCE_LEN]);

impl Nonce {
    /// A fresh one from the operating system.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub fn random() -> Result<Self, Unavailable> {
        bytes().map(Self)
    }

    /// A chosen nonce, to make known bytes again. For test vectors alone.
    #[cfg(feature = "hazmat")]
    pub fn from_bytes(bytes: [u8; NONCE_LEN]) -> Self {
        Self(bytes)
    }

    pub(crate) fn into_bytes(self) -> [u8; NONCE_LEN] {
        self.0
    }
}

/// A version 4 UUID (RFC 9562).
fn uuid() -> Result<[u8; 16], Unavailable> {
    let id = u128::from_be_bytes(bytes()?);
    let version = id & !(0xf << 76) | 4 << 76;
    Ok((version & !(0b11 << 62) | 0b10 << 62).to_be_bytes())
}

/// A fresh session id.
///
/// # Errors
/// [`Unavailable`].
pub fn session_id() -> Result<SessionId, Unavailable> {
    uuid().map(SessionId::from_bytes)
}

/// A fresh message id.
///
/// # Errors
/// [`Unavailable`].
pub fn message_id() -> Result<MessageId, Unavailable> {
    uuid().map(MessageId::from_bytes)
}

/// A fresh proposal id.
///
/// # Errors
/// [`Unavailable`].
pub fn proposal_id() -> Result<ProposalId, Unavailable> {
    uuid().map(ProposalId::from_bytes)
}

/// A fresh attachment id.
///
/// # Errors
/// [`Unavailable`].
pub fn attachment_id() -> Result<AttachmentId, Unavailable> {
    uuid().map(AttachmentId::from_bytes)
}
