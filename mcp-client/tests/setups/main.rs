//! Real set-ups: what is around the client on real machines, and is not as a developer's own machine has it. The real
//! binary runs each time, against a real plane.
//!
//! One file a set-up. Each test's name says the rule; what can't be had here is said and skipped.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

#[path = "../stdio/mod.rs"]
mod stdio;

mod scene;

mod bare;
mod container;
mod damage;
mod disk;
mod doctor;
mod killed;
mod moved;
mod network;
mod no_file;
mod proxy;
mod remote;
mod wayland;
mod windows;
