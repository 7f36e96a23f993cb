//! The plane: orders and stores ciphertext it cannot read.

pub mod clock;
pub mod door;
pub mod http;
pub mod limits;
pub mod logging;
pub mod metrics;
pub mod modes;
pub mod pages;
pub mod service;
pub mod store;
