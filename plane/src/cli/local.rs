//! The laptop case: an org, a member and a machine token that nobody had to ask for, kept where the client of the same
//! user finds the token.

use std::path::PathBuf;

use super::Failure;
use super::credentials::ClientFile;
use crate::service::{Role, Scope, Service, ServiceError};

const ORG: &str = "local";
const MEMBER: &str = "owner";

/// Where the client finds its token.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) file: PathBuf,
    pub(super) is_new: bool,
}

/// Sees to it that the client has a token for `origin` that this plane takes. One that it has is left alone.
pub(super) async fn ensure_token(service: &Service, origin: &str) -> Result<Token, Failure> {
    let file = ClientFile::of_this_user()?;
    if let Some(token) = file.token(origin) {
        match service.machine_caller(&token).await {
            Ok(_) => {
                return Ok(Token {
                    file: file.path().to_owned(),
                    is_new: false,
                });
            }
            // Of a database that is gone, or revoked.
            Err(ServiceError::Unauthorized) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if !service.admin_orgs().await?.iter().any(|org| org.name == ORG) {
        service.admin_create_org(ORG).await?;
    }
    if !service
        .admin_members(ORG)
        .await?
        .iter()
        .any(|member| member.name == MEMBER)
    {
        service.admin_create_member(ORG, MEMBER, Role::Admin).await?;
    }
    let scopes = [Scope::Share, Scope::Rekey];
    let made = service
        .admin_create_token(ORG, MEMBER, &scopes, Some("made by serve"))
        .await?;
    Ok(Token {
        file: file.keep(origin, &made.token.0)?,
        is_new: true,
    })
}
