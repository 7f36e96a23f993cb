//! Service routes and `GET /v1/me` (`plane-api.md`, Service; Orgs, machines, people).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{OrgId, UserId};

/// `GET /healthz` and `GET /readyz`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Health {
    /// `ok`.
    pub status: String,
    /// The plane's version.
    pub version: String,
}

/// `GET /v1/assets.json`: what browsers get from this plane, to be compared with a build of one's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Assets {
    /// SHA-256 in hexadecimal of each file as it is before compression, by its path; that of the session page stands
    /// under `/s/{session_id}`.
    pub assets: BTreeMap<String, String>,
}

/// `GET /v1/me`: whose token this is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Me {
    /// The user.
    pub user: UserId,
    /// The user's org.
    pub org: OrgId,
    /// `member` or `admin`.
    pub role: String,
    /// What the token may do.
    pub scopes: Vec<String>,
}
