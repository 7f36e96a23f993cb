//! What a person is asked before a re-key, and told after it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::epoch_record::EntryCapability;

use super::super::delivered::Answer;
use super::super::text::Text;
use super::list::{RekeyList, RekeyParticipant};

/// What became of somebody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RekeyOutcome {
    /// The claimed name.
    pub name: String,
    /// The first eight hex digits of the id.
    pub short_id: String,
    /// The id.
    pub id: String,
    /// full, view or nothing: what it was given.
    pub given: String,
    /// It came in at the last moment, after the list was shown, and is out.
    pub unseen: bool,
}

impl RekeyOutcome {
    pub(super) fn of(one: &RekeyParticipant, given: Option<EntryCapability>) -> Self {
        let given = match given {
            Some(EntryCapability::Full) => "full",
            Some(EntryCapability::View) => "view",
            None => "nothing",
        };
        Self {
            name: one.name.clone(),
            short_id: one.short_id.clone(),
            id: one.id.clone(),
            given: given.to_owned(),
            unseen: false,
        }
    }

    pub(crate) fn line(&self) -> String {
        let remark = match self.given.as_str() {
            "view" => ", reads only",
            _ if self.unseen => ", came in at the last moment",
            _ => "",
        };
        format!("\"{}\" #{}{remark}", self.name, self.short_id)
    }
}

/// The session has a new secret.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RekeyAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// The epoch that began.
    pub epoch: u32,
    /// kept or closed: whether the new link opens what came before.
    pub history: String,
    /// Who stays.
    pub stays: Vec<RekeyOutcome>,
    /// Who is out.
    pub out: Vec<RekeyOutcome>,
    /// What else to know.
    pub warnings: Vec<String>,
    /// What to do now.
    pub next: String,
}

impl Answer for RekeyAnswer {
    fn text(&self) -> String {
        let mut text = Text::about(&self.title, &self.session);
        text.line(format_args!(
            "Re-keyed: epoch {} began, history {}.",
            self.epoch, self.history
        ));
        for (heading, some) in [("Stay:", &self.stays), ("Out:", &self.out)] {
            if !some.is_empty() {
                text.line(heading);
                some.iter()
                    .for_each(|one| text.line(format_args!("- {}", one.line())));
            }
        }
        text.closing(&self.warnings, &self.next);
        text.finish()
    }
}

/// The whole decision, as it is confirmed.
pub(super) fn question(
    list: &RekeyList,
    stays: &[RekeyOutcome],
    out: &[RekeyOutcome],
    history: bool,
) -> String {
    let short: String = list.session.chars().take(8).collect();
    let mut lines = vec![format!("Re-key \"{}\" ({short})?", list.title), String::new()];
    for (heading, some) in [("Stay:", stays), ("Out:", out)] {
        lines.push(heading.to_owned());
        match some {
            [] => lines.push("  nobody".to_owned()),
            some => lines.extend(some.iter().map(|one| format!("  {}", one.line()))),
        }
    }
    lines.push(String::new());
    lines.push(
        match history {
            true => "The new link opens the whole transcript, with what came before.",
            false => "The new link opens only what comes after. Who is here keeps what came before.",
        }
        .to_owned(),
    );
    lines.push(
        "All earlier links and tokens end at once. Those who stay go on by themselves, without a new link. Whoever is out \
         comes back only by a new link."
            .to_owned(),
    );
    lines.push("What was read can't be taken back: whoever is out keeps what they have read.".to_owned());
    lines.join("\n")
}
