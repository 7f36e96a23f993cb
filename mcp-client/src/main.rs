//! The binary `devpilot-session`.
fn main() {}
