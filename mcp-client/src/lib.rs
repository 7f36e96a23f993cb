//! The client of DevPilot session: everything behind the binary `devpilot-session`.

pub mod session;
pub mod verbs;
