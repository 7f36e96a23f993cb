//! What a person is shown before the door is changed: exactly what will be done, and to whom.

use wire::api::{Door, DoorState, SetDoor};

use super::answer::{KnockItem, meaning, stands, word};
use super::keeper::DoorKeeper;
use crate::verbs::host::{Purpose, Question};
use crate::verbs::present;

/// Sets the door.
pub(super) fn set(keeper: &DoorKeeper, now: &Door, set: &SetDoor) -> Question {
    let knocking = match (now.knocking.len(), set.state) {
        (0, _) | (_, DoorState::Ask) => String::new(),
        (one, DoorState::Open) => format!("\nThe {one} who knock now come in as well."),
        (one, DoorState::Closed) => format!("\nThe {one} who knock now stay outside."),
    };
    let joins = match set.joins_left {
        None if set.state == DoorState::Closed => String::new(),
        None => "\nHowever many come.".to_owned(),
        Some(joins) => format!("\nAt most {joins} more come in; then it is closed."),
    };
    let until = match set.until {
        None if set.state == DoorState::Closed => String::new(),
        None => "\nWithout an end.".to_owned(),
        Some(until) => format!("\nUntil {until}; then it is closed."),
    };
    let text = format!(
        "The door of {}\nNow: {}\n\nSet it to {}? {}{joins}{until}{knocking}\nWho is in stays in.",
        about(keeper),
        stands(now),
        word(set.state),
        meaning(set.state),
    );
    Question {
        purpose: Purpose::Door,
        session: keeper.title(),
        text,
        subject: format!(
            "{} {}",
            keeper.session(),
            stands(&Door {
                state: set.state,
                joins_left: set.joins_left,
                until: set.until,
                knocking: Vec::new()
            })
        ),
    }
}

/// Admits or refuses somebody.
pub(super) fn decide(keeper: &DoorKeeper, who: &KnockItem, admit: bool) -> Question {
    let (purpose, ask, then) = match (admit, who.capability.as_str()) {
        (true, "view") => (
            Purpose::Admit,
            "Let in",
            "It can then read everything, and write nothing.",
        ),
        (true, _) => (Purpose::Admit, "Let in", "It can then read everything and write."),
        (false, _) => (
            Purpose::Refuse,
            "Turn away",
            "It stays out until the session is re-keyed, and the others see that it was refused.",
        ),
    };
    let problem = match who.problem.as_deref() {
        None => String::new(),
        Some("unread") => {
            "\nThis machine has no seat in the session, so that the name can't be read here.".to_owned()
        }
        Some(problem) => format!(
            "\nTHE PROFILE DOES NOT HOLD ({problem}): it did not come from a client that keeps the rules."
        ),
    };
    let text = format!(
        "The door of {}\n\n{ask} who calls itself \"{}\"?\nId: {}\n{}, {} link, knocks since {}{problem}\n\nNames are claims: whoever \
         has the link can take any name. Compare the id by voice. {then}",
        about(keeper),
        who.name,
        who.id,
        who.kind,
        who.capability,
        who.since,
    );
    let verb = if admit { "admit" } else { "refuse" };
    Question {
        purpose,
        session: keeper.title(),
        text,
        subject: format!("{verb} {} {}", keeper.session(), who.id),
    }
}

fn about(keeper: &DoorKeeper) -> String {
    let id: String = keeper.session().to_string().chars().take(8).collect();
    format!("the session \"{}\" ({id})", keeper.title())
}

/// Somebody who knocks: the id, or its first 8 characters or more.
pub(super) fn is_named(named: &str, id: &wire::ids::ParticipantId) -> bool {
    let bare = |text: &str| text.replace('-', "").to_ascii_lowercase();
    let named = bare(named.trim());
    named.len() >= present::short(id).len() && bare(&id.to_string()).starts_with(&named)
}
