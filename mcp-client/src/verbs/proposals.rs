//! An open proposal as answers show it. Its goal and its proposer's name are other people's words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::api::Proposal;

use super::counted;
use super::items::{is_false, is_zero};
use super::present::{self, Presenter};
use crate::render;
use crate::session::Session;

/// Bytes of a goal in answers that are about something else; `mode` shows all of it.
const GOAL_SHORT: usize = 600;

/// A proposal to go to auto that waits for an answer. It counts only once humans of two sides said yes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ProposalItem {
    /// The proposer's claimed name.
    pub by: String,
    /// The proposer's id.
    pub by_id: String,
    /// Proposed by this seat itself.
    #[serde(default, skip_serializing_if = "is_false")]
    pub mine: bool,
    /// Messages it allows, by everybody together.
    pub budget: u32,
    /// Seconds it allows.
    pub ttl_s: u32,
    /// Until when it may be accepted.
    pub lapses_at: String,
    /// Always `participant`.
    pub origin: String,
    /// Always true: the goal is quoted data, whoever wrote it.
    pub untrusted: bool,
    /// What for; absent when it can't be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub goal: Option<String>,
    /// Of a goal that is cut: the bytes of the whole one, which `mode` shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub goal_bytes: Option<u64>,
    /// How many hidden characters were removed from the goal.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hidden_removed: u64,
}

impl ProposalItem {
    /// Its budget and time, in words.
    pub(crate) fn bounds(&self) -> String {
        bounds(self.budget, self.ttl_s)
    }

    /// What it takes of an answer's bytes.
    pub(super) fn size(item: Option<&Self>) -> usize {
        item.and_then(|item| serde_json::to_string(item).ok())
            .map_or(0, |json| json.len() + 200)
    }
}

/// The goal of a proposal, if it is sealed by its proposer for this very proposal.
pub(super) fn goal(session: &Session, proposal: &Proposal) -> Option<String> {
    let sealed = &proposal.goal;
    let own = sealed.participant_id == proposal.by && sealed.proposal_id == proposal.proposal_id;
    own.then(|| session.goal(sealed)).flatten()
}

/// The open proposal, if there is one, with the beginning of its goal.
pub(super) fn open(session: &Session, presenter: &Presenter<'_>) -> Option<ProposalItem> {
    let mut item = open_whole(session, presenter)?;
    if let Some(text) = item.goal.take() {
        let shown = render::part(&text, 0, GOAL_SHORT);
        if shown.end < text.len() {
            item.goal_bytes = Some(text.len() as u64);
        }
        item.goal = Some(text.get(shown).unwrap_or_default().to_owned());
    }
    Some(item)
}

/// The open proposal, if there is one, with its whole goal.
pub(super) fn open_whole(session: &Session, presenter: &Presenter<'_>) -> Option<ProposalItem> {
    let proposal = session.plane_state()?.mode.proposal.as_ref()?;
    let goal = goal(session, proposal).map(|goal| render::text(&goal));
    Some(ProposalItem {
        by: presenter.name(&proposal.by),
        by_id: proposal.by.to_string(),
        mine: proposal.by == *session.my_id(),
        budget: proposal.budget,
        ttl_s: proposal.ttl_s,
        lapses_at: proposal.lapses_at.to_string(),
        origin: "participant".to_owned(),
        untrusted: true,
        hidden_removed: goal.as_ref().map_or(0, |goal| goal.hidden as u64),
        goal: goal.map(|goal| goal.text),
        goal_bytes: None,
    })
}

/// The bounds of an auto, in the one wording for them.
pub(super) fn bounds(budget: u32, ttl_s: u32) -> String {
    format!(
        "at most {} within {}",
        counted(budget, "message"),
        duration(ttl_s)
    )
}

/// A time in seconds as people say it.
pub(super) fn duration(seconds: u32) -> String {
    match (seconds / 60, seconds % 60) {
        (minutes, 0) => format!("{minutes} min"),
        (0, seconds) => format!("{seconds} s"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

/// How a proposer is called where it must not be mixed up: name and short id.
pub(super) fn who(presenter: &Presenter<'_>, id: &wire::ids::ParticipantId) -> String {
    format!("\"{}\" {}", presenter.name(id), present::short(id))
}
