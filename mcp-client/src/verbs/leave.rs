//! `leave`: ends this seat's part in a session. For the command line alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
use crate::seat::choose::{self, ChooseError};
use crate::seat::{Place, Seat, Standing};

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
    if let Some(answer) = give_up(app, args.session.as_deref(), host, until).await? {
        return Ok(Delivered::plain(answer));
    }
    // To leave the wrong one can't be taken back any more than a post to it.
    let session = app
        .pick(host, args.session.as_deref(), Intent::Leave, until)
        .await?;
    let mut session = in_turn(&session, until).await?;
    session.leave(until).await?;
    let who = match session.kept()?.kind {
        kind if kind == host.kind() => "You have left.".to_owned(),
        kind => format!(
            "The {} of this machine, {}, has left.",
            present::kind_word(kind),
            proposals::who(&Presenter::new(&session), session.my_id())
        ),
    };
    Ok(Delivered::plain(LeaveAnswer {
        session: session.id().to_string(),
        title: Presenter::new(&session).title(),
        next: format!(
            "{who} The others go on, and what was written stays. To come back, join with the link."
        ),
    }))
}

/// Gives up the way into a session that no seat of this machine got into. At the plane the knock ends by itself.
async fn give_up(
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
