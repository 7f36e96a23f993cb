//! Which session, and which seat of it, a call is for. Pure: it looks at a list and decides.
//!
//! Source: `mcp-client.md`, Which session and Seats.

use wire::event::Kind;
use wire::ids::SessionId;
use wire::timestamp::Timestamp;

use super::consent::Ended;
use super::place::Place;
use super::summary::{SeatSummary, Standing};
use crate::render;

/// How much of an id names a session.
const SHORT_ID: usize = 8;
/// Why a seat is over that a re-key left out.
pub const REMOVED: &str = "removed";

/// What a call goes by.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// Every seat, the one last used first.
    pub seats: &'a [SeatSummary],
    /// The session the call names: id, its first 8 characters, or title.
    pub named: Option<&'a str>,
    /// The session this process last shared, joined or named.
    pub current: Option<SessionId>,
    /// Where the call runs.
    pub place: &'a Place,
    /// Now.
    pub now: Timestamp,
}

/// No session can be chosen. Titles in the text are made safe for display.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChooseError {
    /// None is alive here.
    #[error(
        "This machine is in no session here. Share one, or join one with its link (best from the clipboard)."
    )]
    NoSession,
    /// None was last used in this place, and there are some elsewhere.
    #[error("No session that goes on was last used in this folder. This machine is in: {candidates}.")]
    NotHere {
        /// The sessions there are.
        candidates: String,
        /// Of those the one last used.
        first: SessionId,
    },
    /// None is alive here, and the last one goes on without this machine.
    #[error(
        "The owner re-keyed the session {name} without this machine's participant, so it can't go on here. What was read stays \
         readable: name the session. To come back, ask the owner for a new link and join with it."
    )]
    Removed {
        /// How it is called.
        name: String,
    },
    /// None is alive here, and this machine left the last one.
    #[error(
        "This machine's participant left the session {name}, the last one used here. What was read stays readable: name the session. \
         To come back, join with the link."
    )]
    Left {
        /// The session.
        session: SessionId,
        /// How it is called.
        name: String,
    },
    /// None is alive here, and the last one is over for everybody.
    #[error(
        "The session {name}, the last one used here, is over: nothing more is posted in it, and what was said stays readable. \
         To go on, share a new one, or join one with its link."
    )]
    Over {
        /// How it is called.
        name: String,
    },
    /// None has that id or title.
    #[error("No session on this machine is called that. It is in: {known}.")]
    Unknown {
        /// The sessions there are.
        known: String,
    },
    /// Several could be meant.
    #[error("Several sessions could be meant: {candidates}.")]
    Which {
        /// The sessions that fit.
        candidates: String,
        /// Whether several of them have one title, so that ids alone tell them apart.
        by_id: bool,
        /// Of those the one last used.
        first: SessionId,
    },
    /// This machine is on its way into it and not there yet.
    #[error("{}", not_in(.name, *.standing))]
    NotIn {
        /// The session.
        session: SessionId,
        /// How it is called.
        name: String,
        /// How far this machine's seat has come.
        standing: Standing,
    },
}

fn not_in(name: &str, standing: Standing) -> String {
    match standing {
        Standing::Knocking => format!(
            "This machine is still knocking at the session {name}: its owner has not let it in yet. Join again with the same \
             link, which goes on with the same knock."
        ),
        Standing::TurnedAway => format!(
            "This machine was not let into the session {name}. If its owner opens the door, join again with the link."
        ),
        Standing::Creating => format!(
            "The session {name} is still being made by another call, or its share was cut off. Try again in a moment; if it \
             stays so, repeat the same share."
        ),
        Standing::Joining | Standing::In => format!(
            "This machine is not in the session {name} yet: its join was not answered. Join again with the same link."
        ),
    }
}

/// The session of a call: the one named, else this process's, else the one last used in this place that goes on, else the
/// one last used there that is over by this machine's clock alone, which may be wrong: its plane knows.
///
/// # Errors
/// [`ChooseError`].
pub fn session(asking: &Asking<'_>) -> Result<SessionId, ChooseError> {
    if let Some(named) = asking.named {
        return by_name(asking, named).and_then(|id| entered(asking, id));
    }
    if let Some(current) = asking.current {
        return Ok(current);
    }
    let here = |seat: &&SeatSummary| asking.place.covers(&seat.last_used.place);
    match alive(asking).filter(|seat| seat.is_in()).find(here) {
        Some(seat) => Ok(seat.session),
        None => match alive(asking).chain(over_by_clock(asking)).find(here) {
            Some(seat) => entered(asking, seat.session),
            None => Err(none_alive(asking, asking.seats.iter().find(here))),
        },
    }
}

