//! HPKE (RFC 9180) single-shot in mode_psk, for the one suite of `crypto.md` section 10.2:
//! DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305.
//!
//! Written out, because the library draws its ephemeral key itself: its bytes could not be checked against
//! the vectors, and it panics where the operating system gives no randomness.

use hkdf::Hkdf;
use sha2::Sha256;
use x25519_dalek::{PublicKey, SharedSecret, StaticSecret};
use zeroize::Zeroizing;

use crate::cipher::{TAG_LEN, open as open_in_place, seal as seal_in_place};
use crate::error::Error;
use crate::kdf::{Derived, expand};
use crate::secret::EphemeralKey;

const VERSION: &[u8] = b"HPKE-v1";
/// `"KEM" ‖ 0x0020`
const KEM_SUITE: &[u8] = b"KEM\x00\x20";
/// `"HPKE" ‖ 0x0020 ‖ 0x0001 ‖ 0x0003`
const HPKE_SUITE: &[u8] = b"HPKE\x00\x20\x00\x01\x00\x03";
const MODE_PSK: u8 = 1;

/// What both sides know and nothing carries.
pub(crate) struct Psk<'a> {
    pub(crate) key: &'a [u8; 32],
    pub(crate) id: &'a [u8],
}

/// X25519 (RFC 7748).
///
/// # Errors
/// `bad_public_key` for an all-zero result.
pub(crate) fn x25519(own: &StaticSecret, peer: &[u8; 32]) -> Result<SharedSecret, Error> {
    let shared = own.diffie_hellman(&PublicKey::from(*peer));
    if shared.was_contributory() {
        Ok(shared)
    } else {
        Err(Error::BadPublicKey)
    }
}

/// `SealPSK`: gives the encapsulated key and the ciphertext with its tag.
///
/// # Errors
/// `bad_public_key`.
pub(crate) fn seal(
    recipient: &[u8; 32],
    info: &[&[u8]],
    aad: &[u8],
    text: &[u8],
    psk: &Psk<'_>,
    ephemeral: &EphemeralKey,
) -> Result<([u8; 32], Vec<u8>), Error> {
    let ephemeral = StaticSecret::from(*ephemeral.expose());
    let enc = PublicKey::from(&ephemeral).to_bytes();
    let shared = encapsulated(&x25519(&ephemeral, recipient)?, &enc, recipient);
    let (key, nonce) = key_schedule(&shared, info, psk);
    let mut sealed = Vec::with_capacity(text.len() + TAG_LEN);
    sealed.extend_from_slice(text);
    let tag = seal_in_place(&key, &nonce, aad, &mut sealed);
    sealed.extend_from_slice(&tag);
    Ok((enc, sealed))
}

/// `OpenPSK`.
///
/// # Errors
/// `bad_public_key`, `auth_failed`.
pub(crate) fn open(
    recipient: &StaticSecret,
    enc: &[u8; 32],
    info: &[&[u8]],
    aad: &[u8],
    sealed: &[u8],
    psk: &Psk<'_>,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let public = PublicKey::from(recipient).to_bytes();
    let shared = encapsulated(&x25519(recipient, enc)?, enc, &public);
    let (key, nonce) = key_schedule(&shared, info, psk);
    let (ciphertext, tag) = sealed.split_last_chunk::<TAG_LEN>().ok_or(Error::AuthFailed)?;
    let mut text = Zeroizing::new(ciphertext.to_vec());
    open_in_place(&key, &nonce, aad, &mut text, tag).map_err(|_| Error::AuthFailed)?;
    Ok(text)
}

/// The KEM's shared secret (RFC 9180, 4.1).
fn encapsulated(dh: &SharedSecret, enc: &[u8; 32], recipient: &[u8; 32]) -> Derived {
    let prk = labeled_extract(KEM_SUITE, &[], b"eae_prk", &[dh.as_bytes()]).1;
    labeled_expand(KEM_SUITE, &prk, b"shared_secret", &[enc, recipient])
}

/// Key and base nonce (RFC 9180, 5.1). A single message needs no more of the context.
fn key_schedule(shared: &Derived, info: &[&[u8]], psk: &Psk<'_>) -> (Derived, Zeroizing<[u8; 12]>) {
    let (psk_id_hash, _) = labeled_extract(HPKE_SUITE, &[], b"psk_id_hash", &[psk.id]);
    let (info_hash, _) = labeled_extract(HPKE_SUITE, &[], b"info_hash", info);
    let (_, secret) = labeled_extract(HPKE_SUITE, &shared[..], b"secret", &[psk.key]);
    let context: [&[u8]; 3] = [&[MODE_PSK], &psk_id_hash, &info_hash];
    (
        labeled_expand(HPKE_SUITE, &secret, b"key", &context),
        labeled_expand(HPKE_SUITE, &secret, b"base_nonce", &context),
    )
}

fn labeled_extract(suite: &[u8], salt: &[u8], label: &[u8], ikm: &[&[u8]]) -> ([u8; 32], Hkdf<Sha256>) {
    let mut extract = hkdf::HkdfExtract::<Sha256>::new(Some(salt));
    for part in [VERSION, suite, label].iter().chain(ikm) {
        extract.input_ikm(part);
    }
    let (prk, hkdf) = extract.finalize();
    (prk.into(), hkdf)
}

fn labeled_expand<const N: usize>(
    suite: &[u8],
    prk: &Hkdf<Sha256>,
    label: &[u8],
    info: &[&[u8]],
) -> Zeroizing<[u8; N]> {
    // N is at most 32.
    let length = u16::try_from(N).unwrap_or(u16::MAX).to_be_bytes();
    let parts: Vec<&[u8]> = [&length[..], VERSION, suite, label]
        .into_iter()
        .chain(info.iter().copied())
        .collect();
    expand(prk, &parts)
}
