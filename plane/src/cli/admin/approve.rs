//! `admin approve`: the operator's yes or no to a machine that shows a code.

use std::io::{self, IsTerminal as _};

use clap::Args;

use super::tokens::Scope;
use super::{Failure, Output};
use crate::service::{self, Approval, ConnectRequest, Service};

/// Approve a machine that asked to be connected
///
/// `devpilot-session connect` shows a code of eight symbols. Compare it, and the machine that is shown here, with what its
/// owner tells you: whoever holds the token can create sessions as that member.
///
/// At a terminal it shows the machine, whose it will be and what it may do then, and asks for a yes; a script says it with
/// --yes. Where there are several members it has to be said whose machine it is: with --member, and with --org where there are
/// several orgs.
#[derive(Debug, Args)]
pub(in crate::cli) struct ApproveArguments {
    /// The code that the machine shows
    code: String,
    /// The org that the machine belongs to; may be left out if only one member fits
    #[arg(long)]
    org: Option<String>,
    /// The member whose machine it is; may be left out if there is only one
    #[arg(long, value_name = "NAME")]
    member: Option<String>,
    /// What its token may do
    #[arg(long, value_enum, value_delimiter = ',', default_value = "share,rekey")]
    scopes: Vec<Scope>,
    /// Say yes without being asked, where nobody sits at a terminal; with --json as well
    #[arg(long)]
    yes: bool,
    /// Refuse it
    #[arg(long, conflicts_with = "yes")]
    deny: bool,
}

pub(in crate::cli) async fn approve(
    service: &Service,
    arguments: ApproveArguments,
    output: &Output,
) -> Result<(), Failure> {
    let ApproveArguments {
        code,
        org,
        member,
        scopes,
        yes,
        deny,
    } = arguments;
    if deny {
        let machine = service.admin_deny(&code, org.as_deref()).await?;
        output.answer(&machine, |machine| format!("Refused: {}.", described(machine)));
        return Ok(());
    }
    let scopes: Vec<service::Scope> = scopes.into_iter().map(Into::into).collect();
    let approval = service
        .admin_approval(&code, org.as_deref(), member.as_deref(), &scopes)
        .await?;
    output.remark(&format!("This machine asks: {}.", described(&approval.machine)));
    output.remark(&meaning(&approval));
    if !yes {
        ask(output)?;
    }
    // As it was shown: a member who came meanwhile is not meant.
    let approved = service
        .admin_approve(&code, Some(&approval.org), Some(&approval.member), &scopes)
        .await?;
    output.answer(&approved, |approved| {
        format!(
            "Approved as a machine of {} in {}, to {}: {}.\nIt fetches its token now. To end that: devpilot-plane admin token \
             revoke {}",
            approved.member,
            approved.org,
            approved.scopes.join(" and "),
            described(&approved.machine),
            approved.token_id,
        )
    });
    Ok(())
}

/// Whose machine it will be, and what it may do then, in words of what happens and not of scopes.
fn meaning(approval: &Approval) -> String {
    let Approval {
        org, member, scopes, ..
    } = approval;
    let may = |scope: service::Scope| scopes.contains(&scope);
    let mut rights = Vec::new();
    if may(service::Scope::Share) {
        rights.push("create sessions".to_owned());
    }
    // The one holds all of the other.
    if may(service::Scope::Admin) {
        rights.push(format!(
            "re-key, stop and end every session of the org {org}, and keep their doors"
        ));
    } else if may(service::Scope::Rekey) {
        rights.push(format!(
            "re-key, stop and end every session that a machine of {member} created, and keep their doors"
        ));
    }
    format!(
        "It will be a machine of the member {member} in the org {org}, and able to {}.",
        rights.join(", and to ")
    )
}

/// Asks whoever sits at a terminal, for the word itself.
fn ask(output: &Output) -> Result<(), Failure> {
    if !output.is_for_people() || !io::stdin().is_terminal() || !Output::on_terminal() {
        return Err(Failure::NobodyToAsk);
    }
    output.ask("Type yes to approve it: ");
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    match line.trim() {
        "yes" => Ok(()),
        _ => Err(Failure::NotApproved),
    }
}

/// A machine in one line. Its name is its own word, so it stands in quotation marks.
fn described(machine: &ConnectRequest) -> String {
    let name = machine.machine_name.as_deref().map_or_else(
        || "a machine that gives no name".to_owned(),
        |name| format!("one that calls itself “{name}”"),
    );
    let address = machine.address.as_deref().unwrap_or("an unknown address");
    format!("{name}, from {address}, since {}", machine.since)
}
