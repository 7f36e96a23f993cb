//! The client of DevPilot session: everything behind the binary `devpilot-session`.

mod admin_rekeys;
pub mod cache;
pub mod cli;
pub mod clipboard;
pub mod config;
pub mod credentials;
pub mod folder;
pub mod guard;
mod history;
pub mod home;
pub mod logging;
pub mod mcp;
pub mod note;
pub mod plane;
pub mod redact;
pub mod render;
pub mod seat;
pub mod session;
pub mod terminal;
pub mod verbs;
