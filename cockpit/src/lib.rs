//! The cockpit: a service on a developer's own machine that knows what earlier tasks of coding agents did to files.
//!
//! Agents' hosts report when a task starts and ends; git says what changed meanwhile, and whether a merge collided with it
//! later. A question names files and is answered with the tasks that last changed them. Everything stays on this machine:
//! it listens on loopback alone and opens no connection of its own.
//!
//! - `contract`: the JSON of the HTTP API, which `docs/cockpit.md` describes
//! - `tasks`: pure: from events and git's facts to what is answered
//! - `git`: runs git, so that nothing a repository configures is executed
//! - `store`: the tables; `service`: intake and answers; `http`: the routes and who may use them
//! - `address`: how programs of the same user find the running cockpit, and nobody else
//!
//! It depends on no other crate of this workspace: nothing that it knows can reach a plane through it.

pub mod address;
mod connections;
pub mod contract;
mod cut;
mod git;
mod http;
pub mod limits;
mod paths;
mod repository;
mod serve;
mod service;
mod store;
mod tasks;

pub use git::{Checkout, GitError, ObjectFormat, identify};
pub use paths::{PathError, within};
pub use repository::{Marks, origin_mark, origin_name};
pub use serve::{Cockpit, Settings, StartError};
pub use store::StoreError;
