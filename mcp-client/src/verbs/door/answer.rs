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
    /// What this call did: nothing, set, admitted or refused.
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
            "admitted" => Some("Admitted: it comes in when it next asks, within ten minutes."),
            "refused" => Some("Refused: it stays out until the session is re-keyed."),
            _ => None,
        }
    }

    /// How it stands, on one line.
    pub(crate) fn stands(&self) -> String {
        bounds(&self.state, self.joins_left, self.until.as_deref())
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
        one.name, one.short_id, one.kind, one.capability, one.since
    )
}

pub(super) fn bounds(state: &str, joins_left: Option<u32>, until: Option<&str>) -> String {
    let joins = match joins_left {
        None => String::new(),
        Some(1) => ", 1 more may come in".to_owned(),
        Some(left) => format!(", {left} more may come in"),
    };
    let until = until.map_or_else(String::new, |until| format!(", until {until}"));
    format!("{state}{joins}{until}")
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
    bounds(word(door.state), door.joins_left, until.as_deref())
}
