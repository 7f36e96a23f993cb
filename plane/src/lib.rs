//! The plane: orders and stores ciphertext it cannot read.

pub mod clock;
pub mod door;
pub mod limits;
pub mod modes;
pub mod service;
pub mod store;
