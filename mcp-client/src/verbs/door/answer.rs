//! What `door` answers: how it stands, and who knocks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::api::{Door, DoorState, Knock};

use super::keeper::Names;
use crate::verbs::delivered::Answer;
use crate::verbs::present;
use crate::verbs::text::Text;

/// Somebody who knocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct KnockItem {
    /// The claimed name; a claim, not an identity.
    pub name: String,
    /// Always true: the name is somebody else's text.
    pub untrusted: bool,
    /// The first eight hex digits of the id.
    pub short_id: String,
    /// The id.
    pub id: String,
    /// agent or human, by its own word.
    pub kind: String,
    /// full or view, by the plane's word: what its link allows.
    pub capability: String,
    /// Since when.
    pub since: String,
    /// Why its profile does not hold, by name; `unread` where no seat of this machine can open it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub problem: Option<String>,
}

impl KnockItem {
    pub(super) fn new(knock: &Knock, names: &Names) -> Self {
        Self {
            name: names.of(knock),
            untrusted: true,
            short_id: present::short(&knock.participant_id),
            id: knock.participant_id.to_string(),
            kind: present::kind_word(knock.kind).to_owned(),
            capability: present::capability_word(knock.capability).to_owned(),
            since: knock.since.to_string(),
            problem: names.problem(knock).map(str::to_owned),
        }
    }
}

/// The door.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct DoorAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// What this call did: nothing, set, unchanged (it stood so already), admitted or refused.
    pub did: String,
    /// open, ask or closed: how it stands now.
    pub state: String,
    /// How many may still come in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub joins_left: Option<u32>,
    /// Until when somebody may come in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub until: Option<String>,
    /// How it stands, in words.
    pub stands: String,
    /// Who knocks, in the order of coming.
    pub knocking: Vec<KnockItem>,
    /// owner: by the owner participant's seat; machine: by this machine's token.
    pub kept_by: String,
    /// What it means, and what to do.
    pub next: String,
}

impl Answer for DoorAnswer {
    fn text(&self) -> String {
        let mut text = Text::about(&self.title, &self.session);
        if let Some(done) = self.done() {
            text.line(done);
        }
        text.line(format_args!("Door: {}", self.stands()));
        for one in &self.knocking {
            text.line(format_args!("- {}", line(one)));
        }
        text.closing(&[], &self.next);
        text.finish()
    }
}

impl DoorAnswer {
    /// What was done, as a sentence.
    pub(crate) fn done(&self) -> Option<&'static str> {
        match self.did.as_str() {
            "set" => Some("The door was set."),
            "unchanged" => Some("The door stands so already. Nothing was changed."),
            "admitted" => Some("Admitted: it comes in when it next asks, within ten minutes."),
            "refused" => Some("Refused: it stays out until the session is re-keyed."),
            _ => None,
        }
    }

    /// How it stands, on one line.
    pub(crate) fn stands(&self) -> String {
        self.stands.clone()
    }
}

/// Somebody who knocks, on one line: the name in quotation marks, which it can't close.
pub(crate) fn line(one: &KnockItem) -> String {
    let problem = match one.problem.as_deref() {
        None => String::new(),
        Some("unread") => ", its name can't be read here".to_owned(),
        Some(problem) => format!(", ITS PROFILE DOES NOT HOLD ({problem})"),
    };
    format!(
        "\"{}\" {} ({}, {} link) knocks since {}{problem}",
        one.name,
        one.short_id,
        one.kind,
        one.capability,
        present::moment(&one.since)
    )
}

/// A closed door with bounds is one that they have closed.
pub(super) fn bounds(state: DoorState, joins_left: Option<u32>, until: Option<&str>) -> String {
    match (state, joins_left, until) {
        (DoorState::Closed, Some(0), _) => return "closed: all who might come in have come".to_owned(),
        (DoorState::Closed, _, Some(until)) => return format!("closed since {}", present::moment(until)),
        (DoorState::Closed, ..) => return "closed".to_owned(),
        _ => {}
    }
    let joins = joins_left.map_or_else(String::new, |left| format!(", {left} more may come in"));
    let until = until.map_or_else(String::new, |until| format!(", until {}", present::moment(until)));
    format!("{}{joins}{until}", word(state))
}

pub(super) fn word(state: DoorState) -> &'static str {
    match state {
        DoorState::Open => "open",
        DoorState::Ask => "ask",
        DoorState::Closed => "closed",
    }
}

/// What a state means for who comes with the link.
pub(super) fn meaning(state: DoorState) -> &'static str {
    match state {
        DoorState::Open => "Whoever comes with the link comes in.",
        DoorState::Ask => "Whoever comes with the link knocks, and is admitted or refused by you.",
        DoorState::Closed => "Nobody new comes in.",
    }
}

/// How a door stands, with its bounds.
pub(super) fn stands(door: &Door) -> String {
    let until = door.until.map(|until| until.to_string());
    bounds(door.state, door.joins_left, until.as_deref())
}

/// What it means for those who knock now.
pub(super) fn next(door: &Door, admit: impl Fn(&Knock) -> String) -> String {
    let mut lines = match (door.state, door.knocking.is_empty()) {
        (state, true) => return meaning(state).to_owned(),
        (DoorState::Open, _) => {
            return "Whoever knocked comes in when they next ask. Nobody has to be admitted.".to_owned();
        }
        (DoorState::Ask, _) => "Names are claims: compare ids by voice, then".to_owned(),
        (DoorState::Closed, _) => {
            "Who knocks stays outside, and their knock ends by itself. Names are claims: compare ids by voice. To let one in \
             all the same, or turn them away for good:"
                .to_owned()
        }
    };
    for knock in &door.knocking {
        lines.push_str(&format!("\n  {}", admit(knock)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_door_that_its_bounds_have_closed_has_none_left_to_tell_of() {
        let until = Some("2026-11-29T14:02:31.123Z");
        for (state, joins, until, stands) in [
            (DoorState::Open, None, None, "open"),
            (DoorState::Open, Some(2), None, "open, 2 more may come in"),
            (
                DoorState::Ask,
                Some(1),
                until,
                "ask, 1 more may come in, until 2026-11-29 14:02Z",
            ),
            (DoorState::Closed, None, None, "closed"),
            (
                DoorState::Closed,
                Some(0),
                until,
                "closed: all who might come in have come",
            ),
            (
                DoorState::Closed,
                Some(3),
                until,
                "closed since 2026-11-29 14:02Z",
            ),
        ] {
            assert_eq!(bounds(state, joins, until), stands);
        }
    }
}
