//! The two ciphers, in place: XChaCha20-Poly1305 for what is stored, ChaCha20-Poly1305 for HPKE.

use chacha20poly1305::aead::inout::InOutBuf;
use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};

use crate::random::NONCE_LEN;

/// Bytes that sealing adds.
pub(crate) const TAG_LEN: usize = 16;

/// The tag does not fit: wrong key, nonce, associated data or ciphertext.
pub(crate) struct BadTag;

/// Seals in place and gives the tag to put behind.
pub(crate) fn xseal(key: &[u8; 32], nonce: &[u8; NONCE_LEN], aad: &[u8], text: &mut [u8]) -> [u8; TAG_LEN] {
    let sealed =
        XChaCha20Poly1305::new(key.into()).encrypt_inout_detached(nonce.into(), aad, InOutBuf::from(text));
    sealed.map_or_else(|_| unreachable_length(), Into::into)
}

/// Opens in place; the tag is checked before anything is decrypted.
pub(crate) fn xopen(
    key: &[u8; 32],
    nonce: &[u8; NONCE_LEN],
    aad: &[u8],
    text: &mut [u8],
    tag: &[u8; TAG_LEN],
) -> Result<(), BadTag> {
    XChaCha20Poly1305::new(key.into())
        .decrypt_inout_detached(nonce.into(), aad, InOutBuf::from(text), tag.into())
        .map_err(|_| BadTag)
}

/// As [`xseal`], with the 12-byte nonce of HPKE.
pub(crate) fn seal(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], text: &mut [u8]) -> [u8; TAG_LEN] {
    let sealed =
        ChaCha20Poly1305::new(key.into()).encrypt_inout_detached(nonce.into(), aad, InOutBuf::from(text));
    sealed.map_or_else(|_| unreachable_length(), Into::into)
}

/// As [`xopen`], with the 12-byte nonce of HPKE.
pub(crate) fn open(
    key: &[u8; 32],
    nonce: &[u8; 12],
    aad: &[u8],
    text: &mut [u8],
    tag: &[u8; TAG_LEN],
) -> Result<(), BadTag> {
    ChaCha20Poly1305::new(key.into())
        .decrypt_inout_detached(nonce.into(), aad, InOutBuf::from(text), tag.into())
        .map_err(|_| BadTag)
}

/// The libraries refuse only lengths beyond 8,160 bytes (HKDF) and 256 GiB (the ciphers), which no caller
/// has. Should one ever do, the process ends at once rather than go on with a key or a text that is none.
pub(crate) fn unreachable_length() -> ! {
    std::process::abort()
}
