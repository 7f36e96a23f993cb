//! Machine tokens. The text of one is printed once, alone on standard output, so that it can be piped on.

use clap::{Subcommand, ValueEnum};
use serde_json::json;
use wire::ids::MachineTokenId;

use super::{Failure, Output, since};
use crate::cli::output::table;
use crate::service::{self, Service};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum TokenVerb {
    /// Make a token and print it, once
    Create {
        /// The org's name
        #[arg(long)]
        org: String,
        /// The member's name
        #[arg(long)]
        member: String,
        /// What it may do
        #[arg(long, value_enum, value_delimiter = ',', required = true)]
        scopes: Vec<Scope>,
        /// Which machine it is for, to tell tokens apart
        #[arg(long)]
        name: Option<String>,
    },
    /// List an org's tokens, without their text
    List {
        /// The org's name
        #[arg(long)]
        org: String,
    },
    /// Revoke a token
    Revoke {
        /// Its id, as `list` shows it
        #[arg(value_parser = token_id)]
        id: MachineTokenId,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::cli) enum Scope {
    /// Create sessions
    Share,
    /// Re-key, door, stop and end of the member's own sessions
    Rekey,
    /// The same for all sessions of the org; for members whose role is admin
    Admin,
}

impl From<Scope> for service::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Share => Self::Share,
            Scope::Rekey => Self::Rekey,
            Scope::Admin => Self::Admin,
        }
    }
}

fn token_id(text: &str) -> Result<MachineTokenId, String> {
    text.parse()
        .map_err(|_| "an id is a lower-case hyphenated UUID; the token itself is not needed".to_owned())
}

pub(in crate::cli) async fn token(
    service: &Service,
    verb: TokenVerb,
    output: &Output,
) -> Result<(), Failure> {
    match verb {
        TokenVerb::Create {
            org,
            member,
            scopes,
            name,
        } => {
            let scopes: Vec<service::Scope> = scopes.into_iter().map(Into::into).collect();
            let made = service
                .admin_create_token(&org, &member, &scopes, name.as_deref())
                .await?;
            output.answer(&made, |made| made.token.0.clone());
            output.remark(
                "This is shown once. The client takes it from DEVPILOT_BRIDGE_TOKEN, with DEVPILOT_PLANE for the plane's \
                 address.",
            );
        }
        TokenVerb::List { org } => {
            let tokens = service.admin_tokens(&org).await?;
            output.answer(&tokens, |tokens| {
                let rows: Vec<_> = tokens
                    .iter()
                    .map(|token| {
                        let name = token.name.clone().unwrap_or_else(|| "-".to_owned());
                        let (id, scopes) = (token.token_id.to_string(), token.scopes.join(","));
                        [
                            id,
                            token.member.clone(),
                            name,
                            scopes,
                            token.created_at.to_string(),
                            since(token.revoked_at),
                        ]
                    })
                    .collect();
                table(["ID", "MEMBER", "NAME", "SCOPES", "SINCE", "REVOKED"], &rows)
            });
        }
        TokenVerb::Revoke { id } => {
            service.admin_revoke_token(id).await?;
            output.answer(&json!({ "token_id": id, "revoked": true }), |_| {
                format!("Revoked {id}.")
            });
        }
    }
    Ok(())
}
