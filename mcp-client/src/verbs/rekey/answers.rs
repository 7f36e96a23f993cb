//! What a person is asked before a re-key, and told after it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::epoch_record::EntryCapability;
use wire::timestamp::Timestamp;

use super::list::{RekeyList, RekeyParticipant};
use crate::session::Reach;
use crate::verbs::delivered::Answer;
use crate::verbs::present::moment;
use crate::verbs::text::Text;

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
            "view" => ", may only read",
            _ if self.unseen => ", came in at the last moment",
            _ => "",
        };
        format!("\"{}\" {}{remark}", self.name, self.short_id)
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
    /// kept or closed: what was decided about what came before. An earlier re-key may have closed some of it.
    pub history: String,
    /// The earliest epoch that the new link opens.
    pub opens_from_epoch: u32,
    /// The seq that epoch begins with, where this machine has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub opens_from_seq: Option<u64>,
    /// What the new link opens, as a sentence.
    pub opens: String,
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
        text.line(format_args!("Re-keyed: epoch {} began.", self.epoch));
        text.line(&self.opens);
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

/// How far back a link opens what came before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Before {
    /// The earliest epoch.
    pub epoch: u32,
    /// The seq it begins with, where this machine has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

impl Before {
    pub(super) fn of(reach: Reach) -> Self {
        Self {
            epoch: reach.epoch,
            seq: reach.began.map(|(seq, _)| seq),
            at: reach.began.map(|(_, at)| at),
        }
    }

    /// Of a transcript that an earlier re-key closed: which one. None where all of it is open.
    pub(crate) fn closed_by(&self) -> Option<String> {
        let when = self
            .at
            .map_or_else(String::new, |at| format!(" of {}", moment(&at.to_string())));
        let seq = self.seq.map_or_else(String::new, |seq| format!(", #{seq}"));
        (self.epoch > 1).then(|| format!("the re-key{when} (epoch {}{seq})", self.epoch))
    }
}

/// What the new link opens.
pub(super) fn opens(before: &Before, history: bool) -> String {
    match (history, before.closed_by()) {
        (false, _) => {
            "The new link opens only what comes after. Who is here keeps what came before.".to_owned()
        }
        (true, None) => "The new link opens the whole transcript, with what came before.".to_owned(),
        (true, Some(rekey)) => {
            format!(
                "The new link opens what came since {rekey}, which closed what was before: that stays closed."
            )
        }
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
    lines.push(opens(&list.before, history));
    let mut then = "All earlier links and session tokens end at once.".to_owned();
    if stays.len() > 1 {
        then.push_str(" Those who stay go on by themselves, without a new link.");
    }
    if !out.is_empty() || list.out_earlier > 0 {
        then.push_str(" Whoever is out comes back only by a new link.");
    }
    lines.push(then);
    let mut ends = "Knocks end, and the door stays as it is.".to_owned();
    if list.auto {
        ends.push_str(" Auto is on, and ends.");
    }
    lines.push(ends);
    lines.push("What was read can't be taken back: whoever is out keeps what they have read.".to_owned());
    lines.join("\n")
}
