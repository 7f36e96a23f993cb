//! `leave`: ends this seat's part in a session. For the command line alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::ids::SessionId;

use super::app::App;
use super::choose::{CALL_S, Intent};
use super::delivered::{Answer, Delivered};
use super::failure::Failure;
use super::host::Host;
use super::present::{self, Presenter};
use super::proposals;
use super::reach::in_turn;
use super::text::Text;
use super::wording;
use crate::plane::{Deadline, within};
use crate::render;
use crate::seat::choose::{self, ChooseError};
use crate::seat::{Place, Seat, Standing};
use crate::session::Session;

/// Which session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeaveArgs {
    /// The session: id, its first 8 characters, or title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
}

/// The session was left.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct LeaveAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// What it means, and the way back.
    pub next: String,
}

impl Answer for LeaveAnswer {
    fn text(&self) -> String {
        let mut text = Text::about(&self.title, &self.session);
        text.closing(&[], &self.next);
        text.finish()
    }
}

/// Leaves. A seat that never got in is given up.
///
/// # Errors
/// No such session, several that could be meant, or the plane can't be asked.
pub async fn run(app: &App, args: LeaveArgs, host: &dyn Host) -> Result<Delivered<LeaveAnswer>, Failure> {
    let until = within(CALL_S);
    if let Some(answer) = without_seat(app, args.session.as_deref(), host, until).await? {
        return Ok(Delivered::plain(answer));
    }
    // To leave the wrong one can't be taken back any more than a post to it.
    let session = app
        .pick(host, args.session.as_deref(), Intent::Leave, until)
        .await?;
    let mut session = in_turn(&session, until).await?;
    if session.has_left()? {
        return Ok(Delivered::plain(left_already(
            session.id(),
            Presenter::new(&session).title(),
            &whose(&session, host, ["You left", "left"])?,
        )));
    }
    session.leave(until).await?;
    let who = whose(&session, host, ["You have left", "has left"])?;
    Ok(Delivered::plain(LeaveAnswer {
        session: session.id().to_string(),
        title: Presenter::new(&session).title(),
        next: format!(
            "{who}. The others go on, and what was written stays. To come back, join with the link."
        ),
    }))
}

/// Who left, for whoever reads it: themselves, or the participant they took out.
fn whose(session: &Session, host: &dyn Host, [you, it]: [&str; 2]) -> Result<String, Failure> {
    Ok(match session.kept()?.kind {
        kind if kind == host.kind() => you.to_owned(),
        kind => format!(
            "The {} of this machine, {}, {it}",
            present::kind_word(kind),
            proposals::who(&Presenter::new(session), session.my_id())
        ),
    })
}

/// The second time nothing is sent: to leave, a participant would have to come back first, and everybody would be told so.
fn left_already(session: &SessionId, title: String, who: &str) -> LeaveAnswer {
    LeaveAnswer {
        session: session.to_string(),
        title,
        next: format!("{who} this session already. Nothing was changed; to come back, join with the link."),
    }
}

/// Gives up the way into a session that no seat of this machine got into, or says that the last one used here was left
/// before. At the plane the knock ends by itself.
async fn without_seat(
    app: &App,
    named: Option<&str>,
    host: &dyn Host,
    until: Deadline,
) -> Result<Option<LeaveAnswer>, Failure> {
    let _entrance = app.entrance(until).await?;
    let listing = app.list()?;
    let place = Place::of(host.folder());
    let asking = app.asking(&listing, &place, named, None);
    let session = match choose::session_for_post(&asking) {
        // A share that is under way is not this call's to end.
        Err(ChooseError::NotIn {
            session, standing, ..
        }) if standing != Standing::Creating => session,
        Err(ChooseError::Left { session, .. }) => {
            let seats = listing.seats.iter().filter(|seat| seat.session == session);
            let title = seats.filter_map(|seat| seat.title.as_deref()).next();
            let title = title.map_or_else(|| "untitled".to_owned(), render::title);
            return Ok(Some(left_already(&session, title, "You left")));
        }
        _ => return Ok(None),
    };
    let outside = listing.seats.iter().filter(|seat| {
        seat.session == session && seat.kind == host.kind() && seat.standing() != Standing::Creating
    });
    let mut found = false;
    for summary in outside {
        let seat = app.seats.open(&session, &summary.participant);
        seat.and_then(Seat::remove)
            .map_err(|error| wording::seat(&error))?;
        found = true;
    }
    Ok(found.then(|| LeaveAnswer {
        session: session.to_string(),
        title: "untitled".to_owned(),
        next:
            "You were not in yet, and have stopped asking. To ask again, as somebody new, join with the link."
                .to_owned(),
    }))
}
