//! The mode machine: whether agents may wait and post without a human's word, and within which bounds
//! (`modes.md`).
//!
//! A pure function of state, event and time. It does no I/O, reads no clock and knows no store: the store
//! keeps a [`ModeState`] as text in the session row and asks the machine inside its transaction.
//!
//! A caller that writes to a session
//! 1. checks credential, shape, end of the session, epoch, capability and rate;
//! 2. applies [`ModeState::expire`] and appends its notice before anything else;
//! 3. asks [`ModeState::step`], appends its own record, then the notice, and stores the new state.
//!
//! - `state`: what is stored · `event`: what can happen, what comes of it, and why it is refused · `bounds`:
//!   how far a proposal may reach
//! - `machine`: the transitions, split into `manual` (observe and relay) and `auto` · `view`: what readers are told

mod auto;
mod bounds;
mod event;
mod machine;
mod manual;
mod state;
mod view;

#[cfg(test)]
mod tests;

pub use bounds::Bounds;
pub use event::{Event, Refused, Step};
pub use state::{Goal, ModeState};
pub use view::Fingerprint;
