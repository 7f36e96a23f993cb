//! The door: who may still come in (`plane-api.md`, Sessions and Door).

use serde::{Deserialize, Serialize};

use crate::encoding::{Blob, not_null};
use crate::event::{Capability, Kind};
use crate::ids::ParticipantId;
use crate::timestamp::Timestamp;

/// How the door stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum DoorState {
    /// Whoever holds the link comes in.
    Open,
    /// Newcomers knock and are admitted or refused.
    Ask,
    /// Nobody new comes in.
    Closed,
}

/// What everybody in the session sees of the door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DoorSummary {
    /// How it stands now, after `until` and `joins_left`.
    pub state: DoorState,
    /// How many knock.
    pub knocking: u32,
}

/// `PUT /v1/sessions/{id}/door`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SetDoor {
    /// How it shall stand.
    pub state: DoorState,
    /// How many may still come in.
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub joins_left: Option<u32>,
    /// Until when somebody may come in.
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub until: Option<Timestamp>,
}

/// Somebody who knocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Knock {
    /// Who.
    pub participant_id: ParticipantId,
    /// An agent or a person.
    pub kind: Kind,
    /// What its proof would give it.
    pub capability: Capability,
    /// Its profile.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub sealed_profile: Blob,
    /// Since when.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub since: Timestamp,
}

/// The door as its keepers see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Door {
    /// How it stands now.
    pub state: DoorState,
    /// How many may still come in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joins_left: Option<u32>,
    /// Until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub until: Option<Timestamp>,
    /// Who knocks, in the order of coming.
    pub knocking: Vec<Knock>,
}

/// `POST /v1/sessions/{id}/door/{participant_id}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Decide {
    /// Yes or no.
    pub admit: bool,
}
