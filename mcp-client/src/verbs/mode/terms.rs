//! What `mode` was asked for, checked before anything is looked at or sent. Nothing here is ever taken as unlimited.

use wire::sizes;

use super::{ModeArgs, SetTo};
use crate::guard::Findings;
use crate::render;
use crate::verbs::failure::{Failure, code};
use crate::verbs::host::Face;
use crate::verbs::secrets;

/// Messages, unless the call says another number (`modes.md`).
pub(crate) const BUDGET: u64 = 20;
/// The most a plane can be set up to allow.
pub(crate) const BUDGET_MAX: u64 = 1_000_000;
/// Minutes, unless the call says another number (`modes.md`).
pub(crate) const TTL_MINUTES: u64 = 30;
/// The longest a plane can be set up to allow: 30 days.
pub(crate) const TTL_MINUTES_MAX: u64 = 43_200;

/// What to do.
pub(super) enum Wanted {
    Show,
    Observe,
    Stop,
    Relay,
    Propose(Terms),
    Accept,
    Decline,
}

/// What is proposed.
pub(super) struct Terms {
    pub(super) goal: String,
    /// What in the goal looks like a credential.
    pub(super) findings: Findings,
    pub(super) budget: u32,
    pub(super) ttl_s: u32,
}

impl Terms {
    /// The time in minutes.
    pub(super) fn minutes(&self) -> u32 {
        self.ttl_s / 60
    }

    /// Budget and time as options of `mode auto`.
    pub(super) fn options(&self) -> String {
        format!(" --budget {} --ttl-minutes {}", self.budget, self.minutes())
    }
}

/// What the arguments ask for.
pub(super) fn check(args: &ModeArgs, face: Face) -> Result<Wanted, Failure> {
    let wanted = match args.set {
        Some(SetTo::Auto) => return terms(args, face).map(Wanted::Propose),
        None => Wanted::Show,
        Some(SetTo::Observe) => Wanted::Observe,
        Some(SetTo::Stop) => Wanted::Stop,
        Some(SetTo::Relay) => Wanted::Relay,
        Some(SetTo::Accept) => Wanted::Accept,
        Some(SetTo::Decline) => Wanted::Decline,
    };
    if args.goal.is_some() || args.budget.is_some() || args.ttl_minutes.is_some() {
        return Err(bad(match face {
            Face::Tools => "`goal`, `budget` and `ttl_minutes` go with set: auto alone. Nothing was changed.",
            Face::CommandLine => {
                "`--budget` and `--ttl-minutes` go with `mode auto` alone. Nothing was changed."
            }
        }));
    }
    Ok(wanted)
}

/// Budget and time of a proposal, before its goal is asked for.
pub(super) fn bounds(args: &ModeArgs, face: Face) -> Result<(u32, u32), Failure> {
    let budget = within((face, "budget"), args.budget.unwrap_or(BUDGET), BUDGET_MAX)?;
    let minutes = within(
        (face, "ttl_minutes"),
        args.ttl_minutes.unwrap_or(TTL_MINUTES),
        TTL_MINUTES_MAX,
    )?;
    Ok((budget, minutes.saturating_mul(60)))
}

fn terms(args: &ModeArgs, face: Face) -> Result<Terms, Failure> {
    let (budget, ttl_s) = bounds(args, face)?;
    let goal = args.goal.as_deref().unwrap_or_default().trim();
    if render::is_blank(goal) {
        let goal = match face {
            Face::Tools => "`goal` is needed with set: auto",
            Face::CommandLine => "A goal is needed for auto, on standard input",
        };
        return Err(bad(&format!(
            "{goal}: say in a sentence or two what the agents are to do. Nothing was proposed."
        )));
    }
    let size = serde_json::json!({ "goal": goal }).to_string().len();
    if size > sizes::SMALL_JSON_MAX {
        return Err(Failure::new(
            seal::Error::TooLarge.name(),
            format!(
                "The goal has {size} bytes and a proposal carries {}. Nothing was proposed; make it shorter.",
                sizes::SMALL_JSON_MAX
            ),
        ));
    }
    let findings = secrets::scan(face.input("goal"), goal)?;
    secrets::refuse_ours(&findings, "Nothing was proposed")?;
    Ok(Terms {
        goal: goal.to_owned(),
        findings,
        budget,
        ttl_s,
    })
}

fn within((face, name): (Face, &str), value: u64, most: u64) -> Result<u32, Failure> {
    u32::try_from(value)
        .ok()
        .filter(|_| (1..=most).contains(&value))
        .ok_or_else(|| {
            bad(&format!(
                "{} is a whole number from 1 to {most}. Nothing was proposed.",
                face.argument(name)
            ))
        })
}

fn bad(text: &str) -> Failure {
    Failure::new(code::BAD_ARGUMENT, text)
}
