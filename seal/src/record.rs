//! Sealed records (`crypto.md` section 7): the layout that all kinds share, and one file a kind.

pub mod goal;
pub mod message;
pub mod title;
