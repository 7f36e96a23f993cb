//! The command line: the same verbs as the MCP tools, for people and for agents that have a shell.
//!
//! - `arguments`: what it takes, and its help; `arguments_guard`: no links among it
//! - `run`: from a command line to an exit code; `commands`: from a command to its verb and its answer; `report`: what did not work
//! - `host` and `confirm`: what a verb sees of a command; a word typed at the controlling terminal
//! - `interrupted`: what ends a command that would go on for long
//! - `input`, `output`, `show`: standard input; the only writer of standard output; answers for a person

mod arguments;
mod arguments_guard;
mod commands;
mod confirm;
mod decide;
mod host;
mod input;
mod interrupted;
mod output;
mod progress;
mod report;
mod run;
mod show;

pub use run::run;
