//! Sessions and their participants (`plane-api.md`, Sessions).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::door::DoorSummary;
use super::modes::Mode;
use crate::encoding::{Blob, Bytes32, Secret32, not_null};
use crate::event::{Capability, Kind};
use crate::ids::{ParticipantId, SessionId};
use crate::problem::EndCause;
use crate::timestamp::Timestamp;

/// A bearer token in an answer, shown once. Debug hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct TokenText(pub String);

impl fmt::Debug for TokenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenText")
    }
}

/// A body without fields: `{}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// A sealed title with what its opening needs (`crypto.md` section 7, kind 2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SealedTitle {
    /// Who set it.
    pub participant_id: ParticipantId,
    /// The epoch it is sealed under.
    pub epoch: u32,
    /// The sealed form.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub sealed: Blob,
}

/// Who comes in: with a verifier the first time, with the rejoin secret on return and when an unanswered
/// join is repeated. Exactly one of the two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct JoiningParticipant {
    /// The hash of its public keys.
    pub participant_id: ParticipantId,
    /// An agent or a person; fixed at the first join.
    pub kind: Kind,
    /// SHA-256 of the rejoin secret.
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub rejoin_verifier: Option<Bytes32>,
    /// The rejoin secret.
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub rejoin_secret: Option<Secret32>,
    /// The profile, sealed under the epoch named.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub sealed_profile: Blob,
}

/// `POST /v1/sessions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// Made by the client, so that a retry is the same request.
    pub session_id: SessionId,
    /// The epoch record of type 0.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub epoch_record: Blob,
    /// The sealed title.
    pub title: SealedTitle,
    /// A public label, in the clear, for the org's admins.
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub label: Option<String>,
    /// The creator, with a verifier.
    pub participant: JoiningParticipant,
}

/// The answer to a create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Created {
    /// The creator's token.
    pub session_token: TokenText,
    /// The session as it stands.
    pub state: State,
}

/// That a session is over: nothing is written to it any more, and live tokens read until the retention ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionEnd {
    /// Since when.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub at: Timestamp,
    /// Why.
    pub cause: EndCause,
}

/// What everybody in a session may know of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct State {
    /// The session.
    pub session_id: SessionId,
    /// Its epoch.
    pub epoch: u32,
    /// The newest seq.
    pub head_seq: u64,
    /// The oldest seq that is still stored.
    pub min_seq: u64,
    /// The mode, as it is for the asking participant.
    pub mode: Mode,
    /// Who may still come in.
    pub door: DoorSummary,
    /// The asking participant's capability; none for machine and console tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<Capability>,
    /// The owner participant; none after an administrator re-key.
    #[serde(default)]
    pub owner: Option<ParticipantId>,
    /// When it was created.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub created_at: Timestamp,
    /// When it expires unless somebody writes a message.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub expires_at: Timestamp,
    /// Set once the session is over; absent while it lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<SessionEnd>,
}

/// `GET /v1/sessions/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionView {
    /// The session as it stands.
    pub state: State,
    /// The sealed title.
    pub title: SealedTitle,
}

/// Answers that carry the state alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StateAnswer {
    /// The session as it stands.
    pub state: State,
}

/// `PUT /v1/sessions/{id}/title`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SetTitle {
    /// The sealed title; author and epoch must be the token's.
    pub title: SealedTitle,
}

/// `POST /v1/sessions/{id}/participants`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Join {
    /// The full or the view proof of the epoch named.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub proof: Secret32,
    /// The epoch of the link.
    pub epoch: u32,
    /// Who comes in.
    pub participant: JoiningParticipant,
}

/// The answer to a join or a return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Joined {
    /// The participant's token.
    pub session_token: TokenText,
    /// By the plane's word.
    pub capability: Capability,
    /// The session as it stands.
    pub state: State,
    /// All epoch records, ascending from 1.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub epoch_records: Vec<Blob>,
    /// The sealed title.
    pub title: SealedTitle,
}

/// The 202 answer at a door that asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Knocking {
    /// Always true.
    pub knocking: bool,
    /// When to ask again, in seconds.
    pub retry_after_s: u64,
}

/// `POST /v1/sessions/{id}/rejoin`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Rejoin {
    /// Who asks.
    pub participant_id: ParticipantId,
    /// Its rejoin secret.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub rejoin_secret: Secret32,
    /// The newest epoch it knows.
    pub after_epoch: u32,
}

/// Epoch records, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EpochRecords {
    /// Their bytes.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub epoch_records: Vec<Blob>,
}

/// One participant as the plane sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ParticipantRow {
    /// Who.
    pub participant_id: ParticipantId,
    /// An agent or a person.
    pub kind: Kind,
    /// By the plane's word.
    pub capability: Capability,
    /// When it first joined.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub joined_at: Timestamp,
    /// When it was last heard of, within some seconds.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub last_seen_at: Timestamp,
    /// When it left; absent while it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub left_at: Option<Timestamp>,
    /// Whether it waits or streams now, within a minute.
    pub listening: bool,
    /// The newest seq that it fetched.
    pub fetched_seq: u64,
}

/// A profile with what its opening needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SealedProfile {
    /// Whose.
    pub participant_id: ParticipantId,
    /// The epoch it is sealed under.
    pub epoch: u32,
    /// The sealed form.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub sealed: Blob,
}

/// `GET /v1/sessions/{id}/participants`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Participants {
    /// Everybody, in the order of joining.
    pub participants: Vec<ParticipantRow>,
    /// With `profiles_from_epoch`: the newest profile of each in each epoch from there on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed_profiles: Option<Vec<SealedProfile>>,
    /// With `profiles_from_epoch`: the epoch records from there on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<String>>))]
    pub epoch_records: Option<Vec<Blob>>,
}

/// `POST /v1/sessions/{id}/rekey`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Rekey {
    /// The record of the next epoch.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub epoch_record: Blob,
    /// For type 1: that of the owner participant.
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub rejoin_secret: Option<Secret32>,
}

/// The answer to a re-key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Rekeyed {
    /// The new epoch.
    pub epoch: u32,
    /// The seq of its record.
    pub seq: u64,
}
