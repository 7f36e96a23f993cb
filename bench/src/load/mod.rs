//! The clients that make the load: connections that stay open, requests made up beforehand, answers checked.

pub(crate) mod append;
pub(crate) mod history;
pub(crate) mod hold;
pub(crate) mod http;
pub(crate) mod mcp;
pub(crate) mod rekey;
pub(crate) mod release;
pub(crate) mod seat;
