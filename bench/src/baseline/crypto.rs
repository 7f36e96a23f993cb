//! What nobody who opens and checks messages can do without, bare, on one core: SHA-256 over each sealed body,
//! XChaCha20-Poly1305 over its ciphertext, one Ed25519 signature over what was written.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use chacha20poly1305::aead::inout::InOutBuf;
use chacha20poly1305::aead::{AeadInOut as _, KeyInit as _};
use chacha20poly1305::{Tag, XChaCha20Poly1305, XNonce};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};

const NONCE: usize = 24;
const TAG: usize = 16;

/// A sealed body, without any form of its own.
struct Sealed {
    nonce: XNonce,
    tag: Tag,
    text: Vec<u8>,
    signature: Signature,
}

/// As many bodies as there are lengths, of which so many bytes each were signed.
pub(crate) struct Bodies {
    cipher: XChaCha20Poly1305,
    key: VerifyingKey,
    sealed: Vec<Sealed>,
    signed: usize,
}

impl std::fmt::Debug for Bodies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bodies({})", self.sealed.len())
    }
}

impl Bodies {
    /// Seals and signs them.
    ///
    /// # Errors
    /// A length that leaves no room for a nonce and a tag.
    pub(crate) fn new(lengths: impl Iterator<Item = usize>, signed: usize) -> Result<Self> {
        let random = || std::iter::repeat_with(|| fastrand::u8(..));
        let secret: [u8; 32] = std::array::from_fn(|_| fastrand::u8(..));
        let signer = SigningKey::from_bytes(&secret);
        let cipher = XChaCha20Poly1305::new(&secret.into());
        let sealed = lengths.map(|length| {
            let length = length
                .checked_sub(NONCE + TAG)
                .filter(|length| *length >= signed)
                .ok_or_else(|| anyhow!("a body of {length} bytes"))?;
            let mut text: Vec<u8> = random().take(length).collect();
            let signature = signer.sign(text.get(..signed).unwrap_or_default());
            let nonce: [u8; NONCE] = std::array::from_fn(|_| fastrand::u8(..));
            let nonce = XNonce::from(nonce);
            let tag = cipher
                .encrypt_inout_detached(&nonce, &[], InOutBuf::from(&mut text[..]))
                .map_err(|_| anyhow!("a body that is too long"))?;
            Ok(Sealed {
                nonce,
                tag,
                text,
                signature,
            })
        });
        Ok(Self {
            sealed: sealed.collect::<Result<_>>()?,
            key: signer.verifying_key(),
            cipher,
            signed,
        })
    }

    /// Opens and checks all of them, one after the other.
    ///
    /// # Errors
    /// One does not hold.
    #[expect(
        clippy::disallowed_methods,
        reason = "the library's own check, without what `seal` adds to it"
    )]
    pub(crate) fn open(&self) -> Result<Duration> {
        let start = Instant::now();
        let mut text = Vec::new();
        for sealed in &self.sealed {
            let hash = Sha256::new()
                .chain_update(&sealed.nonce[..])
                .chain_update(&sealed.text)
                .chain_update(&sealed.tag[..])
                .finalize();
            std::hint::black_box(hash);
            text.clear();
            text.extend_from_slice(&sealed.text);
            self.cipher
                .decrypt_inout_detached(&sealed.nonce, &[], InOutBuf::from(&mut text[..]), &sealed.tag)
                .map_err(|_| anyhow!("a body that does not open"))?;
            self.key
                .verify_strict(text.get(..self.signed).unwrap_or_default(), &sealed.signature)?;
        }
        Ok(start.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_open_and_changed_ones_do_not() {
        let mut bodies = Bodies::new([1_400, 1_200].into_iter(), 1_024).unwrap();
        assert!(bodies.open().is_ok());
        bodies.sealed[1].text[7] ^= 1;
        assert!(bodies.open().is_err());
        assert!(Bodies::new([1_000].into_iter(), 1_024).is_err());
    }
}
