//! This client's own counting of auto: whether a seat acts in it, decided by what this machine's human agreed to, by the
//! accepted transcript and by this machine's clock. What the plane says can only shorten it.
//!
//! Pure. Auto under one consent is one run: from the first entry behind the consent until whatever ends it first. A run
//! that is over stays over, whatever is said later.
//!
//! Source: `crypto.md` section 12; `modes.md`, Effective mode and Transitions.

use std::collections::BTreeMap;

use wire::api::Mode;
use wire::event::{Cause, ModeName, Notice};
use wire::ids::ProposalId;
use wire::timestamp::Timestamp;

use super::view::{Entry, View, What};
use crate::seat::{Consent, ConsentRole};

/// How long after the human's yes auto may begin: as long as a proposal lives, and a minute for clocks and ways.
const BEGINS_WITHIN_MS: i64 = 11 * 60 * 1_000;
/// How far this machine's clock may be set back during a run before its time counts as up.
const SET_BACK_MS: i64 = 60 * 1_000;

/// Why a run is over, or never was one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The transcript says so.
    Notice(Cause),
    /// As many messages as were agreed to have come, by this client's count.
    Budget,
    /// The time agreed to is up, by this machine's clock.
    Time,
    /// Auto was begun a second time under one consent.
    Again,
    /// Auto began with another budget or time than agreed to.
    OtherTerms,
    /// It did not begin while the proposal lived.
    Lapsed,
    /// The proposal was gone before it began: declined, replaced, or dropped with the mode or the epoch.
    Dropped,
    /// It was ended on this machine, or this participant left.
    Here,
}

/// A run that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The seq of the notice with which it began.
    pub started_seq: u64,
    /// When this client first saw it, by this machine's clock.
    pub started_at: Timestamp,
    /// Messages left, by this client's count.
    pub left: u32,
    /// When it ends at the latest, by this machine's clock.
    pub ends_at: Timestamp,
}

/// Where a consent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Auto has not begun under it, or the plane does not say at this moment that it goes on.
    Idle,
    /// This seat acts in auto.
    Running(Run),
    /// It is over, for good.
    Over(Why),
}

/// What a consent is held against.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// What was accepted of the transcript.
    pub view: &'a View,
    /// The plane's newest word; none before its first answer.
    pub mode: Option<&'a Mode>,
    /// This machine's clock.
    pub now: Timestamp,
    /// The run whose time is up by a clock that nobody can set, as far as this process saw it.
    pub timed_out: Option<ProposalId>,
}

/// A change of mode in the transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The notice's seq.
    pub seq: u64,
    /// From which mode.
    pub from: ModeName,
    /// To which mode.
    pub to: ModeName,
    /// Why.
    pub cause: Cause,
    /// The budget, of entering and leaving auto.
    pub budget: Option<u32>,
    /// The time in seconds, of entering auto.
    pub ttl_s: Option<u32>,
}

impl Change {
    fn of(entry: &Entry) -> Option<Self> {
        match &entry.what {
            What::Notice(Some(Notice::ModeChanged {
                from,
                to,
                cause,
                budget,
                ttl_s,
                ..
            })) => Some(Self {
                seq: entry.seq,
                from: *from,
                to: *to,
                cause: *cause,
                budget: *budget,
                ttl_s: *ttl_s,
            }),
            _ => None,
        }
    }
}

/// The last change of mode that was accepted.
pub fn last_change(view: &View) -> Option<Change> {
    view.entries().iter().rev().find_map(Change::of)
}

/// Why the last run is over, if this seat was in it.
pub fn last_run(consents: &BTreeMap<ProposalId, Consent>, view: &View) -> Option<Cause> {
    if consents.is_empty() {
        // Spares a walk through a transcript in which the mode never changed.
        return None;
    }
    let mut changes = view.entries().iter().rev().filter_map(Change::of);
    let left = changes.next().filter(|change| change.from == ModeName::Auto)?;
    let entered = changes.next().filter(|change| change.to == ModeName::Auto)?;
    let was_in = |consent: &Consent| match consent.started_seq {
        Some(seq) => seq == entered.seq,
        // It was over before this client saw it go on.
        None => {
            let agreed = (Some(consent.budget), Some(consent.ttl_s)) == (entered.budget, entered.ttl_s);
            agreed && consent.since_seq < entered.seq
        }
    };
    consents.values().any(was_in).then_some(left.cause)
}

/// Where the consent to `proposal` stands.
pub fn standing(consent: &Consent, proposal: &ProposalId, facts: &Facts<'_>) -> Standing {
    match look(consent, proposal, facts) {
        // What was over once is over, whatever it looks like now.
        Standing::Idle | Standing::Running(_) if consent.over => Standing::Over(Why::Here),
        standing => standing,
    }
}

