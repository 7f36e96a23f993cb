//! The MCP server over standard input and output.
//!
//! - `serve`: the process's life: start, end of input, signals
//! - `transport`: the only file that writes to standard output; `lines`: what each line on it is
//! - `server`: the protocol's requests; `call`: one tool call; `host`: what a verb sees of its call
//! - `parameters`: what a request that could not be read has to be
//! - `groups`, `toolbox` and `tools`: what hosts are shown, and the verb behind each tool
//! - `prompts`: what a person picks from a menu; `resources` and `subscriptions`: transcripts, and who is told of news
//! - `schema` and `arguments`: schemas that every host takes, and arguments checked against them
//! - `delivery`, `progress`, `consent`: what follows a written answer, signs of life, the human's word
//! - `background`: reading on between calls
//!
//! A tool does nothing that its verb does not do: everything here is about the protocol.

mod arguments;
mod background;
mod call;
mod consent;
mod delivery;
mod groups;
mod host;
mod lines;
mod parameters;
mod progress;
mod prompts;
mod resources;
mod schema;
mod serve;
mod server;
mod subscriptions;
mod toolbox;
mod tools;
mod transport;

#[cfg(test)]
mod tests;

pub use groups::GroupError;
pub use serve::{ServeError, serve};
