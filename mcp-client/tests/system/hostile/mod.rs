//! A plane that lies, and what its readers make of it (`crypto.md` section 9.5).

mod forge;
pub(crate) mod plane;

mod auto;
mod claims;
mod history;
mod rekeys;
mod writers;
