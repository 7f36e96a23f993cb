//! Who is asking, once a credential has been checked.

use wire::event::{Capability, Kind};
use wire::ids::{OrgId, ParticipantId, SessionId, UserId};
use wire::timestamp::Timestamp;

/// A participant of one session, by session token. Its epoch was the session's when it was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCaller {
    /// The session of the path and of the token.
    pub session_id: SessionId,
    /// Who.
    pub participant_id: ParticipantId,
    /// An agent or a person.
    pub kind: Kind,
    /// By the proof shown last.
    pub capability: Capability,
    /// The epoch of the token.
    pub epoch: u32,
    /// SHA-256 of the token: to look it up again before each answer of a wait.
    pub token_hash: [u8; 32],
    /// When it was looked up, in the count of this process's departures.
    pub turn: u64,
    /// What the look-up held.
    pub checked: Checked,
}

/// As of when a token counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    /// The version of its session's row.
    pub version: i64,
    /// When it ends by itself.
    pub expires_at: Timestamp,
}

/// A participant who posts. Its token may be known from an earlier look-up: then the append says whether it still counts,
/// and whatever else comes of the post is said only after a new one.
#[derive(Debug, Clone)]
pub struct Poster {
    /// Who.
    pub caller: SessionCaller,
    /// Whether the token was looked up for this request.
    pub is_looked_up: bool,
}

impl From<SessionCaller> for Poster {
    /// One that has just been looked up.
    fn from(caller: SessionCaller) -> Self {
        Self {
            caller,
            is_looked_up: true,
        }
    }
}

/// What a machine token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Create sessions.
    Share,
    /// Re-key, door, stop and end of the user's own sessions.
    Rekey,
    /// The same for the org's sessions.
    Admin,
}

impl Scope {
    /// The word in tokens and answers.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Rekey => "rekey",
            Self::Admin => "admin",
        }
    }

    /// The scope of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Share, Self::Rekey, Self::Admin]
            .into_iter()
            .find(|scope| scope.word() == word)
    }
}

/// A user's role in its org.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Sees its own sessions.
    Member,
    /// Sees the org's sessions.
    Admin,
}

impl Role {
    /// The word in the store and in answers.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }

    /// The role of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Member, Self::Admin]
            .into_iter()
            .find(|role| role.word() == word)
    }
}

/// A machine of a user, by machine token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineCaller {
    /// The user.
    pub user_id: UserId,
    /// The user's org.
    pub org_id: OrgId,
    /// The user's role.
    pub role: Role,
    /// What the token may do.
    pub scopes: Vec<Scope>,
}

impl MachineCaller {
    /// Whether the token may do that.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

/// For routes that take either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnerCaller {
    /// A participant.
    Participant(SessionCaller),
    /// A machine of a user.
    Machine(MachineCaller),
}
