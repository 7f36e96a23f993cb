//! End to end: real verbs over a real plane in this process, two homes, and a machine in between that lies.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod admin;
mod auto;
mod closed;
mod damage;
mod door;
mod ending;
mod faults;
mod for_me;
mod history;
mod keeper;
mod on_the_way;
mod party;
mod plane;
mod rekey;
mod rekey_faults;
mod rekey_midway;
mod relay;
mod run;
mod search;
mod story;
mod tamper;
