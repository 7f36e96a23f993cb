//! The mode as it is for one seat: the stricter of what the plane says, of this machine's consent and own count, and of
//! integrity; and what it means for whoever reads the answer.
//!
//! Pure. Source: `modes.md`; `crypto.md` section 12: the plane may lower a mode, never raise it.

use wire::api::SessionEnd;
use wire::event::{Cause, Kind, ModeName};
use wire::ids::ProposalId;
use wire::timestamp::Timestamp;

use super::host::Face;
use super::{counted, wording};
use crate::seat::{Consent, SeatState};
use crate::session::auto::{self, Standing, Why};
use crate::session::{Session, integrity};

/// The mode, and how far it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ModeView {
    /// Whose seat it is.
    pub(super) kind: Kind,
    /// The session's, by the plane's word.
    pub(super) session: ModeName,
    /// This seat's.
    pub(super) mine: ModeName,
    /// Posts left in auto.
    pub(super) budget_left: Option<u32>,
    /// When auto ends.
    pub(super) ends_at: Option<Timestamp>,
    /// The open proposal, and whether this seat made it.
    pub(super) proposal: Option<(ProposalId, bool)>,
    /// Auto is on, and this agent's human has not accepted it here.
    pub(super) not_accepted: bool,
    /// Why the last auto is over, unless this seat is in one or the mode has moved on since.
    pub(super) over: Option<Why>,
    /// The plane says auto, and this client's own count says that it is over.
    pub(super) disagrees: bool,
    /// This agent acted in an auto that is over and was refused nothing since: a post that comes now may be a late reply.
    pub(super) late: Option<Standing>,
    /// That the session is over: then there is no mode to act in.
    pub(super) gone: Option<SessionEnd>,
    /// Of an auto that this seat is not in: messages left in it, and until when it goes on.
    pub(super) around: Option<(Option<u32>, Option<Timestamp>)>,
}

/// A mode's word.
pub(super) fn word(mode: ModeName) -> &'static str {
    match mode {
        ModeName::Observe => "observe",
        ModeName::Relay => "relay",
        ModeName::Auto => "auto",
    }
}

/// The mode of a session for its seat. Observe until the plane has said something, and once the session is over.
pub(super) fn of(session: &Session, kept: &SeatState, now: Timestamp) -> ModeView {
    let view = while_it_lives(session, kept, now);
    let Some(end) = session.end(kept) else { return view };
    ModeView {
        mine: ModeName::Observe,
        budget_left: None,
        ends_at: None,
        proposal: None,
        not_accepted: false,
        disagrees: false,
        gone: Some(end),
        around: None,
        ..view
    }
}

fn while_it_lives(session: &Session, kept: &SeatState, now: Timestamp) -> ModeView {
    let facts = session.auto_facts();
    let late = auto::untold(&kept.consents, &facts).filter(|_| kept.kind == Kind::Agent);
    let late_why = late.and_then(ended);
    let Some(mode) = facts.mode else {
        return ModeView {
            kind: kept.kind,
            session: ModeName::Observe,
            mine: ModeName::Observe,
            budget_left: None,
            ends_at: None,
            proposal: None,
            not_accepted: false,
            over: late_why,
            disagrees: false,
            late,
            gone: None,
            around: None,
        };
    };
    let consented = mode
        .proposal_id
        .and_then(|id| Some((id, kept.consents.get(&id)?)));
    let standing = consented.map(|(id, consent)| auto::standing(consent, &id, &facts));
    let consent = consented.map(|(_, consent)| consent);
    let run = match standing {
        Some(Standing::Running(run)) => Some(run),
        _ => None,
    };
    let own_end = standing.and_then(ended);
    let trusted =
        integrity::open_warning(session.alarm()).is_none() && integrity::failed(session.alarm()).is_none();
    let mine = match mode.effective {
        _ if !trusted => ModeName::Observe,
        ModeName::Auto if kept.kind == Kind::Agent && run.is_none() => ModeName::Observe,
        other => other,
    };
    let left_auto = || auto::last_run(&kept.consents, facts.view).map(Why::Notice);
    let over = (mine == ModeName::Observe)
        .then(|| own_end.or_else(left_auto).or(late_why))
        .flatten();
    let disagrees = match own_end {
        // What the plane said before the time was up says nothing about it.
        Some(Why::Time) => heard_after(session, now, consent, mode.expires_at),
        Some(Why::Here | Why::Lapsed) | None => false,
        Some(_) => true,
    };
    ModeView {
        kind: kept.kind,
        session: mode.name,
        mine,
        budget_left: match (mode.budget_left, run) {
            _ if mine != ModeName::Auto => None,
            (Some(plane), Some(run)) => Some(plane.min(run.left)),
            (plane, _) => plane,
        },
        ends_at: match (mode.expires_at, run) {
            _ if mine != ModeName::Auto => None,
            (Some(plane), Some(run)) => Some(plane.min(run.ends_at)),
            (plane, _) => plane,
        },
        around: (mode.name == ModeName::Auto && mine != ModeName::Auto && standing.is_none())
            .then_some((mode.budget_left, mode.expires_at)),
        gone: None,
        proposal: mode
            .proposal
            .as_ref()
            .map(|open| (open.proposal_id, open.by == *session.my_id())),
        not_accepted: mode.name == ModeName::Auto
            && standing.is_none()
            && mine == ModeName::Observe
            && kept.kind == Kind::Agent,
        over,
        disagrees: disagrees && mode.effective == ModeName::Auto,
        late,
    }
}

