//! The plane over HTTP: requests to [`crate::service`] calls, answers and refusals back (`plane-api.md`).
//!
//! Start reading at [`routes`], the table of all calls; [`call`] is the way every request goes. This layer decides
//! nothing about sessions and speaks no SQL.

mod address;
mod app;
mod at_once;
mod body;
mod call;
mod credential;
mod edge;
mod file;
mod handlers;
mod openapi;
mod page;
mod path;
mod query;
mod refusal;
mod reply;
mod route;
mod routes;
mod server;
mod sse;
mod stall;

pub use address::{BadProxy, TrustedProxies};
pub use app::{MetricsAt, Options};
pub use server::{Listeners, serve};
