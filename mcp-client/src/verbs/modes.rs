//! The mode as it is for one seat: the stricter of what the plane says, of this machine's consent, and of integrity.
//!
//! Pure. Source: `modes.md`; `crypto.md` section 12: the plane may lower a mode, never raise it.

use wire::event::{Kind, ModeName};
use wire::timestamp::Timestamp;

use crate::seat::SeatState;
use crate::session::{Session, integrity};

/// The mode, and how far it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ModeView {
    /// The session's, by the plane's word.
    pub(super) session: ModeName,
    /// This seat's.
    pub(super) mine: ModeName,
    /// Posts left in auto.
    pub(super) budget_left: Option<u32>,
    /// When auto ends.
    pub(super) ends_at: Option<Timestamp>,
}

/// A mode's word.
pub(super) fn word(mode: ModeName) -> &'static str {
    match mode {
        ModeName::Observe => "observe",
        ModeName::Relay => "relay",
        ModeName::Auto => "auto",
    }
}

/// The mode of a session for its seat. Observe until the plane has said something.
pub(super) fn of(session: &Session, kept: &SeatState, now: Timestamp) -> ModeView {
    let Some(state) = session.plane_state() else {
        return ModeView {
            session: ModeName::Observe,
            mine: ModeName::Observe,
            budget_left: None,
            ends_at: None,
        };
    };
    let mode = &state.mode;
    let histories_differ = integrity::open_warning(session.alarm()).is_some();
    let broken = integrity::failed(session.alarm()).is_some();
    let consented = mode
        .proposal_id
        .is_some_and(|id| kept.consents.get(&id).is_some_and(|consent| !consent.over));
    let due = mode.expires_at.is_some_and(|end| end <= now);
    let mine = match mode.effective {
        _ if histories_differ || broken => ModeName::Observe,
        ModeName::Auto if kept.kind == Kind::Agent && (!consented || due) => ModeName::Observe,
        other => other,
    };
    ModeView {
        session: mode.name,
        mine,
        budget_left: mode.budget_left,
        ends_at: mode.expires_at,
    }
}

/// What a mode means for whoever reads the answer.
pub(super) fn meaning(view: ModeView) -> &'static str {
    match view.mine {
        ModeName::Observe => {
            "Observe: a human is relaying. Read when asked to, and post what your human asks you to post; don't wait."
        }
        ModeName::Relay => "Relay: you may wait for messages. Each post takes your human's yes to its text.",
        ModeName::Auto => {
            "Auto: wait and post in turns within the budget and time. Say `done` when there is nothing left for you, \
             `blocked` when you need a human."
        }
    }
}
