//! HKDF-SHA256 (RFC 5869) with 32 bytes of output, the one derivation of `crypto.md` section 2.

use hkdf::Hkdf;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::cipher::unreachable_length;

/// 32 bytes of derived secret.
pub(crate) type Derived = Zeroizing<[u8; 32]>;

/// `HKDF(salt, ikm, info)`; `info` is given in parts that are joined.
pub(crate) fn hkdf(salt: &[u8], ikm: &[u8], info: &[&[u8]]) -> Derived {
    expand(&Hkdf::new(Some(salt), ikm), info)
}

/// The expand step alone, to `N` bytes, at most 32.
pub(crate) fn expand<const N: usize>(prk: &Hkdf<Sha256>, info: &[&[u8]]) -> Zeroizing<[u8; N]> {
    let mut out = Zeroizing::new([0; N]);
    if prk.expand_multi_info(info, &mut out[..]).is_err() {
        unreachable_length();
    }
    out
}
