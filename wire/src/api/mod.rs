//! The JSON of the plane's HTTP API (`plane-api.md`), one file a chapter.
//!
//! Requests refuse unknown fields and null; answers leave absent fields out and their readers ignore
//! what they don't know.

mod connect;
mod door;
mod events;
mod modes;
mod records;
mod service;
mod sessions;

pub use connect::{Connect, ConnectToken, Connected, Connecting};
pub use door::{Decide, Door, DoorState, DoorSummary, Knock, SetDoor};
pub use events::{Bye, ByeCode, Presence, StreamEvent};
pub use modes::{Mode, Proposal, ProposalRef, Propose, SealedGoal, SetMode, SettableMode};
pub use records::{Checkpoint, ExpectMode, Page, Post, Posted, Record, Signal};
pub use service::{Assets, Health, Me};
pub use sessions::{
    Create, Created, EpochRecords, Join, Joined, JoiningParticipant, Knocking, Nothing, ParticipantRow,
    Participants, Rejoin, Rekey, Rekeyed, SealedProfile, SealedTitle, SessionEnd, SessionView, SetTitle,
    State, StateAnswer, TokenText,
};
