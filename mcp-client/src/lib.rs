//! The client of DevPilot session: everything behind the binary `devpilot-session`.

pub mod config;
pub mod credentials;
pub mod home;
pub mod plane;
pub mod session;
pub mod verbs;
