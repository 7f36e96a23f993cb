//! `end`: ends a session for everybody, with this machine's token. For the command line alone, at a person's own hand.
//!
//! It takes no link and no seat: whoever lost the state of this machine ends the session by its id.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::ids::SessionId;
use wire::problem::EndCause;

use super::app::App;
use super::choose::CALL_S;
use super::delivered::{Answer, Delivered};
use super::failure::{Failure, code};
use super::host::{Ask, Host, Purpose, Question};
use super::present::short;
use super::{compose, wording};
use crate::note::handoff;
use crate::plane::{Plane, Unsettled, within};
use crate::render;
use crate::seat::{Ended, SeatError, SeatState};

/// How long another process's step may hold up ours.
const LOCK: Duration = Duration::from_secs(10);

/// Which session, and how.
#[derive(Debug, Clone, Default)]
pub struct EndArgs {
    /// The session: its whole id, or as a seat of this machine names it.
    pub session: Option<String>,
    /// Delete its records as well.
    pub purge: bool,
}

/// The session is over.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct EndAnswer {
    /// The session's id.
    pub session: String,
    /// The plane.
    pub plane: String,
    /// Whether its records were deleted.
    pub purged: bool,
    /// How many seats of this machine were in it.
    pub seats_here: u64,
    /// What it means.
    pub next: String,
}

impl Answer for EndAnswer {
    fn text(&self) -> String {
        format!(
            "Session {} on {} is over.\n{}\n",
            self.session, self.plane, self.next
        )
    }
}

/// Ends it, once the person has typed the word.
///
/// # Errors
/// No such session, here or at the plane; no machine token, or one that does not reach that far; the word was not typed.
pub async fn run(app: &App, args: EndArgs, host: &dyn Host) -> Result<Delivered<EndAnswer>, Failure> {
    let (session, title) = named(app, &args, host)?;
    let known = app.known_of(&session)?;
    // What is over can still be deleted.
    if let Some(end) = app.over(&session, within(CALL_S)).await?
        && (!args.purge || end.cause == EndCause::Purged)
    {
        return Err(wording::is_over(end));
    }
    let plane = match &known.plane {
        Some(plane) => plane.clone(),
        None => app.share_plane()?,
    };
    let machine = match app.machine_token(&plane) {
        // Whoever shared it has to connect the machine again; another participant has nothing to connect it for.
        Err(failure) if failure.code() == code::NO_MACHINE_TOKEN && known.seats > 0 && !known.owner => {
            return Err(wording::owner_s_alone("end it", &plane));
        }
        machine => machine?,
    };
    let what = match &title {
        Some(title) => format!("\"{title}\" ({session})"),
        None => session.to_string(),
    };
    let purge = match args.purge {
        true => " Its records are deleted from the plane and can't be had back.",
        false => " Its records stay readable for those in it until the plane's retention ends.",
    };
    let question = Question {
        purpose: Purpose::End,
        session: title.unwrap_or_else(|| session.to_string()),
        text: format!(
            "End the session {what} on {plane} for everybody? Nobody can post or join any more, and this can't be taken \
             back.{purge}"
        ),
        subject: format!("end {session} {plane} purge={}", args.purge),
    };
    match host.ask(&question).await {
        Ask::Yes => {}
        Ask::CannotAsk => {
            // By its whole id where no seat of this machine knows it by less.
            let id = if known.seats > 0 {
                short(&session)
            } else {
                session.to_string()
            };
            let command = format!("end --session {id}{}", if args.purge { " --purge" } else { "" });
            return Err(compose::no_terminal("Nothing was changed.", command));
        }
        other => return Err(compose::refused(other, "Nothing was changed.")),
    }
    let plane = Plane::new(app.http.clone(), plane);
    plane
        .end(&machine, &session, args.purge, within(CALL_S))
        .await
        .map_err(|unsettled| not_known_to_be_over(&unsettled))?;
    mark_over(app, &session, args.purge).await?;
    let mut next = match args.purge {
        true => "Its records are gone from the plane.".to_owned(),
        false => "What was read stays readable to those who were in it.".to_owned(),
    };
    if known.seats > 0 {
        next.push_str(" This machine's notes with its link were deleted.");
    }
    Ok(Delivered::plain(EndAnswer {
        session: session.to_string(),
        plane: plane.origin().to_string(),
        purged: args.purge,
        seats_here: known.seats,
        next,
    }))
}

/// Why it is not over, or not known to be. An end that came through can be asked for again.
fn not_known_to_be_over(unsettled: &Unsettled) -> Failure {
    let why = wording::keeping(unsettled);
    if !unsettled.is_open {
        return why;
    }
    Failure::new(
        why.code(),
        format!(
            "It is not known whether the session is over: {} Run the same command again; to end what is over changes nothing.",
            why.message()
        ),
    )
}

/// The session's id, and its title made safe for display where a seat of this machine knows it.
fn named(app: &App, args: &EndArgs, host: &dyn Host) -> Result<(SessionId, Option<String>), Failure> {
    let listing = app.list()?;
    let whole = args.session.as_deref().and_then(|text| text.trim().parse().ok());
    let id = match whole {
        Some(id) => id,
        None => app.named_here(host, &listing, args.session.as_deref())?,
    };
    let mut seats = listing.seats.iter().filter(|seat| seat.session == id);
    Ok((
        id,
        seats.find_map(|seat| seat.title.as_deref()).map(render::title),
    ))
}

/// Every seat of this machine in it is over, and its notes are gone.
async fn mark_over(app: &App, session: &SessionId, purged: bool) -> Result<(), Failure> {
    let ended = Ended {
        at: app.clock.now(),
        cause: if purged { "purged" } else { "ended" }.to_owned(),
    };
    for seat in app.seats_of(session)? {
        let over = |state: &mut SeatState| {
            // What was over before may be deleted as well now. Who left or was put out stays so.
            let known = state.ended.as_ref();
            if known.is_none_or(|known| purged && known.for_everybody().is_some()) {
                state.ended = Some(ended.clone());
            }
            handoff::remove(&app.home, &state.handoffs)?;
            state.handoffs.clear();
            state.pending.rekey = None;
            Ok::<_, SeatError>(())
        };
        seat.with_lock(LOCK, over)
            .await
            .map_err(|error| wording::seat(&error))?;
    }
    Ok(())
}
