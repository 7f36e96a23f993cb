//! What a person is shown before the door is changed: exactly what will be done, and to whom.

use wire::api::{Door, DoorState, SetDoor};

use super::answer::{KnockItem, meaning, stands, word};
use super::keeper::DoorKeeper;
use crate::render;
use crate::verbs::host::{Purpose, Question};
use crate::verbs::present;

/// Sets the door.
pub(super) fn set(keeper: &DoorKeeper, now: &Door, set: &SetDoor) -> Question {
    let knocking = match (now.knocking.len(), set.state) {
        (0, _) | (_, DoorState::Ask) => String::new(),
        (1, DoorState::Open) => "\nWho knocks now comes in as well.".to_owned(),
        (1, DoorState::Closed) => "\nWho knocks now stays outside.".to_owned(),
        (some, DoorState::Open) => format!("\nThe {some} who knock now come in as well."),
        (some, DoorState::Closed) => format!("\nThe {some} who knock now stay outside."),
    };
    let joins = set.joins_left.map_or_else(String::new, |joins| {
        let come = if joins == 1 { "comes" } else { "come" };
        format!("\nAt most {joins} more {come} in; then it is closed.")
    });
    let until = set.until.map_or_else(String::new, |until| {
        format!(
            "\nUntil {}; then it is closed.",
            present::moment(&until.to_string())
        )
    });
    let text = format!(
        "The door of {}\nNow: {}\n\nSet it to {}? {}{joins}{until}{knocking}\nWho is in stays in.",
        about(keeper),
        stands(now),
        word(set.state),
        meaning(set.state),
    );
    Question {
        purpose: Purpose::Door(set.state),
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
    let (purpose, ask, then) = match (admit, who.capability.as_str(), is_person(who)) {
        (true, "view", false) => (
            Purpose::Admit,
            "Let in",
            "It can then read everything, and write nothing.",
        ),
        (true, "view", true) => (
            Purpose::Admit,
            "Let in",
            "They can then read everything, and write nothing.",
        ),
        (true, _, false) => (Purpose::Admit, "Let in", "It can then read everything and write."),
        (true, _, true) => (
            Purpose::Admit,
            "Let in",
            "They can then read everything and write.",
        ),
        (false, _, false) => (
            Purpose::Refuse,
            "Turn away",
            "It stays out until the session is re-keyed, and the others see that it was refused.",
        ),
        (false, _, true) => (
            Purpose::Refuse,
            "Turn away",
            "They stay out until the session is re-keyed, and the others see that they were refused.",
        ),
    };
    let problem = match who.problem.as_deref() {
        None | Some("unread") => String::new(),
        Some(problem) => format!(
            "\nTHE PROFILE DOES NOT HOLD ({problem}): it did not come from a client that keeps the rules."
        ),
    };
    let text = format!(
        "The door of {}\n\n{ask} {}?\nId: {}\n{}, {} link, knocks since {}{problem}\n\nNames are claims: whoever \
         has the link can take any name. Compare the id by voice. {then}",
        about(keeper),
        claim(who),
        who.id,
        who.kind,
        who.capability,
        present::moment(&who.since),
    );
    let verb = if admit { "admit" } else { "refuse" };
    Question {
        purpose,
        session: keeper.title(),
        text,
        subject: format!("{verb} {} {}", keeper.session(), who.id),
    }
}

/// Whom: what they call themselves in quotation marks, and what this program has to say of it outside of them.
fn claim(who: &KnockItem) -> String {
    if who.problem.as_deref() == Some("unread") {
        return "somebody whose name can't be read here, for want of a seat in the session".to_owned();
    }
    let digits: String = who.id.chars().take(4).collect();
    let (name, alike) = match who.name.strip_suffix(&format!(" #{digits}")) {
        Some(name) => (name, ", as somebody else here does"),
        None => (who.name.as_str(), ""),
    };
    let (name, chosen) = match name.strip_suffix(render::OWN_NAME) {
        Some(name) => (name.trim_end(), ", a name that says nothing of what it is"),
        None => (name, ""),
    };
    let calls = if is_person(who) {
        "calls themselves"
    } else {
        "calls itself"
    };
    format!("who {calls} \"{name}\"{alike}{chosen}")
}

/// By its own word.
fn is_person(who: &KnockItem) -> bool {
    who.kind == "human"
}

fn about(keeper: &DoorKeeper) -> String {
    if !keeper.has_seat() {
        return format!("the session {}", keeper.session());
    }
    let id: String = keeper.session().to_string().chars().take(8).collect();
    format!("the session \"{}\" ({id})", keeper.title())
}

/// Somebody who knocks: the id, or its first 8 characters or more.
pub(super) fn is_named(named: &str, id: &wire::ids::ParticipantId) -> bool {
    let bare = |text: &str| text.replace('-', "").to_ascii_lowercase();
    let named = bare(named.trim());
    named.len() >= present::short(id).len() && bare(&id.to_string()).starts_with(&named)
}
