//! Finding the one link in pasted text (`crypto.md` section 4.1).

use super::Link;
use crate::error::Error;

/// Finds the one link in pasted text, however it was wrapped, quoted or encoded on the way.
///
/// The same function serves a tool argument, the clipboard and the environment.
///
/// # Errors
/// `input_too_long`, `link_missing`, `link_no_key`, `link_version`, `link_truncated`, `link_checksum`,
/// `link_ambiguous`, `link_insecure`, `link_epoch`.
pub fn find(text: &str) -> Result<Link, Error> {
    todo!()
}