/// The session of a call that can do no harm: as [`session`], but where none was last used in this place and this machine
/// is in one session, it is that one.
///
/// # Errors
/// [`ChooseError`].
pub fn session_to_calm(asking: &Asking<'_>) -> Result<SessionId, ChooseError> {
    match (session(asking), living(asking).as_slice()) {
        (Err(ChooseError::NotHere { .. }), [only]) => Ok(only.session),
        (chosen, _) => chosen,
    }
}

/// What was chosen, or, where none was ever used in this place and this machine is in one session, that one: nothing else can
/// be meant. Somebody in a folder whose last session is over may mean that.
///
/// # Errors
/// As what was chosen.
pub fn or_the_only_one(
    asking: &Asking<'_>,
    chosen: Result<SessionId, ChooseError>,
) -> Result<SessionId, ChooseError> {
    let mut seats = asking.seats.iter().filter(|seat| seat.is_in());
    let last = seats.find(|seat| asking.place.covers(&seat.last_used.place));
    match (chosen, living(asking).as_slice(), last) {
        (Err(ChooseError::NotHere { .. }), [only], None) => Ok(only.session),
        (chosen, ..) => chosen,
    }
}

/// The session of a call that looks on and lives for that alone: as [`session`], but where none was ever used in this place
/// and this machine is in one session, it is that one; and where none goes on, the last one used in this place, since what
/// was said in it stays readable.
///
/// # Errors
/// [`ChooseError`].
pub fn session_to_read(asking: &Asking<'_>) -> Result<SessionId, ChooseError> {
    let mut seats = asking.seats.iter().filter(|seat| seat.is_in());
    let last = seats.find(|seat| asking.place.covers(&seat.last_used.place));
    match (
        or_the_only_one(asking, session(asking)),
        living(asking).as_slice(),
        last,
    ) {
        (Err(ChooseError::Over { .. } | ChooseError::NoSession), [], Some(last)) if is_over(last) => {
            Ok(last.session)
        }
        (chosen, ..) => chosen,
    }
}

/// By the plane's word, or by the time it was to live as this machine knew it.
fn is_over(seat: &SeatSummary) -> bool {
    let ended = seat.ended.as_ref();
    ended.is_none_or(|ended| ended.for_everybody().is_some())
}

fn none_alive(asking: &Asking<'_>, last: Option<&SeatSummary>) -> ChooseError {
    let elsewhere = living(asking);
    match (last, elsewhere.as_slice()) {
        (Some(seat), _) if seat.ended.as_ref().is_some_and(|ended| ended.cause == REMOVED) => {
            ChooseError::Removed {
                name: describe(&[seat]),
            }
        }
        // Before those elsewhere: who leaves twice must not leave another.
        (Some(seat), _) if seat.has_left() => ChooseError::Left {
            session: seat.session,
            name: describe(&[seat]),
        },
        (_, [first, ..]) => ChooseError::NotHere {
            candidates: describe(&elsewhere),
            first: first.session,
        },
        (Some(seat), []) if seat.ended.as_ref().and_then(Ended::for_everybody).is_some() => {
            ChooseError::Over {
                name: describe(&[seat]),
            }
        }
        _ => ChooseError::NoSession,
    }
}

/// The session, if a seat of this machine ever got into it.
fn entered(asking: &Asking<'_>, id: SessionId) -> Result<SessionId, ChooseError> {
    let mut seats = asking.seats.iter().filter(|seat| seat.session == id);
    let Some(first) = seats.next() else {
        return Ok(id);
    };
    if first.is_in() || seats.any(SeatSummary::is_in) {
        return Ok(id);
    }
    Err(ChooseError::NotIn {
        session: id,
        name: describe(&[first]),
        standing: first.standing(),
    })
}

/// The session of a call that writes: as [`session`], but with several alive and none used by this process it asks,
/// since text sent to the wrong people can't be taken back.
///
/// # Errors
/// [`ChooseError`].
pub fn session_for_post(asking: &Asking<'_>) -> Result<SessionId, ChooseError> {
    if asking.named.is_none() && asking.current.is_none() {
        let mut candidates = living(asking);
        if candidates.is_empty() {
            candidates = distinct(over_by_clock(asking));
        }
        if let [first, _, ..] = candidates.as_slice() {
            return Err(which(first, &candidates));
        }
    }
    session(asking)
}

/// The seat that a command acts for, of those that are in: the participant named by id or its first 8 characters, else
/// the one of this kind last used in this place, else the one of this kind last used anywhere.
pub fn seat<'a>(
    asking: &Asking<'a>,
    session: &SessionId,
    kind: Kind,
    named: Option<&str>,
) -> Option<&'a SeatSummary> {
    among(asking, session, kind, named, true)
}

/// As [`seat`], of those that have not got in yet.
pub fn seat_outside<'a>(
    asking: &Asking<'a>,
    session: &SessionId,
    kind: Kind,
    named: Option<&str>,
) -> Option<&'a SeatSummary> {
    among(asking, session, kind, named, false)
}

