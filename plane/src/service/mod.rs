//! What the plane does for its callers: one function a call of `plane-api.md`, from wire type to wire type.
//!
//! Speaks neither HTTP nor SQL: the HTTP layer turns requests into these calls, the store keeps what the pure
//! decisions say. Nothing here can open a record.
//!
//! - [`open`]: the service itself, from configuration to drain · [`write`]: a locked session, through which all
//!   changes but messages go · [`acts`]: who did what, written down with it · [`shape`]: what is refused without a look at the store · [`state`]: what readers
//!   are told
//! - [`live`]: what this process knows of the sessions it works on
//! - one file a call: [`create`], [`view`], [`title`], [`join`] (with [`proof`]), [`rejoin`], [`participants`], [`leave`],
//!   [`end`], [`rekey`], [`door`] (with [`knock`]), [`post`], [`read`], [`wait`] (with [`look`] and [`turns`]), [`events`]
//!   (with these and [`roster`]), [`mode`], [`auto`], [`credentials`] (with [`lookups`]), [`connect`]
//! - [`sweep`], [`evict`]: what happens by itself
//! - [`admin`]: what the operator does

mod acts;
mod admin;
mod auto;
mod callers;
mod connect;
mod create;
mod credentials;
mod deadlines;
mod departures;
mod door;
mod end;
mod error;
mod events;
mod evict;
mod join;
mod knock;
mod leave;
mod live;
mod look;
mod lookups;
mod mode;
mod open;
mod participants;
mod post;
mod proof;
mod random;
mod read;
mod rejoin;
mod rekey;
mod roster;
mod shape;
mod state;
mod sweep;
mod tasks;
mod title;
mod turns;
mod view;
mod wait;
mod write;

pub use admin::{
    Approval, Approved, AuditEntry, ConnectRequest, MachineToken, Member, NewMachineToken, Org,
    SessionSummary,
};
pub use callers::{Checked, MachineCaller, OwnerCaller, Poster, Role, Scope, SessionCaller};
pub use error::ServiceError;
pub use events::{EventStream, StreamItem};
pub use open::{Service, ServiceConfig};

pub use crate::wake::{Hearing, WakeTimes};
pub(crate) use open::Shared;
pub(crate) use state::Viewer;
pub(crate) use write::{SessionWrite, next_record, text};

use wire::api;

/// Result of a call.
pub type Answer<T> = Result<T, ServiceError>;

/// A join's outcome.
#[derive(Debug)]
pub enum JoinOutcome {
    /// In.
    Joined(Box<api::Joined>),
    /// At the door.
    Knocking(api::Knocking),
}

/// Whether a request made something new (201) or had been carried out before (200).
#[derive(Debug)]
pub enum Outcome<T> {
    /// New.
    New(T),
    /// Had been there.
    Again(T),
}
