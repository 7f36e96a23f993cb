//! The session engine: one seat's verified view of a transcript, and writing to it.

pub mod message;