fn look(consent: &Consent, proposal: &ProposalId, facts: &Facts<'_>) -> Standing {
    let mut behind = facts.view.after(consent.since_seq).iter();
    // Where records behind the consent are gone, nothing can be counted.
    if behind
        .as_slice()
        .first()
        .is_some_and(|first| first.seq != consent.since_seq.saturating_add(1))
    {
        return Standing::Idle;
    }
    let age = facts.now.millis().saturating_sub(consent.at.millis());
    // The proposer reads the notice of its own proposal behind its yes.
    let mut own_notices = u32::from(consent.role == ConsentRole::Proposed);
    let mut entry = None;
    for record in behind.by_ref() {
        match before_entry(record) {
            Before::Enters(change) => {
                entry = Some(change);
                break;
            }
            Before::Proposed if own_notices > 0 => own_notices -= 1,
            Before::Proposed | Before::Drops => return Standing::Over(Why::Dropped),
            Before::Nothing => {}
        }
    }
    let Some(entry) = entry else {
        return match consent.started_seq {
            None if age > BEGINS_WITHIN_MS => Standing::Over(Why::Lapsed),
            _ => Standing::Idle,
        };
    };
    if consent.started_seq.is_some_and(|seq| seq != entry.seq) {
        return Standing::Over(Why::Again);
    }
    let mut messages: u32 = 0;
    for record in behind {
        if let Some(change) = Change::of(record) {
            return Standing::Over(match change.to {
                ModeName::Auto => Why::Again,
                ModeName::Observe | ModeName::Relay => Why::Notice(change.cause),
            });
        }
        messages = messages.saturating_add(u32::from(matches!(record.what, What::Message(_))));
    }
    if entry.budget != Some(consent.budget) || entry.ttl_s != Some(consent.ttl_s) {
        return Standing::Over(Why::OtherTerms);
    }
    let left = consent.budget.saturating_sub(messages);
    if left == 0 {
        return Standing::Over(Why::Budget);
    }
    if consent.started_at.is_none() && age > BEGINS_WITHIN_MS {
        return Standing::Over(Why::Lapsed);
    }
    let mode = facts.mode.filter(|mode| mode.proposal_id == Some(*proposal));
    let started_at = consent.started_at.unwrap_or(facts.now);
    let own_end = started_at
        .millis()
        .saturating_add(i64::from(consent.ttl_s).saturating_mul(1_000));
    let ends = mode
        .and_then(|mode| mode.expires_at)
        .map_or(own_end, |end| end.millis().min(own_end));
    let set_back = started_at.millis().saturating_sub(facts.now.millis()) > SET_BACK_MS;
    if facts.now.millis() >= ends || set_back || facts.timed_out == Some(*proposal) {
        return Standing::Over(Why::Time);
    }
    match mode {
        Some(mode) if mode.effective == ModeName::Auto => Standing::Running(Run {
            started_seq: entry.seq,
            started_at,
            left,
            ends_at: Timestamp::from_millis(ends),
        }),
        _ => Standing::Idle,
    }
}

/// What a record says of a proposal that was agreed to and did not begin yet.
enum Before {
    /// Auto begins.
    Enters(Change),
    /// One is proposed, in place of whichever was there.
    Proposed,
    /// Whichever was there is gone.
    Drops,
    Nothing,
}

fn before_entry(record: &Entry) -> Before {
    match &record.what {
        What::Epoch(_) | What::Notice(Some(Notice::AutoDeclined {})) => Before::Drops,
        What::Notice(Some(Notice::AutoProposed { .. })) => Before::Proposed,
        _ => match Change::of(record) {
            Some(change) if change.to == ModeName::Auto => Before::Enters(change),
            Some(change) if change.to == ModeName::Observe => Before::Drops,
            _ => Before::Nothing,
        },
    }
}

/// Whether one of these consents is to the auto that the plane says is on, and its run goes on.
pub(super) fn is_running(consents: &BTreeMap<ProposalId, Consent>, facts: &Facts<'_>) -> bool {
    consents
        .iter()
        .any(|(proposal, consent)| matches!(standing(consent, proposal, facts), Standing::Running(_)))
}

/// Keeps with the consents what was seen of them: which run began, and what is over. Nothing is ever taken back.
pub(super) fn follow(consents: &mut BTreeMap<ProposalId, Consent>, facts: &Facts<'_>) {
    for (proposal, consent) in consents.iter_mut().filter(|(_, consent)| !consent.over) {
        match standing(consent, proposal, facts) {
            Standing::Idle => {}
            Standing::Running(run) => {
                consent.started_seq.get_or_insert(run.started_seq);
                consent.started_at.get_or_insert(run.started_at);
            }
            Standing::Over(_) => consent.over = true,
        }
    }
}

/// Of a run that this seat's agent acted in and was refused nothing since: that it does not go on now, or is over. A post
/// that comes then may be a late reply.
pub fn untold(consents: &BTreeMap<ProposalId, Consent>, facts: &Facts<'_>) -> Option<Standing> {
    consents
        .iter()
        .filter(|(_, consent)| consent.started_seq.is_some() && !consent.told)
        .map(|(proposal, consent)| standing(consent, proposal, facts))
        .find(|standing| !matches!(standing, Standing::Running(_)))
}

#[cfg(test)]
mod tests;
