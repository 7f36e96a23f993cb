//! The error of this layer.

use wire::ids::{ParticipantId, SessionId};

use crate::home::HomeError;

/// A seat can't be used.
#[derive(Debug, thiserror::Error)]
pub enum SeatError {
    /// Its file can't be read or written, or was damaged and set aside.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// There is no such seat, or no longer.
    #[error("This machine has no seat {participant} in session {session}. Join it again with its link.")]
    Missing {
        /// The session.
        session: SessionId,
        /// The participant.
        participant: ParticipantId,
    },
    /// A new seat has the id of one that is there.
    #[error("This machine already has a seat {participant} in that session; it was left as it is.")]
    Exists {
        /// The participant.
        participant: ParticipantId,
    },
    /// Another process holds the lock for longer than this step may wait.
    #[error(
        "Another process on this machine is writing as the same participant. Nothing was sent; try again."
    )]
    Busy,
    /// Another process holds the home's entering lock for longer than this step may wait.
    #[error("Another process on this machine is sharing or joining just now. Nothing was lost; try again.")]
    EnteringBusy,
}
