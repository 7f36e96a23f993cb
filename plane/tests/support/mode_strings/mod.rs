//! Random strings of what can happen to a session's mode, and a naive model of `modes.md` that says what must come
//! of them.
//!
//! Nothing here knows the machine or the service: the crate's unit tests hold the machine against the model, and the
//! service's tests the whole plane, by the same strings.

mod model;
mod strings;

pub(crate) use model::{Act, Model};
pub(crate) use strings::{Turn, turns};

/// Two agents, a person and a third agent, by number.
pub(crate) const ANA: u8 = 0;
pub(crate) const BEN: u8 = 1;
pub(crate) const HUE: u8 = 2;
pub(crate) const CLO: u8 = 3;