fn ended(standing: Standing) -> Option<Why> {
    match standing {
        Standing::Over(why) => Some(why),
        Standing::Idle | Standing::Running(_) => None,
    }
}

/// Whether the plane's newest word came after the time agreed to was up.
fn heard_after(
    session: &Session,
    now: Timestamp,
    consent: Option<&Consent>,
    plane_end: Option<Timestamp>,
) -> bool {
    let age = session.state_age().map_or(0, |age| age.as_millis());
    let heard = now
        .millis()
        .saturating_sub(i64::try_from(age).unwrap_or(i64::MAX));
    let own = consent.and_then(|consent| {
        let ttl = i64::from(consent.ttl_s).saturating_mul(1_000);
        Some(consent.started_at?.millis().saturating_add(ttl))
    });
    let ends = [own, plane_end.map(Timestamp::millis)];
    ends.into_iter().flatten().min().is_some_and(|end| heard >= end)
}

/// Whether an agent in it may wait for others.
pub(super) fn may_wait(view: ModeView) -> bool {
    view.gone.is_none() && view.mine != ModeName::Observe
}

/// What a mode means for whoever reads the answer, and what to do.
pub(super) fn meaning(view: ModeView, reader: Kind, face: Face) -> String {
    match reader {
        Kind::Agent => for_the_agent(view, face),
        Kind::Human => for_a_person(view),
    }
}

/// How an agent's human is asked to accept: by the tool, or by the command that the agent must not run itself.
pub(super) fn to_accept(face: Face) -> &'static str {
    match face {
        Face::Tools => "`mode` with set: accept asks them",
        Face::CommandLine => "they run `mode accept` in their own terminal",
    }
}

fn for_the_agent(view: ModeView, face: Face) -> String {
    let mut text = String::new();
    if let Some(why) = view.over {
        text.push_str(&over(why));
        text.push_str(" Tell your human where the work stands. ");
    }
    if let Some(end) = view.gone {
        return text + &wording::over(end);
    }
    if view.disagrees {
        text.push_str(DISAGREES);
        text.push_str(": tell your human. ");
    }
    if view.not_accepted {
        text.push_str(&format!(
            "Auto is on, but your human has not accepted it on this machine, so it counts as observe for you: ask your human \
             whether to ({}). ",
            to_accept(face)
        ));
    }
    if let Some(around) = around(view).filter(|_| view.kind == Kind::Human) {
        text.push_str(&around);
        text.push(' ');
    }
    text.push_str(match view.mine {
        ModeName::Observe => {
            "Observe: a human is relaying. Read when asked to, and post what your human asks you to post; don't wait."
        }
        ModeName::Relay => "Relay: you may wait for messages. Each post takes your human's yes to its text.",
        ModeName::Auto => {
            "Auto: wait and post in turns within the budget and time. Say `done` when there is nothing left for you, \
             `blocked` when you need a human."
        }
    });
    match view.proposal {
        Some((_, false)) => text.push_str(&format!(
            " Auto is proposed: ask your human whether to accept it ({}); decline drops it.",
            to_accept(face)
        )),
        Some((_, true)) => text.push_str(OWN_PROPOSAL),
        None => {}
    }
    text
}

/// That the session is over, for answers about something else.
pub(super) fn session_over(view: ModeView) -> Option<String> {
    view.gone.map(wording::over)
}

