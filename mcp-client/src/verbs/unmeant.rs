//! Why no session, or no seat of it, is meant by a call, and how its caller names one.

use wire::event::Kind;
use wire::ids::SessionId;

use super::failure::{Failure, code};
use super::host::{Face, Host};
use super::present::{kind_word, short};
use crate::render;
use crate::seat::choose::ChooseError;
use crate::seat::{Listing, SeatSummary, Standing};

/// That no session was found, where the one that is looked for may be among seats that can't be used.
pub(super) fn beside_damage(failure: Failure, listing: &Listing) -> Failure {
    let kept = listing.set_aside.iter().max();
    let problem = listing.problems.first().cloned().or_else(|| {
        let kept = kept?.display();
        Some(format!(
            "A seat of this machine was damaged and is kept as {kept}: to be in its session again, join with its link."
        ))
    });
    match problem {
        Some(problem) => failure.with_advice(&problem),
        None => failure,
    }
}

/// A command may act for a seat of the other kind if it says so; an agent behind MCP may not.
pub(super) fn no_seat(host: &dyn Host, listing: &Listing, id: &SessionId) -> Failure {
    let there = |kind: Kind| {
        listing
            .seats
            .iter()
            .any(|seat| seat.session == *id && seat.kind == kind)
    };
    let text = match host.kind() {
        _ if host.seat().is_some() => return no_such_seat(listing, id),
        _ if host.lives_on() => {
            "This machine's seats in that session belong to somebody else here (a person's, or another kind). Join it with \
             its link."
        }
        Kind::Agent if there(Kind::Human) => {
            "This machine's seat in that session is a person's, and without a terminal a command counts as an agent's. If you \
             are that person, add `--as human`; an agent joins with the link."
        }
        Kind::Human if there(Kind::Agent) => {
            "This machine's seat in that session is an agent's, and at a terminal a command counts as a person's. Add \
             `--as agent` to act for that agent, or join with the link."
        }
        _ => "This machine has no seat in that session. Join it with its link.",
    };
    Failure::new(code::NO_SESSION, text)
}

/// Which seats there are, where `--seat` names none of them.
pub(super) fn no_such_seat(listing: &Listing, id: &SessionId) -> Failure {
    let there: Vec<&SeatSummary> = listing
        .seats
        .iter()
        .filter(|seat| seat.session == *id && seat.is_in())
        .collect();
    let one = |seat: &&SeatSummary| {
        format!(
            "\"{}\" {} ({})",
            render::name(&seat.name),
            short(&seat.participant),
            kind_word(seat.kind)
        )
    };
    let Some(first) = there.first() else {
        return Failure::new(
            code::NO_SESSION,
            "This machine has no seat in that session. Join it with its link.",
        );
    };
    Failure::new(
        code::NO_SESSION,
        format!(
            "`--seat` names no participant of this machine in that session: it takes an id or its first 8 characters. There is: \
             {}. For the one last used:",
            there.iter().map(one).collect::<Vec<_>>().join(", ")
        ),
    )
    .with_option("seat", short(&first.participant))
}

/// Why no session is meant, and how its caller names one.
pub(super) fn no_session(face: Face, error: &ChooseError) -> Failure {
    let code = match error {
        ChooseError::Which { .. } => code::WHICH_SESSION,
        ChooseError::NotIn {
            standing: Standing::Knocking,
            ..
        } => code::KNOCKING,
        ChooseError::Left { .. } => code::LEFT,
        ChooseError::Removed { .. } => seal::Error::RekeyRemoved.name(),
        ChooseError::NoSession
        | ChooseError::NotHere { .. }
        | ChooseError::Over { .. }
        | ChooseError::Unknown { .. }
        | ChooseError::NotIn { .. } => code::NO_SESSION,
    };
    let failure = Failure::new(code, error.to_string());
    let by = match error {
        // There is none to name, or the text says what naming it is good for.
        ChooseError::NoSession
        | ChooseError::Over { .. }
        | ChooseError::Removed { .. }
        | ChooseError::Left { .. }
        | ChooseError::NotIn { .. } => return failure,
        ChooseError::Which { by_id: true, .. } => "the first 8 characters of its id",
        _ => "its title or the first 8 characters of its id",
    };
    let with = face.argument("session");
    let failure = failure.with_advice(&format!("Name one with {with}: {by}."));
    match (face, error) {
        (Face::CommandLine, ChooseError::NotHere { first, .. } | ChooseError::Which { first, .. }) => failure
            .with_advice("For the one last used:")
            .with_option("session", short(first)),
        _ => failure,
    }
}
