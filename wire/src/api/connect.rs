//! Connecting a machine: device login in the shape of RFC 8628 (`plane-api.md`, Orgs, machines, people).

use serde::{Deserialize, Serialize};

use super::TokenText;
use crate::encoding::{Secret32, not_null};

/// `POST /v1/connect`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Connect {
    /// What the machine calls itself, for whoever approves it. Cut at 64 symbols; what is no letter, digit, space
    /// or one of `-._'()` is left out.
    #[serde(
        default,
        deserialize_with = "not_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub machine_name: Option<String>,
}

/// The answer: two codes for one request, one for the machine, one for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Connecting {
    /// The machine's own, secret: what it asks for the token with.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub device_code: Secret32,
    /// Eight symbols for the approver to type; shown in two groups of four.
    pub user_code: String,
    /// The page that says what to do with it.
    pub verification_uri: String,
    /// How long both codes count, in seconds.
    pub expires_in: u64,
    /// How long to wait between two requests for the token, in seconds.
    pub interval: u64,
}

/// `POST /v1/connect/token`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ConnectToken {
    /// The code that was answered to `POST /v1/connect`.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub device_code: Secret32,
}

/// The machine's token, once: whoever asks again gets `expired_token`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Connected {
    /// The token, `dpm_…`.
    pub machine_token: TokenText,
    /// The org that the machine belongs to, by name.
    pub org: String,
    /// The member whose machine it is, by name.
    pub member: String,
    /// What the token may do.
    pub scopes: Vec<String>,
}
