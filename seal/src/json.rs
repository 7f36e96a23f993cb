//! Strict JSON inside sealed records (`crypto.md` section 7).

mod produced;

use serde_json::{Map, Value};

use crate::error::Error;

pub use produced::produced;

/// A JSON object.
pub type Object = Map<String, Value>;

/// The deepest nesting that a producer may emit; the object itself counts as 1.
pub const NESTING_MAX: usize = 16;

/// Reads UTF-8 bytes that are one JSON object. Of equal names the last counts.
///
/// # Errors
/// `bad_content`: another encoding, a byte order mark, no object, a lone surrogate, a number beyond a double,
/// nesting deeper than 127 (where the parser stops, so that no text can exhaust the stack).
pub fn object(bytes: &[u8]) -> Result<Object, Error> {
    serde_json::from_slice(bytes).map_err(|_| Error::BadContent)
}

/// The string member of an object under a name.
///
/// # Errors
/// `bad_content` when it is missing or no string.
pub fn string<'o>(object: &'o Object, name: &str) -> Result<&'o str, Error> {
    object.get(name).and_then(Value::as_str).ok_or(Error::BadContent)
}
