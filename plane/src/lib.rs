//! The plane: orders and stores ciphertext it cannot read.

mod appender;
pub mod clock;
pub mod door;
pub mod http;
pub mod limits;
pub mod logging;
pub mod metrics;
pub mod modes;
pub mod pages;
mod presence;
mod rate;
pub mod service;
pub mod store;
mod wake;
