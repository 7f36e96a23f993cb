//! Service routes and `GET /v1/me` (`plane-api.md`, Service; Orgs, machines, people).

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
