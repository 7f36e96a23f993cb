//! The plane: orders and stores ciphertext it cannot read.

mod appender;
pub mod cli;
pub mod clock;
pub mod config;
mod connect;
pub mod door;
pub mod http;
mod json;
pub mod limits;
pub mod logging;
pub mod metrics;
pub mod modes;
pub mod pages;
mod presence;
mod rate;
pub mod service;
pub mod store;
mod sweeper;
mod wake;