/// The auto that goes on around a seat that is not in it.
pub(super) fn around(view: ModeView) -> Option<String> {
    let (left, until) = view.around?;
    let left = left.map_or_else(String::new, |left| {
        let verb = if left == 1 { "is" } else { "are" };
        format!(": {} {verb} left", counted(left, "message"))
    });
    let until = until.map_or_else(String::new, |until| format!(", until {until}"));
    Some(format!(
        "Auto is on in the session, and you are not in it{left}{until}."
    ))
}

/// That the auto this seat was in is over, said until its reader has been told.
pub(super) fn untold_end(view: ModeView, reader: Kind) -> Option<String> {
    let Some(Standing::Over(why)) = view.late else {
        return None;
    };
    Some(match reader {
        Kind::Agent => format!("{} Tell your human where the work stands.", over(why)),
        Kind::Human => format!("{} Your agent has not been told yet.", over(why)),
    })
}

/// A person may look on through the seat of their agent.
fn for_a_person(view: ModeView) -> String {
    let mut text = String::new();
    if let Some(why) = view.over {
        text.push_str(&over(why));
        text.push(' ');
    }
    if let Some(end) = view.gone {
        return text + &wording::over(end);
    }
    if view.disagrees {
        text.push_str(DISAGREES);
        text.push_str(". ");
    }
    if view.not_accepted {
        text.push_str(
            "Auto is on, but it is not accepted for your agent on this machine, so it counts as observe for it: \
             `mode accept` accepts it. ",
        );
    }
    if let Some(around) = around(view).filter(|_| view.kind == Kind::Human) {
        text.push_str(&around);
        text.push(' ');
    }
    text.push_str(match view.mine {
        ModeName::Observe => "Observe: agents read and post when their human asks them to, and don't wait.",
        ModeName::Relay => {
            "Relay: agents may wait for messages. Each of their posts takes their own human's yes to its text."
        }
        ModeName::Auto => {
            "Auto: agents whose human accepted wait and post by themselves, within the budget and time. `mode stop` ends it at \
             once."
        }
    });
    text.push_str(match view.proposal {
        Some((_, false)) => {
            " Auto is proposed: `mode accept` accepts it for your agent on this machine, `mode decline` drops it."
        }
        Some((_, true)) => OWN_PROPOSAL,
        None => "",
    });
    text
}

const OWN_PROPOSAL: &str = " Your proposal of auto is open: it begins when somebody else accepts it, and until then nothing changes.";

/// Why an agent may not wait, and the way on.
pub(super) fn why_not_wait(view: ModeView, face: Face) -> String {
    if view.over.is_some() || view.not_accepted || view.proposal.is_some() || view.disagrees {
        return format!(
            "There is nothing to wait for. {}",
            meaning(view, Kind::Agent, face)
        );
    }
    "The session is in observe: a human is relaying, and there is nothing to wait for. Ask your human whether to go to relay \
     or to propose auto; until then read when they ask you to."
        .to_owned()
}

const DISAGREES: &str =
    "The plane still says auto, and this client's own count says that it is over; the own count stands";

/// That auto is over, and why.
pub(super) fn over(why: Why) -> String {
    format!("Auto is over: {}.", why_text(why))
}

fn why_text(why: Why) -> &'static str {
    match why {
        Why::Notice(cause) => cause_text(cause, ModeName::Observe),
        Why::Budget => "the budget is spent, by this client's own count",
        Why::Time => "the time is up, by this machine's clock",
        Why::Again => "it was begun a second time under one yes of your human",
        Why::OtherTerms => "it began with another budget or time than your human agreed to",
        Why::Lapsed => "it did not begin while the proposal lived",
        Why::Dropped => "the proposal was declined, replaced or dropped before it began",
        Why::Here => "it was ended on this machine",
    }
}

/// Why the mode went to `to`, in our words.
pub(super) fn cause_text(cause: Cause, to: ModeName) -> &'static str {
    match cause {
        Cause::Requested => match to {
            ModeName::Observe => "a participant set observe",
            ModeName::Relay => "a participant set relay",
            ModeName::Auto => "a participant set auto",
        },
        Cause::Accepted => "the proposal was accepted",
        Cause::BudgetSpent => "the budget is spent",
        Cause::TtlExpired => "the time is up",
        Cause::AllDone => "every agent in it said done",
        Cause::Blocked => "somebody said blocked",
        Cause::Stopped => "somebody stopped it",
        Cause::Left => "too few of those who accepted remain",
        Cause::Rekeyed => "the session was re-keyed",
        Cause::Ended => "the session ended",
    }
}
