//! `admin approve`: the operator's yes or no to a machine that shows a code.

use std::io::{self, IsTerminal as _};

use clap::Args;

use super::tokens::Scope;
use super::{Failure, Output};
use crate::service::{self, ConnectRequest, Service};

/// Approve a machine that asked to be connected
///
/// `devpilot-session connect` shows a code of eight symbols. Compare it, and the machine that is shown here, with what its
/// owner tells you: whoever holds the token can create sessions as that member.
///
/// At a terminal it shows the machine and asks for a yes; without one, and with --json, the call is the yes. Where there are
/// several members it has to be said whose machine it is: with --member, and with --org where there are several orgs.
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
    /// Refuse it
    #[arg(long)]
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
        deny,
    } = arguments;
    let machine = service.admin_connect_request(&code).await?;
    if deny {
        let machine = service.admin_deny(&code, org.as_deref()).await?;
        output.answer(&machine, |machine| format!("Refused: {}.", described(machine)));
        return Ok(());
    }
    output.remark(&format!("This machine asks: {}.", described(&machine)));
    if !said_yes(output)? {
        return Err(Failure::NotApproved);
    }
    let scopes: Vec<service::Scope> = scopes.into_iter().map(Into::into).collect();
    let approved = service
        .admin_approve(&code, org.as_deref(), member.as_deref(), &scopes)
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

/// Asks whoever sits at a terminal. A script has said yes by calling.
fn said_yes(output: &Output) -> io::Result<bool> {
    if !output.is_for_people() || !io::stdin().is_terminal() || !Output::on_terminal() {
        return Ok(true);
    }
    output.ask("Is it yours to approve? Type yes: ");
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
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
