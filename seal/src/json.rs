//! Strict JSON inside sealed records (`crypto.md` section 7).

use serde_json::{Map, Value};

use crate::error::Error;

/// A JSON object.
pub type Object = Map<String, Value>;

/// The deepest nesting that a producer may emit; the object itself counts as 1.
pub const NESTING_MAX: usize = 16;

/// Reads UTF-8 bytes that are one JSON object. Of equal names the last counts.
///
/// # Errors
/// `bad_content`: another encoding, a byte order mark, no object, a lone surrogate, a number beyond a double,
/// nesting deeper than 127.
pub fn object(bytes: &[u8]) -> Result<Object, Error> {
    todo!()
}

/// As [`object`], and keeps the rules for producers as well: no equal names, nesting up to [`NESTING_MAX`].
///
/// # Errors
/// `bad_content`.
pub fn produced(bytes: &[u8]) -> Result<Object, Error> {
    todo!()
}
