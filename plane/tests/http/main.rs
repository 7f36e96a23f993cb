//! The plane over real HTTP: a server on a free port, requests as bytes on a socket.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "../support/client.rs"]
mod client;
mod server;
#[path = "../support/sse.rs"]
mod sse;

mod app;
mod bodies;
mod connect;
mod credentials;
mod drain;
mod hostile;
mod logs;
mod pages;
mod service_routes;
mod streams;
