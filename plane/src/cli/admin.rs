//! `admin`: orgs, members, machine tokens, machines that ask for one, sessions, audit. Works on the database itself, so whoever may read it is
//! the operator.

mod approve;
mod people;
mod sessions;
mod tokens;

use clap::Subcommand;
use wire::timestamp::Timestamp;

use super::Failure;
use super::output::Output;
use crate::clock::Clock;
use crate::config::{StoreConfig, StoreSettings};
use crate::limits::Limits;
use crate::service::{Service, ServiceConfig, ServiceError, WakeTimes};

#[derive(Debug, Subcommand)]
pub(super) enum What {
    /// Organisations
    #[command(subcommand)]
    Org(people::OrgVerb),
    /// Members of an org
    #[command(subcommand)]
    Member(people::MemberVerb),
    /// Machine tokens: what lets a member's machine create sessions
    #[command(subcommand)]
    Token(tokens::TokenVerb),
    Approve(approve::ApproveArguments),
    /// Sessions: never a title, nothing of what was written
    #[command(subcommand)]
    Session(sessions::SessionVerb),
    /// Who did what, newest first
    Audit(sessions::AuditArguments),
}

pub(super) async fn run(settings: StoreSettings, what: What, output: &Output) -> Result<(), Failure> {
    let config = StoreConfig::of(&settings.with_file()?)?;
    let service = Service::open_for_admin(ServiceConfig {
        store: config.store,
        limits: Limits::default(),
        clock: Clock::System,
        wakes: WakeTimes::default(),
    })
    .await?;
    let done = match what {
        What::Org(verb) => people::org(&service, verb, output).await,
        What::Member(verb) => people::member(&service, verb, output).await,
        What::Token(verb) => tokens::token(&service, verb, output).await,
        What::Approve(arguments) => approve::approve(&service, arguments, output).await,
        What::Session(verb) => sessions::session(&service, verb, output).await,
        What::Audit(arguments) => sessions::audit(&service, arguments, output).await,
    };
    service.drain().await;
    done
}

/// A refusal in words for the operator.
pub(super) fn said(error: &ServiceError) -> String {
    match error {
        ServiceError::NotFound => {
            "there is none of that name or id; `list` beside this verb shows what there is".to_owned()
        }
        ServiceError::BadRequest { detail, .. } | ServiceError::Forbidden { detail } => (*detail).to_owned(),
        ServiceError::RateLimited { retry_after_s, .. } => format!(
            "that was one wrong code too many. Wait {retry_after_s} s, then type the code as the machine shows it."
        ),
        ServiceError::Store(error) => format!("{error} {}", super::causes(error)),
        other => other.to_string(),
    }
}

/// A time that may not have come, in a table.
fn since(time: Option<Timestamp>) -> String {
    time.map_or_else(|| "-".to_owned(), |time| time.to_string())
}
