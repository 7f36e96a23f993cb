//! The command line: the same verbs as the MCP tools, for people and for agents that have a shell.

pub mod arguments_guard;
