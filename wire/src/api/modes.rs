//! Modes as the API speaks of them (`plane-api.md`, Modes; the rules are in `modes.md`).

use serde::{Deserialize, Serialize};

use crate::encoding::{Blob, not_null};
use crate::event::ModeName;
use crate::ids::{ParticipantId, ProposalId};
use crate::timestamp::Timestamp;

/// A sealed goal with what its opening needs (`crypto.md` section 7, kind 4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SealedGoal {
    /// The proposer.
    pub participant_id: ParticipantId,
    /// The epoch it is sealed under.
    pub epoch: u32,
    /// The proposal.
    pub proposal_id: ProposalId,
    /// The sealed form.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub sealed: Blob,
}

/// A proposal that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Proposal {
    /// The proposal.
    pub proposal_id: ProposalId,
    /// Who proposed.
    pub by: ParticipantId,
    /// Posts allowed.
    pub budget: u32,
    /// Seconds allowed.
    pub ttl_s: u32,
    /// Until when it may be accepted.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub lapses_at: Timestamp,
    /// What for.
    pub goal: SealedGoal,
}

/// The mode as it is for one participant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Mode {
    /// The session's mode.
    pub name: ModeName,
    /// The stricter of the session's mode and the participant's consent.
    pub effective: ModeName,
    /// In auto: its proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal_id: Option<ProposalId>,
    /// In auto: posts left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_left: Option<u32>,
    /// In auto: when it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub expires_at: Option<Timestamp>,
    /// In auto: who accepted, ascending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Vec<ParticipantId>>,
    /// In auto: who is done, ascending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<Vec<ParticipantId>>,
    /// In auto: what for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<SealedGoal>,
    /// Outside auto: a proposal that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Proposal>,
}

/// The modes that one participant alone may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SettableMode {
    /// Observe.
    Observe,
    /// Relay.
    Relay,
}

/// `POST /v1/sessions/{id}/mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SetMode {
    /// Which.
    pub set: SettableMode,
}

/// `POST /v1/sessions/{id}/auto`. A missing budget or time is the default, never unlimited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Propose {
    /// Made by the proposer, so that a retry is the same proposal.
    pub proposal_id: ProposalId,
    /// Posts allowed.
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub budget: Option<u32>,
    /// Seconds allowed.
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub ttl_s: Option<u32>,
    /// The epoch the goal is sealed under.
    pub epoch: u32,
    /// What for.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub sealed_goal: Blob,
}

/// `POST …/auto/accept` and `…/auto/decline`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ProposalRef {
    /// Which.
    pub proposal_id: ProposalId,
}
