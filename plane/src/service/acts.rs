//! Who did what to a session, written down in the transaction that does it: a refused act leaves no line, an act
//! that was done always has one.
//!
//! Fixed words and ids alone. No name, no title and nothing of what somebody wrote goes in here.

use wire::ids::{ParticipantId, UserId};

use super::random::random;
use super::write::SessionWrite;
use super::{Answer, MachineCaller, OwnerCaller};
use crate::store::audit::{self, AuditRow, OPERATOR};

/// Who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Actor {
    /// Whoever may start this binary on its database.
    Operator,
    /// A user, by one of their machines.
    User(UserId),
    /// A participant, by its session token.
    Participant(ParticipantId),
}

impl Actor {
    /// The stored form. A user is its id alone.
    pub(super) fn text(self) -> String {
        match self {
            Self::Operator => OPERATOR.to_owned(),
            Self::User(id) => id.to_string(),
            Self::Participant(id) => format!("participant {id}"),
        }
    }
}

impl From<&MachineCaller> for Actor {
    fn from(by: &MachineCaller) -> Self {
        Self::User(by.user_id)
    }
}

impl From<&OwnerCaller> for Actor {
    fn from(by: &OwnerCaller) -> Self {
        match by {
            OwnerCaller::Participant(by) => Self::Participant(by.participant_id),
            OwnerCaller::Machine(by) => by.into(),
        }
    }
}

/// What may be done to a session that is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// The next epoch begins.
    Rekey,
    /// It ends.
    End,
    /// It ends, and its rows go.
    Purge,
    /// Its auto is stopped from outside.
    Stop,
    /// Its door is set.
    SetDoor,
    /// Somebody who knocks may come in.
    Admit,
    /// Somebody who knocks may not.
    Refuse,
}

impl Act {
    const fn word(self) -> &'static str {
        match self {
            Self::Rekey => "session.rekey",
            Self::End => "session.end",
            Self::Purge => "session.purge",
            Self::Stop => "session.stop",
            Self::SetDoor => "door.set",
            Self::Admit => "door.admit",
            Self::Refuse => "door.refuse",
        }
    }
}

impl SessionWrite<'_> {
    /// Writes an act down, to be committed with it. `subject`: an id or fixed words.
    pub(super) async fn record_act(
        &mut self,
        by: impl Into<Actor>,
        act: Act,
        subject: Option<String>,
    ) -> Answer<()> {
        let org = self.row.org_id;
        let line = AuditRow {
            at: self.now,
            actor: by.into().text(),
            action: act.word().to_owned(),
            session_id: Some(self.row.session_id),
            subject,
        };
        audit::insert(&mut self.on(), org, &random()?, &line).await?;
        Ok(())
    }
}
