//! `sessions`: what this machine is in, from its own files; nobody is asked. For the command line alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::event::Kind;
use wire::timestamp::Timestamp;

use super::app::App;
use super::delivered::{Answer, Delivered};
use super::failure::Failure;
use crate::render;
use crate::seat::{SeatSummary, Standing};

/// One seat of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SeatItem {
    /// The session's id.
    pub session: String,
    /// Its title, as this seat last saw it.
    pub title: String,
    /// The plane.
    pub plane: String,
    /// This seat's participant id, for `--seat`.
    pub seat: String,
    /// The name it goes by.
    pub name: String,
    /// agent or human.
    pub kind: String,
    /// open; on its way in: creating, joining, knocking or turned_away; or why it is over: ended, expired, purged, left or
    /// removed.
    pub state: String,
    /// Until when the session lives unless somebody writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub expires_at: Option<String>,
    /// When it was last used.
    pub last_used_at: String,
    /// In which folder.
    pub last_used_in: String,
}

/// The seats, the one last used first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SessionsAnswer {
    /// The seats.
    pub seats: Vec<SeatItem>,
    /// What else to know, such as a damaged file that was set aside.
    pub warnings: Vec<String>,
}

impl Answer for SessionsAnswer {
    fn text(&self) -> String {
        let mut lines: Vec<String> = self.seats.iter().map(line).collect();
        if lines.is_empty() {
            lines.push("This machine is in no session. Share one, or join one with its link.".to_owned());
        }
        lines.extend(self.warnings.iter().cloned());
        lines.join("\n")
    }
}

/// One seat on one line: our words, with the title and the name in quotation marks.
fn line(seat: &SeatItem) -> String {
    let short = |id: &str| id.chars().take(8).collect::<String>();
    format!(
        "{}  \"{}\": {}, as \"{}\" ({}, seat {}), last used {} in {}",
        short(&seat.session),
        seat.title,
        seat.state,
        seat.name,
        seat.kind,
        short(&seat.seat),
        seat.last_used_at,
        if seat.last_used_in.is_empty() {
            "no project"
        } else {
            &seat.last_used_in
        },
    )
}

/// Lists them.
///
/// # Errors
/// The folder of the seats can't be read.
pub fn run(app: &App) -> Result<Delivered<SessionsAnswer>, Failure> {
    let listing = app.list()?;
    let now = app.clock.now();
    Ok(Delivered::plain(SessionsAnswer {
        seats: listing.seats.iter().map(|seat| item(seat, now)).collect(),
        warnings: listing.problems,
    }))
}

fn item(seat: &SeatSummary, now: Timestamp) -> SeatItem {
    let state = match &seat.ended {
        Some(ended) => ended.cause.as_str(),
        None if !seat.is_alive(now) => "expired",
        None => match seat.standing() {
            Standing::In => "open",
            Standing::Creating => "creating",
            Standing::Joining => "joining",
            Standing::Knocking => "knocking",
            Standing::TurnedAway => "turned_away",
        },
    };
    SeatItem {
        session: seat.session.to_string(),
        title: render::title(seat.title.as_deref().unwrap_or_default()),
        plane: seat.plane.to_string(),
        seat: seat.participant.to_string(),
        name: render::name(&seat.name),
        kind: match seat.kind {
            Kind::Agent => "agent",
            Kind::Human => "human",
        }
        .to_owned(),
        state: state.to_owned(),
        expires_at: seat.expires_at.map(|at| at.to_string()),
        last_used_at: seat.last_used.at.to_string(),
        last_used_in: seat.last_used.place.clone(),
    }
}
