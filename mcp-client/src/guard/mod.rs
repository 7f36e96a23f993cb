//! The secret guard: finds credentials in what is about to be sealed.
//!
//! One function for everything that leaves this machine sealed, texts today and files alike: [`scan`] takes bytes and
//! what to call them, and says which kinds of credential stand where. It never says what they are: a [`Finding`] holds a
//! kind and a place, so that neither Debug nor a log line nor an answer can repeat a value.
//!
//! Three sources: our own links and tokens (`ours`), links in any form that a person may paste ([`seal::link::find`]),
//! and a set of rules for the credentials of others (`rules.toml`, with its source and licence). There is no rule
//! for whatever looks random, so commit ids, UUIDs and hashes pass. What no rule knows passes too: a password in a
//! sentence is not found.
//!
//! This room is pure: no I/O, and no knowledge of sessions. Its time grows linearly with the text: what is tried is
//! bounded expressions without backtracking, each only where one of its keywords stands.
//!
//! Source: `mcp-client.md`, Secret guard. Decision 0023.

mod escapes;
mod finding;
mod hidden;
mod ours;
mod references;
mod rules;
mod scan;
mod view;

pub use finding::{Finding, Findings, Place};
pub use rules::RulesError;
pub use scan::scan;

#[cfg(test)]
mod tests;
