//! The table of `modes.md` once more, read plainly and written without the machine: one flat record, one
//! long match, notices as text.

use wire::api::Signal;
use wire::event::ModeName;

use super::{ANA, BEN, CLO, HUE};

/// What can happen, with participants and proposals by number.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Observe,
    Relay,
    Propose {
        by: u8,
        id: u8,
        budget: u32,
        ttl_s: u32,
    },
    Accept {
        by: u8,
        id: u8,
    },
    Decline {
        id: u8,
    },
    Post {
        by: u8,
        signal: Option<Signal>,
        expect: bool,
    },
    Stop,
    Leave {
        by: u8,
    },
    Rekey,
    End,
}

#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) relay: bool,
    pub(crate) auto: bool,
    pub(crate) pending: bool,
    pub(crate) id: u8,
    pub(crate) by: u8,
    pub(crate) budget: u32,
    pub(crate) ttl_s: u32,
    pub(crate) spent: u32,
    pub(crate) deadline: i64,
    pub(crate) accepted: Vec<u8>,
    pub(crate) done: Vec<u8>,
    history: Vec<u8>,
}

impl Model {
    pub(crate) fn mode(&self) -> &'static str {
        match (self.auto, self.relay) {
            (true, _) => "auto",
            (false, true) => "relay",
            (false, false) => "observe",
        }
    }

    fn over(&mut self, cause: &str) -> String {
        let (spent, budget) = (self.spent, self.budget);
        (self.auto, self.relay) = (false, false);
        format!(
            r#"{{"event":"mode_changed","from":"auto","to":"observe","cause":"{cause}","spent":{spent},"budget":{budget}}}"#
        )
    }

    fn requested(from: &str, to: &str) -> String {
        format!(r#"{{"event":"mode_changed","from":"{from}","to":"{to}","cause":"requested"}}"#)
    }

    /// The sweeper.
    pub(crate) fn sweep(&mut self, now: i64) -> Option<String> {
        if self.pending && now >= self.deadline {
            self.pending = false;
        }
        (self.auto && now >= self.deadline).then(|| self.over("ttl_expired"))
    }

    /// The notice, or the code of the refusal.
    pub(crate) fn act(&mut self, act: &Act, now: i64) -> Result<Option<String>, &'static str> {
        match *act {
            Act::Observe => {
                self.pending = false;
                if self.auto {
                    return Ok(Some(self.over("requested")));
                }
                let was_relay = std::mem::replace(&mut self.relay, false);
                Ok(was_relay.then(|| Self::requested("relay", "observe")))
            }
            Act::Relay if self.auto => Err("in_auto"),
            Act::Relay => {
                let was_relay = std::mem::replace(&mut self.relay, true);
                Ok((!was_relay).then(|| Self::requested("observe", "relay")))
            }
            Act::Propose { id, .. } if (self.auto || self.pending) && id == self.id => Ok(None),
            Act::Propose { .. } if self.auto => Err("in_auto"),
            Act::Propose { budget, ttl_s, .. }
                if !(1..=200).contains(&budget) || !(60..=8 * 60 * 60).contains(&ttl_s) =>
            {
                Err("bad_request")
            }
            Act::Propose { id, .. } if self.history.iter().rev().take(16).any(|old| *old == id) => {
                Err("proposal_gone")
            }
            Act::Propose {
                by,
                id,
                budget,
                ttl_s,
            } => {
                self.pending = true;
                (self.by, self.id, self.budget, self.ttl_s) = (by, id, budget, ttl_s);
                self.deadline = now + 10 * 60 * 1000;
                self.history.push(id);
                Ok(Some(format!(
                    r#"{{"event":"auto_proposed","budget":{budget},"ttl_s":{ttl_s}}}"#
                )))
            }
            Act::Accept { id, .. } if !(self.auto || self.pending) || id != self.id => Err("proposal_gone"),
            Act::Accept { by, .. } if self.auto => {
                if !self.accepted.contains(&by) {
                    self.accepted.push(by);
                }
                Ok(None)
            }
            Act::Accept { by, .. } if by == self.by => Err("forbidden"),
            Act::Accept { by, .. } => {
                let from = self.mode();
                (self.auto, self.pending, self.spent) = (true, false, 0);
                self.accepted = vec![self.by, by];
                self.done.clear();
                self.deadline = now + i64::from(self.ttl_s) * 1000;
                let (budget, ttl_s) = (self.budget, self.ttl_s);
                Ok(Some(format!(
                    r#"{{"event":"mode_changed","from":"{from}","to":"auto","cause":"accepted","budget":{budget},"ttl_s":{ttl_s}}}"#
                )))
            }
            Act::Decline { id } if !self.pending || id != self.id => Err("proposal_gone"),
            Act::Decline { .. } => {
                self.pending = false;
                Ok(Some(r#"{"event":"auto_declined"}"#.to_owned()))
            }
            Act::Post { by, expect: true, .. } if !(self.auto && self.accepted.contains(&by)) => {
                Err("auto_over")
            }
            Act::Post { .. } if !self.auto => Ok(None),
            Act::Post { by, signal, .. } => {
                self.spent += 1;
                let counts = self.accepted.contains(&by);
                if counts && signal == Some(Signal::Done) && !self.done.contains(&by) {
                    self.done.push(by);
                }
                if counts && signal == Some(Signal::Continue) {
                    self.done.retain(|other| *other != by);
                }
                let agent = |one: u8| one == ANA || one == BEN || one == CLO;
                let all_done = self.accepted.iter().any(|one| agent(*one))
                    && self
                        .accepted
                        .iter()
                        .all(|one| *one == HUE || self.done.contains(one));
                Ok(if counts && signal == Some(Signal::Blocked) {
                    Some(self.over("blocked"))
                } else if counts && signal == Some(Signal::Done) && all_done {
                    Some(self.over("all_done"))
                } else if self.spent == self.budget {
                    Some(self.over("budget_spent"))
                } else {
                    None
                })
            }
            Act::Stop => Ok(self.auto.then(|| self.over("stopped"))),
            Act::Leave { by } => {
                if self.by == by {
                    self.pending = false;
                }
                self.accepted.retain(|other| *other != by);
                self.done.retain(|other| *other != by);
                let last = self.auto && self.accepted.len() < 2;
                Ok(last.then(|| self.over("left")))
            }
            Act::Rekey | Act::End => {
                self.pending = false;
                let cause = if matches!(act, Act::Rekey) {
                    "rekeyed"
                } else {
                    "ended"
                };
                Ok(self.auto.then(|| self.over(cause)))
            }
        }
    }

    /// The effective mode of a participant.
    pub(crate) fn effective(&self, participant: u8) -> ModeName {
        match self.mode() {
            "auto" if self.accepted.contains(&participant) => ModeName::Auto,
            "relay" => ModeName::Relay,
            _ => ModeName::Observe,
        }
    }
}
