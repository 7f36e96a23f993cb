//! Base32 of a link's token.
