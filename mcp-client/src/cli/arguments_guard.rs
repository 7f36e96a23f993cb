//! Links are not taken from arguments: process lists and shell histories show those to others.
//!
//! Checked before anything else looks at the arguments, so that no error text can repeat one.

use std::ffi::OsStr;

use crate::redact;

/// What a person is told who passed a link as an argument. It does not repeat the link.
pub(super) const REFUSAL: &str = "A session link was passed as an argument. Other programs see arguments in the process list, \
so it was not used. Pass it on standard input (`join -`), or copy it and run the line below. If others use this machine, ask \
for a new link.";

/// Whether an argument holds the key of a link, in any of the forms in which links get mangled.
pub(super) fn holds_link<'a>(arguments: impl IntoIterator<Item = &'a OsStr>) -> bool {
    let mut all = String::new();
    for argument in arguments {
        let argument = argument.to_string_lossy();
        if redact::holds_link(&argument) || redact::holds_link(&squeezed(&argument)) {
            return true;
        }
        all.push_str(&argument);
    }
    // A shell takes a wrapped link apart into several arguments.
    redact::holds_link(&squeezed(&all))
}

/// Without what wrapping and quoting put between a link's symbols.
fn squeezed(text: &str) -> String {
    text.chars()
        .filter(|symbol| symbol.is_ascii_alphanumeric() || matches!(symbol, '#' | '%' | ':' | '/'))
        .collect()
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
mod tests {
    use super::*;

    fn refused(arguments: &[&str]) -> bool {
        holds_link(arguments.iter().map(OsStr::new))
    }

    #[test]
    fn links_are_found_whole_mangled_and_taken_apart() {
        assert!(refused(&[
            "join",
            "https://p.example/s/00#dp1faaaabbbbccccddddeeee"
        ]));
        assert!(refused(&["https://p.example/s/00%23dp1vaaaabbbbccccddddeeee"]));
        assert!(refused(&["https://p.example/s/00#dp1faaaa\n  bbbbccccddddeeee"]));
        assert!(refused(&["https://p.example/s/00#dp1faaaabbbb", "ccccddddeeee"]));
    }

    #[test]
    fn other_arguments_are_taken() {
        assert!(!refused(&["read", "--since", "0", "--session", "dp1fish"]));
        assert!(!refused(&["share", "--title", "The dp1 form of links"]));
        assert!(!refused(&[
            "join",
            "https://p.example/s/00112233445566778899aabbccddeeff"
        ]));
    }
}
