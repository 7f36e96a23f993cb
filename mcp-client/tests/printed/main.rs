//! Commands that answers and errors print: each is taken out of a real answer and run by a shell as it stands, on a machine
//! where no program of that name is on the PATH. What only a person may do is run at a terminal, where the word is typed.
//!
//! `doctor`'s have their own tests, and so has what the pages print.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "../stdio/mod.rs"]
mod stdio;

mod scene;

mod by_hand;
mod entering;
mod keeping;
mod literals;
mod machine;
mod operator;
mod reading;
mod sources;
