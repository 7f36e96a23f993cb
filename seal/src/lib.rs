//! The end-to-end cryptography of a session (`crypto.md`): the link, the key schedule, sealed records, the
//! verifier of the transcript, re-keying and attachments.
//!
//! This room does no I/O, reads no clock and no environment, and spawns nothing. Everything is a function
//! of its arguments; what must be random comes in as a value of a type that only [`random`] and [`secret`]
//! make. The plane never links it.
//!
//! The way through it: a [`link::Link`] is found in pasted text; its secret, checked together with an
//! [`epoch record`](wire::epoch_record), becomes [`keys::EpochKeys`] in a [`keys::Keyring`]; an
//! [`identity::Identity`] signs, [`record`] and [`profile`] seal and open; a [`transcript::Transcript`]
//! accepts records in order, learning who may write into a [`roster::Roster`].
//!
//! The feature `hazmat` adds what only test vectors need: chosen nonces, chosen ephemeral keys, and keys that
//! were not checked. Nothing but tests may turn it on.

pub mod attachment;
pub mod certificate;
mod cipher;
pub mod error;
#[cfg(feature = "hazmat")]
pub mod hazmat;
pub mod history;
mod hpke;
pub mod identity;
pub mod json;
mod kdf;
pub mod keys;
pub mod link;
mod padding;
pub mod profile;
pub mod random;
pub mod record;
pub mod rekey;
pub mod roster;
pub mod secret;
pub mod signature;
pub mod succession;
pub mod transcript;

pub use error::Error;
