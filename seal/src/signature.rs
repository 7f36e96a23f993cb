//! Ed25519 as `crypto.md` section 6.3 has it: one answer for every key and signature, whatever a library thinks.

use std::fmt;
use std::sync::OnceLock;

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

use crate::kdf::Derived;

/// Bytes of a signature.
pub const SIGNATURE_LEN: usize = 64;

/// The encoding of the neutral element, which no signature may begin with.
const NEUTRAL: [u8; 32] = {
    let mut bytes = [0; 32];
    bytes[0] = 1;
    bytes
};

/// A public key. Whether it is one that may verify anything is asked once, at first use, and kept.
#[derive(Clone)]
pub struct VerificationKey {
    bytes: [u8; 32],
    checked: OnceLock<Option<VerifyingKey>>,
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
    #[expect(
        clippy::disallowed_methods,
        reason = "the rules that the method lacks are checked here"
    )]
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        let (Some(key), Ok(signature)) = (self.checked(), Signature::from_slice(signature)) else {
            return false;
        };
        // Rules 1 and 4 are the library's (it compares bytes, without the cofactor). With an A of order L, an R that
        // passes 4 has order L or is the neutral element, so 3 leaves nothing for `verify_strict` to find; it is
        // called all the same, and says no to more rather than less.
        *signature.r_bytes() != NEUTRAL && key.verify_strict(message, &signature).is_ok()
    }

    /// Rule 2: the canonical encoding of a point of order exactly L.
    fn checked(&self) -> Option<&VerifyingKey> {
        self.checked
            .get_or_init(|| {
                let key = VerifyingKey::from_bytes(&self.bytes).ok()?;
                let point = key.to_edwards();
                let good = point.compress().to_bytes() == self.bytes
                    && point.is_torsion_free()
                    && !point.is_small_order();
                good.then_some(key)
            })
            .as_ref()
    }
}

impl PartialEq for VerificationKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for VerificationKey {}

impl fmt::Debug for VerificationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VerificationKey")
    }
}

/// A private key that was derived, not drawn: the posting key's.
pub(crate) struct SigningSeed(Derived);

impl SigningSeed {
    pub(crate) const fn new(seed: Derived) -> Self {
        Self(seed)
    }

    pub(crate) fn public(&self) -> [u8; 32] {
        SigningKey::from_bytes(&self.0).verifying_key().to_bytes()
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; SIGNATURE_LEN] {
        SigningKey::from_bytes(&self.0).sign(message).to_bytes()
    }
}
