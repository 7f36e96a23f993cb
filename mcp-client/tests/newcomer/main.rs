//! What somebody runs into who uses the program for the first time: a seat that was left, a session that is over, a command in
//! another folder, an option that names nothing. Each is refused before anything is sent or asked for, and says what to do.
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

mod asked;
mod credential;
mod elsewhere;
mod leaving;
mod over;
mod voice;