/// The seat that is in a session, of whatever kind, if it is the only one.
pub fn only_seat<'a>(asking: &Asking<'a>, session: &SessionId) -> Option<&'a SeatSummary> {
    let mut inside = asking
        .seats
        .iter()
        .filter(|seat| seat.session == *session && seat.is_in());
    inside.next().filter(|_| inside.next().is_none())
}

fn among<'a>(
    asking: &Asking<'a>,
    session: &SessionId,
    kind: Kind,
    named: Option<&str>,
    inside: bool,
) -> Option<&'a SeatSummary> {
    let of_session = || {
        let seats = asking.seats.iter();
        seats.filter(|seat| seat.session == *session && seat.is_in() == inside)
    };
    if let Some(named) = named {
        let mut fitting = of_session().filter(|seat| names_id(named, &seat.participant.to_string()));
        return fitting.next().filter(|_| fitting.next().is_none());
    }
    let of_kind = || of_session().filter(|seat| seat.kind == kind);
    of_kind()
        .find(|seat| asking.place.covers(&seat.last_used.place))
        .or_else(|| of_kind().next())
}

fn alive<'a>(asking: &Asking<'a>) -> impl Iterator<Item = &'a SeatSummary> {
    let now = asking.now;
    asking.seats.iter().filter(move |seat| seat.is_alive(now))
}

/// Those it is in whose time is over as this machine knew it, and of which no plane said so.
fn over_by_clock<'a>(asking: &Asking<'a>) -> impl Iterator<Item = &'a SeatSummary> {
    let now = asking.now;
    let seats = asking.seats.iter();
    seats.filter(move |seat| seat.is_in() && seat.ended.is_none() && !seat.is_alive(now))
}

/// The sessions that go on as far as this machine knows, and that it is in.
fn living<'a>(asking: &Asking<'a>) -> Vec<&'a SeatSummary> {
    distinct(alive(asking).filter(|seat| seat.is_in()))
}

/// A session that is over can still be named: what was read of it stays readable.
fn by_name(asking: &Asking<'_>, named: &str) -> Result<SessionId, ChooseError> {
    let named = named.trim();
    let by_id = distinct(
        asking
            .seats
            .iter()
            .filter(|seat| names_id(named, &seat.session.to_string())),
    );
    let by_title = || {
        let fits = |seat: &&SeatSummary| {
            seat.title
                .as_deref()
                .is_some_and(|title| same_title(title, named))
        };
        let living = distinct(alive(asking).filter(fits));
        match living.is_empty() {
            true => distinct(asking.seats.iter().filter(fits)),
            false => living,
        }
    };
    let fitting = if by_id.is_empty() { by_title() } else { by_id };
    match fitting.as_slice() {
        [one] => Ok(one.session),
        [] if asking.seats.is_empty() => Err(ChooseError::NoSession),
        [] => Err(ChooseError::Unknown {
            known: describe(&distinct(asking.seats.iter())),
        }),
        several @ [first, ..] => Err(which(first, several)),
    }
}

/// The id itself with or without hyphens, or its first 8 characters or more.
fn names_id(named: &str, id: &str) -> bool {
    let bare = |text: &str| text.replace('-', "").to_ascii_lowercase();
    let named = bare(named);
    named.len() >= SHORT_ID && bare(id).starts_with(&named)
}

/// Titles are compared as they are shown, since that is what a model or person types.
fn same_title(title: &str, named: &str) -> bool {
    let fold = |text: &str| render::title(text).to_lowercase();
    fold(title) == fold(named)
}

fn distinct<'a>(seats: impl Iterator<Item = &'a SeatSummary>) -> Vec<&'a SeatSummary> {
    let mut found: Vec<&SeatSummary> = Vec::new();
    for seat in seats {
        if !found.iter().any(|known| known.session == seat.session) {
            found.push(seat);
        }
    }
    found
}

fn which(first: &SeatSummary, seats: &[&SeatSummary]) -> ChooseError {
    let title = |seat: &SeatSummary| seat.title.clone().unwrap_or_default();
    let mut rest = seats;
    let mut by_id = false;
    while let Some((first, others)) = rest.split_first() {
        by_id |= others
            .iter()
            .any(|other| same_title(&title(first), &title(other)));
        rest = others;
    }
    ChooseError::Which {
        candidates: describe(seats),
        by_id,
        first: first.session,
    }
}

fn describe(seats: &[&SeatSummary]) -> String {
    let one = |seat: &&SeatSummary| {
        let title = seat
            .title
            .as_deref()
            .map_or_else(|| "untitled".to_owned(), render::title);
        let id = seat.session.to_string();
        format!("\"{title}\" ({})", id.get(..SHORT_ID).unwrap_or(&id))
    };
    let most = seats.iter().take(10).map(one).collect::<Vec<_>>().join(", ");
    match seats.len() {
        0..=10 => most,
        more => format!("{most} and {} more", more - 10),
    }
}
