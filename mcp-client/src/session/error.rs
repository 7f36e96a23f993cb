//! The error of the session engine.

use wire::event::Capability;
use wire::ids::ParticipantId;

use crate::plane::{Origin, PlaneError};
use crate::seat::SeatError;

/// Why the engine can't go on. Names of cryptographic errors are `crypto.md` section 14's.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The plane, or the way to it.
    #[error(transparent)]
    Plane(#[from] PlaneError),
    /// The plane misbehaves or lost data: nothing further is accepted, nothing is posted.
    #[error("{0}")]
    Failed(seal::Error),
    /// Somebody saw another history: nothing is posted until a person acknowledges.
    #[error("{error} (seq {seq})")]
    Differs {
        /// `fork`, `head_ahead` or `head_regressed`.
        error: seal::Error,
        /// The message that shows it.
        seq: u64,
    },
    /// Something could not be made, found or opened.
    #[error(transparent)]
    Seal(#[from] seal::Error),
    /// The plane at this address knows nothing of a session that this seat was in: it was purged, or another plane, or one
    /// without its data, has the address now.
    #[error("{0} does not know the session any more")]
    Forgotten(Origin),
    /// The owner re-keyed without this participant.
    #[error("the owner re-keyed the session without this participant")]
    Removed,
    /// This participant left, and has not been brought back by a link since.
    #[error("this participant has left the session")]
    Left,
    /// An administrator re-keyed.
    #[error("an administrator re-keyed the session")]
    AdminRekeyed,
    /// A re-key was sent and its answer was lost: whether it is in force is not known yet.
    #[error("whether the re-key is in force is not known ({0})")]
    RekeyOpen(PlaneError),
    /// Who takes part is no longer as it was shown: these came in since, or another re-key did.
    #[error("who takes part has changed since the list was shown")]
    ListChanged(Vec<ParticipantId>),
    /// Another participant owns the session.
    #[error("this seat is not the session's owner")]
    NotOwner,
    /// Nobody owns the session since an administrator re-keyed it.
    #[error("the session has no owner participant")]
    NoOwner,
    /// Nothing can be sealed to this participant.
    #[error("{0} can't be kept")]
    CantBeKept(ParticipantId),
    /// A door that asks, and has not been answered yet.
    #[error("waiting at the door")]
    Knocking {
        /// Who knocks: by this id the door's keeper tells it from others.
        me: ParticipantId,
        /// When to ask again, in seconds.
        retry_after_s: u64,
    },
    /// It knocked, and the door is closed to it now: it was refused, or nobody new comes in any more. The plane does not say
    /// which.
    #[error("not let in")]
    TurnedAway,
    /// This seat may not write.
    #[error("this seat may read only ({0:?})")]
    ReadOnly(Capability),
    /// A message that was written for auto, which is over by this client's own count. Nothing was sent.
    #[error("auto is over")]
    AutoOver,
    /// The seat's file, or its lock.
    #[error(transparent)]
    Seat(#[from] SeatError),
    /// A handoff file.
    #[error(transparent)]
    Home(#[from] crate::home::HomeError),
    /// No randomness.
    #[error(transparent)]
    Random(#[from] seal::random::Unavailable),
    /// A seat's file holds what this program never writes.
    #[error("the seat's file holds what can't be: {0}")]
    Impossible(&'static str),
}
