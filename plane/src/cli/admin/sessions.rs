//! Sessions and the audit, as far as an operator may look.

use clap::{Args, Subcommand};
use serde_json::json;
use wire::event::ModeName;
use wire::ids::SessionId;

use super::{Failure, Output, since};
use crate::cli::output::table;
use crate::service::Service;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum SessionVerb {
    /// List an org's newest sessions
    List {
        /// The org's name
        #[arg(long)]
        org: String,
    },
    /// End a session
    End {
        /// Its id
        #[arg(value_parser = session_id)]
        id: SessionId,
        /// Delete its records now instead of after the retention
        #[arg(long)]
        purge: bool,
    },
}

#[derive(Debug, Args)]
pub(in crate::cli) struct AuditArguments {
    /// The org's name
    #[arg(long)]
    org: String,
    /// At most so many entries, up to 1,000
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    limit: u32,
}

fn mode_word(mode: ModeName) -> &'static str {
    match mode {
        ModeName::Observe => "observe",
        ModeName::Relay => "relay",
        ModeName::Auto => "auto",
    }
}

fn session_id(text: &str) -> Result<SessionId, String> {
    text.parse()
        .map_err(|_| "an id is a lower-case hyphenated UUID, as `session list` shows it".to_owned())
}

pub(in crate::cli) async fn session(
    service: &Service,
    verb: SessionVerb,
    output: &Output,
) -> Result<(), Failure> {
    match verb {
        SessionVerb::List { org } => {
            let sessions = service.admin_sessions(&org).await?;
            output.answer(&sessions, |sessions| {
                let rows: Vec<_> = sessions
                    .iter()
                    .map(|session| {
                        [
                            session.session_id.to_string(),
                            session.label.clone().unwrap_or_else(|| "-".to_owned()),
                            session.epoch.to_string(),
                            mode_word(session.mode).to_owned(),
                            session.records.to_string(),
                            session.created_at.to_string(),
                            since(session.ended_at),
                        ]
                    })
                    .collect();
                table(
                    ["ID", "LABEL", "EPOCH", "MODE", "RECORDS", "CREATED", "ENDED"],
                    &rows,
                )
            });
        }
        SessionVerb::End { id, purge } => {
            service.admin_end_session(id, purge).await?;
            output.answer(
                &json!({ "session_id": id, "ended": true, "purged": purge }),
                |_| {
                    let how = if purge { "Ended and deleted" } else { "Ended" };
                    format!("{how} {id}.")
                },
            );
        }
    }
    Ok(())
}

pub(in crate::cli) async fn audit(
    service: &Service,
    arguments: AuditArguments,
    output: &Output,
) -> Result<(), Failure> {
    let entries = service.admin_audit(&arguments.org, None, arguments.limit).await?;
    output.answer(&entries, |entries| {
        let rows: Vec<_> = entries
            .iter()
            .map(|entry| {
                let session = entry
                    .session_id
                    .map_or_else(|| "-".to_owned(), |id| id.to_string());
                let subject = entry.subject.clone().unwrap_or_else(|| "-".to_owned());
                [
                    entry.at.to_string(),
                    entry.actor.clone(),
                    entry.action.clone(),
                    session,
                    subject,
                ]
            })
            .collect();
        table(["AT", "WHO", "DID", "SESSION", "TO"], &rows)
    });
    Ok(())
}
