//! What the figures are compared with: the same work, or the part of it that nobody can do without, by something bare.

pub(crate) mod crypto;
pub(crate) mod history;
pub(crate) mod pgbench;
pub(crate) mod sqlite;
pub(crate) mod tables;
pub(crate) mod unnest;
