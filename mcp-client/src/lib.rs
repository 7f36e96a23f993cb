//! The client of DevPilot session: everything behind the binary `devpilot-session`.

pub mod plane;
pub mod session;
pub mod verbs;
