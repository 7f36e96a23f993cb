//! `doctor`: each thing that can be wrong is made wrong, what doctor says helps is done to the letter, and doctor is
//! content. Disks that are full or take no writes, and what takes another user, are among the set-ups.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "../stdio/mod.rs"]
mod stdio;

mod scene;

mod home;
mod planes;
mod seated;
