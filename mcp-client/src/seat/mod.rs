//! Seats: participants kept on this machine, one file each in `sessions/<session>/<participant>.json`.
//!
//! This room stores what a seat must not lose, lets one process at a time change it, and chooses which seat a call is
//! for. It speaks to no plane and opens no record; what the fields mean to the cryptography is the caller's.
//!
//! Three kinds of exclusion, all of which the system ends with the process that holds them:
//! - the **lock**, for one append, cursor move or re-key alone, taken by everybody who changes the seat;
//! - the **lease**, held by an MCP process while it lives, so that two agents never are the same participant;
//! - the **entering lock**, one for the home, held while a session is made or joined.
//!
//! Source: `mcp-client.md`, Which session and Seats; `crypto.md` sections 7 (Retry), 9.2, 9.4 and 15.

pub mod choose;
mod consent;
mod entering;
mod error;
mod lease;
mod lock;
mod pending;
mod place;
mod progress;
mod secrets;
mod state;
mod store;
mod summary;
mod told;

pub use consent::{Alarm, Consent, ConsentRole, Ended, LEFT, ShareMark};
pub use entering::EnteringLock;
pub use error::SeatError;
pub use lease::{Lease, LeaseOutcome};
pub use lock::SeatLock;
pub use pending::{AtTheDoor, Pending, PendingEntry, PendingPost, PendingRekey, PendingUpgrade};
pub use place::Place;
pub use secrets::{EpochSecret, IdentitySecrets, SessionToken};
pub use state::{Begun, Head, LastUsed, SeatState};
pub use store::{Listing, Seat, Seats};
pub use summary::{SeatSummary, Standing};
pub use told::{Mark, Told};

#[cfg(test)]
mod tests;
