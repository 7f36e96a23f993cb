//! Strict text encodings of byte strings (`crypto.md` section 2).
//!
//! A decoder takes exactly one spelling of a value, so that two parties can't disagree on what was said.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The text is not the one canonical spelling of a value: `bad_encoding` of `crypto.md` section 14.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("bad_encoding")]
pub struct BadEncoding;

/// Base64url without padding.
pub fn to_base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes base64url without padding.
///
/// # Errors
/// `=`, another symbol, a length of 1 mod 4 or non-zero unused bits.
pub fn from_base64url(text: &str) -> Result<Vec<u8>, BadEncoding> {
    URL_SAFE_NO_PAD.decode(text).map_err(|_| BadEncoding)
}

/// Decodes base64url of exactly `N` bytes.
///
/// # Errors
/// As [`from_base64url`], or another length.
pub fn array_from_base64url<const N: usize>(text: &str) -> Result<[u8; N], BadEncoding> {
    from_base64url(text)?.try_into().map_err(|_| BadEncoding)
}

/// Public bytes that stand in JSON as base64url: sealed forms, epoch records, verifiers, hashes.
///
/// Not for secrets: it prints its length only, but is cloned freely and never wiped.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Blob(pub Vec<u8>);

impl Blob {
    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Blob {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blob({} bytes)", self.0.len())
    }
}

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&to_base64url(&self.0))
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(d)?;
        from_base64url(&text)
            .map(Self)
            .map_err(|_| de::Error::custom("not base64url without padding"))
    }
}

/// Exactly 32 public bytes that stand in JSON as base64url: a verifier or a hash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Bytes32(pub [u8; 32]);

impl fmt::Debug for Bytes32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bytes32")
    }
}

impl Serialize for Bytes32 {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&to_base64url(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes32 {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(d)?;
        array_from_base64url(&text)
            .map(Self)
            .map_err(|_| de::Error::custom("not base64url of 32 bytes"))
    }
}

/// 32 secret bytes in a request body: a proof or a rejoin secret.
///
/// Debug shows nothing. The plane keeps only the SHA-256 of it, and no longer than the request.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret32([u8; 32]);

impl Secret32 {
    /// Wraps bytes that must not be printed.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes; they may be hashed or sent, never logged.
    pub fn expose(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Drop for Secret32 {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.0);
    }
}

impl fmt::Debug for Secret32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret32")
    }
}

impl Serialize for Secret32 {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&to_base64url(&self.0))
    }
}

impl<'de> Deserialize<'de> for Secret32 {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(d)?;
        array_from_base64url(&text)
            .map(Self)
            .map_err(|_| de::Error::custom("not base64url of 32 bytes"))
    }
}

/// For optional request fields: absent is `None`, null is refused (`plane-api.md`, first paragraph).
///
/// Use with `#[serde(default, deserialize_with = "not_null")]`.
///
/// # Errors
/// What `T` refuses; `T` itself must not take null.
pub fn not_null<'de, D, T>(d: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(d).map(Some)
}
