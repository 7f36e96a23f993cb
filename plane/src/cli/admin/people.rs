//! Orgs and their members.

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::{Failure, Output, since};
use crate::cli::output::table;
use crate::service::{self, Service};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum OrgVerb {
    /// Create an org
    Create {
        /// Its name; others name it by that
        name: String,
    },
    /// List all orgs
    List,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum MemberVerb {
    /// Add a member to an org
    Create {
        #[command(flatten)]
        who: Who,
        /// A member sees their own sessions, an admin the org's
        #[arg(long, value_enum, default_value = "member")]
        role: Role,
    },
    /// List an org's members
    List {
        /// The org's name
        #[arg(long)]
        org: String,
    },
    /// End all access of a member's machines
    Disable(Who),
    /// Give it back
    Enable(Who),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Who {
    /// The org's name
    #[arg(long)]
    org: String,
    /// The member's name
    #[arg(long)]
    name: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::cli) enum Role {
    Member,
    Admin,
}

impl From<Role> for service::Role {
    fn from(role: Role) -> Self {
        match role {
            Role::Member => Self::Member,
            Role::Admin => Self::Admin,
        }
    }
}

pub(in crate::cli) async fn org(service: &Service, verb: OrgVerb, output: &Output) -> Result<(), Failure> {
    match verb {
        OrgVerb::Create { name } => {
            let org = service.admin_create_org(&name).await?;
            output.answer(&org, |org| format!("Created the org {}.", org.name));
        }
        OrgVerb::List => {
            let orgs = service.admin_orgs().await?;
            output.answer(&orgs, |orgs| {
                let rows: Vec<_> = orgs
                    .iter()
                    .map(|org| [org.name.clone(), org.created_at.to_string()])
                    .collect();
                table(["NAME", "SINCE"], &rows)
            });
        }
    }
    Ok(())
}

pub(in crate::cli) async fn member(
    service: &Service,
    verb: MemberVerb,
    output: &Output,
) -> Result<(), Failure> {
    match verb {
        MemberVerb::Create { who, role } => {
            let member = service
                .admin_create_member(&who.org, &who.name, role.into())
                .await?;
            output.answer(&member, |member| {
                format!("{} has the role {} in {}.", member.name, member.role, who.org)
            });
        }
        MemberVerb::List { org } => {
            let members = service.admin_members(&org).await?;
            output.answer(&members, |members| {
                let rows: Vec<_> = members
                    .iter()
                    .map(|member| {
                        let (name, role) = (member.name.clone(), member.role.clone());
                        [
                            member.user_id.to_string(),
                            name,
                            role,
                            member.created_at.to_string(),
                            since(member.disabled_at),
                        ]
                    })
                    .collect();
                table(["ID", "NAME", "ROLE", "SINCE", "DISABLED"], &rows)
            });
        }
        MemberVerb::Disable(who) => set_disabled(service, &who, true, output).await?,
        MemberVerb::Enable(who) => set_disabled(service, &who, false, output).await?,
    }
    Ok(())
}

async fn set_disabled(service: &Service, who: &Who, disabled: bool, output: &Output) -> Result<(), Failure> {
    service
        .admin_disable_member(&who.org, &who.name, disabled)
        .await?;
    output.answer(&json!({ "name": who.name, "disabled": disabled }), |_| {
        let state = if disabled {
            "disabled: their machine tokens count no more"
        } else {
            "enabled again"
        };
        format!("{} is {state}.", who.name)
    });
    Ok(())
}
