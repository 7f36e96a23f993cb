//! Ed25519 as `crypto.md` section 6.3 has it: one answer for every key and signature, whatever a library thinks.

use std::sync::OnceLock;

/// Bytes of a signature.
pub const SIGNATURE_LEN: usize = 64;

/// A public key. Whether it is one that may verify anything is asked once, at first use, and kept.
#[derive(Clone)]
pub struct VerificationKey {
    bytes: [u8; 32],
    checked: OnceLock<Option<ed25519_dalek::VerifyingKey>>,
}

impl VerificationKey {
    /// A key from its bytes, which may be anything: a key that is none verifies nothing.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self {
            bytes,
            checked: OnceLock::new(),
        }
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// Whether `signature` is this key's over `message`, by the four rules of section 6.3.
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        todo!()
    }
}

impl std::fmt::Debug for VerificationKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VerificationKey")
    }
}
