//! What the vectors do not say: one's own records, roll-backs, limits, re-keys through a transcript, links in
//! every state that people paste them in, and bytes from anywhere.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod any_bytes;
mod attachments;
mod errors;
mod frozen;
mod hostile;
mod json;
mod links;
mod own_records;
mod rekeys;
mod restarts;
mod rosters;
mod secrets;
mod successions;
mod world;
