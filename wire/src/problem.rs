//! Problem documents (RFC 9457) and their codes (`plane-api.md`, Errors).

use serde::{Deserialize, Serialize};

use crate::event::ModeName;

/// What went wrong, machine-readable and stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request does not have the form asked for.
    BadRequest,
    /// The path under `/s/` is not a session id alone; a page, not a problem document.
    LinkDamaged,
    /// No credential, or none that counts here.
    Unauthorized,
    /// The session's epoch has moved on.
    Rekeyed,
    /// The proof fits no session of that id and epoch.
    BadProof,
    /// The credential does not reach that far.
    Forbidden,
    /// A view link does not write.
    ViewOnly,
    /// The door lets nobody in.
    DoorClosed,
    /// A bound on how much there may be is reached.
    QuotaExceeded,
    /// Nothing here that this credential may see.
    NotFound,
    /// Nobody has approved the machine yet; ask again after the interval.
    AuthorizationPending,
    /// The machine asks too often; wait five seconds longer from now on.
    SlowDown,
    /// The device code is unknown, its time is up, or its token was handed out.
    ExpiredToken,
    /// The machine was refused.
    AccessDenied,
    /// The request took too long to arrive.
    TimeOut,
    /// The session id is taken.
    SessionExists,
    /// The participant id is taken.
    ParticipantExists,
    /// The message id was used for something else.
    MessageIdReused,
    /// The chunk is stored with other bytes, or closed.
    ChunkConflict,
    /// The epoch named is not the session's.
    EpochMoved,
    /// Agents don't wait in observe.
    ModeObserve,
    /// The author is not in auto, or no longer.
    AutoOver,
    /// Not while the session is in auto.
    InAuto,
    /// That proposal is not, or no longer, there.
    ProposalGone,
    /// The session has ended.
    SessionEnded,
    /// More bytes than allowed.
    TooLarge,
    /// Too often; try again later.
    RateLimited,
    /// The database can't be reached.
    StoreUnavailable,
    /// This process is going down; another answers.
    Draining,
    /// A fault of the plane's own; the log has it.
    Internal,
}

impl Code {
    /// The usual HTTP status. `rekeyed` is 401 for a token and 403 for a proof.
    pub const fn status(self) -> u16 {
        match self {
            Self::BadRequest
            | Self::LinkDamaged
            | Self::AuthorizationPending
            | Self::SlowDown
            | Self::ExpiredToken
            | Self::AccessDenied => 400,
            Self::Unauthorized | Self::Rekeyed => 401,
            Self::BadProof | Self::Forbidden | Self::ViewOnly | Self::DoorClosed | Self::QuotaExceeded => 403,
            Self::NotFound => 404,
            Self::TimeOut => 408,
            Self::SessionExists
            | Self::ParticipantExists
            | Self::MessageIdReused
            | Self::ChunkConflict
            | Self::EpochMoved
            | Self::ModeObserve
            | Self::AutoOver
            | Self::InAuto
            | Self::ProposalGone => 409,
            Self::SessionEnded => 410,
            Self::TooLarge => 413,
            Self::RateLimited => 429,
            Self::Internal => 500,
            Self::StoreUnavailable | Self::Draining => 503,
        }
    }

    /// A short title, the same for every problem of this code.
    pub const fn title(self) -> &'static str {
        match self {
            Self::BadRequest => "Bad request",
            Self::LinkDamaged => "Damaged link",
            Self::Unauthorized => "Not authorized",
            Self::Rekeyed => "The session was re-keyed",
            Self::BadProof => "Wrong proof",
            Self::Forbidden => "Not allowed",
            Self::ViewOnly => "View only",
            Self::DoorClosed => "The door is closed",
            Self::QuotaExceeded => "No room left",
            Self::NotFound => "Not found",
            Self::AuthorizationPending => "Not approved yet",
            Self::SlowDown => "Asked too often",
            Self::ExpiredToken => "The code is over",
            Self::AccessDenied => "Refused",
            Self::TimeOut => "Timed out",
            Self::SessionExists => "The session id is taken",
            Self::ParticipantExists => "The participant id is taken",
            Self::MessageIdReused => "The message id is taken",
            Self::ChunkConflict => "The chunk differs",
            Self::EpochMoved => "The epoch has moved",
            Self::ModeObserve => "The session is in observe",
            Self::AutoOver => "Auto is over",
            Self::InAuto => "The session is in auto",
            Self::ProposalGone => "The proposal is gone",
            Self::SessionEnded => "The session has ended",
            Self::TooLarge => "Too large",
            Self::RateLimited => "Too many requests",
            Self::StoreUnavailable => "The store is unavailable",
            Self::Draining => "Going down",
            Self::Internal => "Internal error",
        }
    }
}

/// Why a session is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum EndCause {
    /// Its owner user or an admin ended it.
    Ended,
    /// Nobody wrote for as long as a session lives.
    Expired,
    /// Its rows were deleted.
    Purged,
}

/// A problem document, `application/problem+json`. `detail` says what to do next; nothing in it is secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Problem {
    /// A URN of the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// The code's title.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened and what to do next.
    pub detail: String,
    /// The code.
    pub code: Code,
    /// Named extras.
    #[serde(flatten)]
    pub extras: Extras,
}

/// What a problem says beside its code; each where it applies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Extras {
    /// Seconds to wait before trying again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
    /// The session's epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u32>,
    /// The seq that the message id has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The mode in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ModeName>,
    /// The name of the limit that was met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// When the session ended, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Why the session ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<EndCause>,
}

impl Problem {
    /// The document of a code, with its usual status and no extras.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        let name = serde_json::to_value(code)
            .ok()
            .and_then(|v| v.as_str().map(str::to_owned))
            .unwrap_or_default();
        Self {
            kind: format!("urn:devpilot-session:problem:{name}"),
            title: code.title().to_owned(),
            status: code.status(),
            detail: detail.into(),
            code,
            extras: Extras::default(),
        }
    }
}
