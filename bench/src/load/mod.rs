//! The clients that make the load: connections that stay open, requests made up beforehand, answers checked.

pub(crate) mod append;
pub(crate) mod http;
pub(crate) mod seat;
