//! What the plane does for its callers: one function a call of `plane-api.md`, from wire type to wire type.
//!
//! Speaks neither HTTP nor SQL: the HTTP layer turns requests into these calls, the store keeps what the pure
//! decisions say. Nothing here can open a record.

mod callers;
mod error;

pub use callers::{MachineCaller, OwnerCaller, Role, Scope, SessionCaller};
pub use error::ServiceError;

mod sessions;
pub use sessions::{Answer, JoinOutcome, Outcome, Service};
