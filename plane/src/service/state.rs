//! What readers are told of a session.

use wire::api::{DoorSummary, SessionEnd, State};
use wire::event::Capability;
use wire::ids::ParticipantId;
use wire::timestamp::Timestamp;

use super::SessionCaller;
use crate::store::session::SessionRow;

/// Who is told: a participant, or nobody in particular (a machine or console token).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Viewer {
    pub(crate) who: Option<(ParticipantId, Capability)>,
}

impl Viewer {
    /// A machine or console token.
    pub(crate) const OUTSIDE: Self = Self { who: None };

    /// A participant.
    pub(crate) const fn participant(id: ParticipantId, capability: Capability) -> Self {
        Self {
            who: Some((id, capability)),
        }
    }
}

impl From<&SessionCaller> for Viewer {
    fn from(by: &SessionCaller) -> Self {
        Self::participant(by.participant_id, by.capability)
    }
}

/// The session as it stands for one who is told.
pub(crate) fn state(row: &SessionRow, viewer: Viewer, now: Timestamp) -> State {
    State {
        session_id: row.session_id,
        epoch: row.epoch,
        head_seq: row.head_seq,
        min_seq: row.min_seq,
        mode: row.mode.mode_for(viewer.who.map(|(id, _)| id), now),
        door: DoorSummary {
            state: row.door.standing(now),
            knocking: row.knocking,
        },
        capability: viewer.who.map(|(_, capability)| capability),
        owner: row.owner,
        created_at: row.created_at,
        expires_at: row.expires_at,
        ended: row.ended.map(|ended| SessionEnd {
            at: ended.at,
            cause: ended.cause,
        }),
    }
}
