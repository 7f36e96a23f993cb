//! How far a proposal may reach. What it leaves open is a default, never unlimited.

use crate::limits::Limits;

use super::event::Refused;

/// The smallest budget, in posts.
const MIN_BUDGET: u32 = 1;
/// The shortest auto, in seconds.
const MIN_TTL_S: u32 = 60;
/// The budget of a proposal that names none.
const DEFAULT_BUDGET: u32 = 20;
/// The time of a proposal that names none, in seconds.
const DEFAULT_TTL_S: u32 = 1_800;

/// The bounds in force for one session: the plane's limits, or less where the org's policy says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The largest budget, in posts.
    pub max_budget: u32,
    /// The longest auto, in seconds.
    pub max_ttl_s: u32,
    /// How long a proposal may be accepted, in seconds.
    pub proposal_life_s: u32,
}

impl From<&Limits> for Bounds {
    /// A limit too large for this type counts as zero, which refuses every proposal.
    fn from(limits: &Limits) -> Self {
        let narrow = |limit: u64| u32::try_from(limit).unwrap_or(0);
        Self {
            max_budget: narrow(limits.max_budget),
            max_ttl_s: narrow(limits.max_ttl_s),
            proposal_life_s: narrow(limits.proposal_life_s),
        }
    }
}

impl Bounds {
    /// The budget of a proposal: the one asked for, or the default as far as the maximum allows.
    pub(super) fn budget(&self, asked: Option<u32>) -> Result<u32, Refused> {
        let budget = asked.unwrap_or(DEFAULT_BUDGET.min(self.max_budget));
        if budget < MIN_BUDGET {
            return Err(Refused::BadRequest {
                detail: "The budget is too small. Ask for at least 1 post.",
                limit: "min_budget",
            });
        }
        if budget > self.max_budget {
            return Err(Refused::BadRequest {
                detail: "The budget is larger than this plane or organisation allows. Ask for fewer posts.",
                limit: "max_budget",
            });
        }
        Ok(budget)
    }

    /// The time of a proposal in seconds: the one asked for, or the default as far as the maximum allows.
    pub(super) fn ttl_s(&self, asked: Option<u32>) -> Result<u32, Refused> {
        let ttl_s = asked.unwrap_or(DEFAULT_TTL_S.min(self.max_ttl_s));
        if ttl_s < MIN_TTL_S {
            return Err(Refused::BadRequest {
                detail: "The time is too short. Ask for at least 60 seconds.",
                limit: "min_ttl_s",
            });
        }
        if ttl_s > self.max_ttl_s {
            return Err(Refused::BadRequest {
                detail: "The time is longer than this plane or organisation allows. Ask for fewer seconds.",
                limit: "max_ttl_s",
            });
        }
        Ok(ttl_s)
    }
}
