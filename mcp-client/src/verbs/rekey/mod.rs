//! `rekey`: a new secret for those who stay. For the command line alone, at a person's own hand.
//!
//! Two steps, since a person decides in between: [`look`] lists everybody, [`run`] re-keys as was decided over that very
//! list, and refuses where somebody came in since. The administrator's re-key is in [`admin`].

pub mod admin;
mod answers;
mod list;

use std::collections::{BTreeMap, BTreeSet};

use seal::transcript::MemberKind;
use wire::epoch_record::EntryCapability;
use wire::ids::ParticipantId;

pub use answers::{Before, RekeyAnswer, RekeyOutcome};
pub use list::{RekeyList, RekeyParticipant};

use super::app::App;
use super::choose::CALL_S;
use super::delivered::Delivered;
use super::failure::{Failure, code};
use super::host::{Ask, Host, Purpose, Question};
use super::present::{Presenter, short};
use super::reach::in_turn;
use super::{compose, wording};
use crate::plane::{MachineToken, within};
use crate::session::view::What;
use crate::session::{RekeyPlan, Session, SessionError};

/// What becomes of a participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Stays, with what it has.
    Keep,
    /// Stays, and reads only.
    ReadOnly,
    /// Is out.
    Drop,
}

/// What a person decided, over the list they were shown.
#[derive(Debug, Clone)]
pub struct RekeyArgs {
    /// The list.
    pub list: RekeyList,
    /// One choice for each on it who can be kept, but for this seat itself.
    pub choices: BTreeMap<ParticipantId, Choice>,
    /// Whether the new link opens what came before.
    pub history: bool,
}

/// Lists everybody there is to decide about. What became of a re-key of this machine whose answer was lost is found out
/// first; nothing of it is sent again.
///
/// # Errors
/// This machine is not the owner's, has no machine token for the plane, or the plane can't be asked.
pub async fn look(app: &App, session: Option<&str>, host: &dyn Host) -> Result<RekeyList, Failure> {
    let until = within(CALL_S);
    let shared = app.owned_session(host, session, until).await?;
    let mut session = in_turn(&shared, until).await?;
    machine(app, &session)?;
    let earlier = session.finish_rekey(until).await.map_err(refused)?;
    if let Some(end) = session.end(&*session.kept()?) {
        return Err(wording::is_over(end));
    }
    let rows = session.everybody(until).await?;
    still_owner(&session)?;
    list::make(&session, &rows, &earlier)
}

/// Re-keys, once the person has typed the word.
///
/// # Errors
/// A choice is missing; the word was not typed; somebody came in since the list was shown; the plane refuses. Then
/// nothing was changed. Whether it took effect may stay open when no answer comes: the next call finds out.
pub async fn run(app: &App, args: RekeyArgs, host: &dyn Host) -> Result<Delivered<RekeyAnswer>, Failure> {
    let mut until = within(CALL_S);
    let shared = app.owned_session(host, Some(&args.list.session), until).await?;
    let machine = machine(app, &*in_turn(&shared, until).await?)?;
    let (keep, stays, out) = decided(&args)?;
    ask(&args, &stays, &out, host).await?;
    // The time a person took to answer does not count.
    until = within(CALL_S);
    let shown: BTreeSet<ParticipantId> = args.list.ids().collect();
    let plan = RekeyPlan {
        epoch: args.list.epoch,
        shown: &shown,
        keep: &keep,
        history: args.history,
    };
    let mut session = in_turn(&shared, until).await?;
    let done = match session.rekey(&plan, &machine, until).await {
        Ok(done) => done,
        Err(SessionError::ListChanged(new)) => return Err(changed(&session, &new)),
        Err(error) => {
            return Err(refused(error).with_command(format!("rekey --session {}", short(&args.list.session))));
        }
    };
    let go_on = match stays.len() {
        0 | 1 => "",
        _ => "Those who stay go on by themselves. ",
    };
    let mut warnings = Vec::new();
    if let Some(late) = done.late {
        warnings.push(format!(
            "The re-key is in force. What follows it is not done yet, and the next command makes up for it: {}",
            wording::session(late).message()
        ));
    }
    let presenter = Presenter::new(&session);
    // Nothing that fails on this machine may hide that the re-key is in force.
    let reach = session.reach().ok();
    let too_late = came_too_late(&session, &presenter, args.list.epoch, &shown);
    Ok(Delivered::plain(RekeyAnswer {
        session: args.list.session.clone(),
        title: args.list.title.clone(),
        epoch: done.epoch,
        history: if args.history { "kept" } else { "closed" }.to_owned(),
        opens: answers::opens(&args.list.before, args.history),
        opens_from_epoch: reach.map_or(done.epoch, |reach| reach.epoch),
        opens_from_seq: reach.and_then(|reach| Some(reach.began?.0)),
        stays,
        out: out.into_iter().chain(too_late).collect(),
        warnings,
        next: format!(
            "{go_on}All earlier links and session tokens are dead. To let somebody in, make the note with the new link: {}",
            app.command(&format!("link --session {}", short(&args.list.session)))
        ),
    }))
}

/// This machine's token for the session's plane.
fn machine(app: &App, session: &Session) -> Result<MachineToken, Failure> {
    app.machine_token(session.plane().origin())
}

fn still_owner(session: &Session) -> Result<(), Failure> {
    match session.owner() {
        Some(owner) if owner == session.my_id() => Ok(()),
        Some(_) => Err(wording::session(SessionError::NotOwner)),
        None => Err(wording::session(SessionError::NoOwner)),
    }
}

fn refused(error: SessionError) -> Failure {
    match error {
        SessionError::Plane(error) => wording::keeping(&error.into()),
        other => wording::session(other),
    }
}

type Decided = (
    Vec<(ParticipantId, EntryCapability)>,
    Vec<RekeyOutcome>,
    Vec<RekeyOutcome>,
);

/// Who is kept with what, and how both are told.
fn decided(args: &RekeyArgs) -> Result<Decided, Failure> {
    let (mut keep, mut stays, mut out) = (Vec::new(), Vec::new(), Vec::new());
    for one in &args.list.participants {
        let id = one.participant_id()?;
        let choice = match args.choices.get(&id) {
            _ if one.me => Choice::Keep,
            Some(Choice::Keep | Choice::ReadOnly) if !one.can_be_kept => {
                return Err(wording::session(SessionError::CantBeKept(id)));
            }
            Some(choice) => *choice,
            None if !one.can_be_kept => Choice::Drop,
            None => {
                return Err(Failure::new(
                    code::BAD_ARGUMENT,
                    format!("Nobody said what becomes of \"{}\" {}.", one.name, one.short_id),
                ));
            }
        };
        let given = match choice {
            Choice::Keep if one.capability == "full" => Some(EntryCapability::Full),
            Choice::Keep | Choice::ReadOnly => Some(EntryCapability::View),
            Choice::Drop => None,
        };
        match given {
            Some(given) => {
                keep.push((id, given));
                stays.push(RekeyOutcome::of(one, Some(given)));
            }
            None => out.push(RekeyOutcome::of(one, None)),
        }
    }
    Ok((keep, stays, out))
}

async fn ask(
    args: &RekeyArgs,
    stays: &[RekeyOutcome],
    out: &[RekeyOutcome],
    host: &dyn Host,
) -> Result<(), Failure> {
    let list = &args.list;
    let text = answers::question(list, stays, out, args.history);
    let question = Question {
        purpose: Purpose::Rekey,
        session: list.title.clone(),
        subject: format!("rekey {} after epoch {}\n{text}", list.session, list.epoch),
        text,
    };
    match host.ask(&question).await {
        Ask::Yes => Ok(()),
        Ask::CannotAsk => Err(compose::no_terminal(
            "Nothing was changed.",
            format!("rekey --session {}", short(&list.session)),
        )),
        other => Err(compose::refused(other, "Nothing was changed.")),
    }
}

fn changed(session: &Session, new: &[ParticipantId]) -> Failure {
    if new.is_empty() {
        return wording::session(SessionError::ListChanged(Vec::new()));
    }
    let presenter = Presenter::new(session);
    let names: Vec<String> = new
        .iter()
        .map(|id| format!("\"{}\" {}", presenter.name(id), short(id)))
        .collect();
    Failure::new(
        code::LIST_CHANGED,
        format!(
            "Since the list was shown, {} came in, so nothing was done. Look at the list again.",
            names.join(", ")
        ),
    )
}

/// Who came in between the last look and the record: not on the list, so out, and nobody has seen them.
fn came_too_late(
    session: &Session,
    presenter: &Presenter<'_>,
    epoch: u32,
    shown: &BTreeSet<ParticipantId>,
) -> Vec<RekeyOutcome> {
    let mut ids = BTreeSet::new();
    for entry in session
        .view()
        .entries()
        .iter()
        .filter(|entry| entry.epoch == epoch)
    {
        if let What::Member(Some(member)) = &entry.what
            && matches!(member.kind, MemberKind::Joined { .. })
            && !shown.contains(&member.participant_id)
        {
            ids.insert(member.participant_id);
        }
    }
    let outcome = |id: &ParticipantId| RekeyOutcome {
        name: presenter.name(id),
        short_id: short(id),
        id: id.to_string(),
        given: "nothing".to_owned(),
        unseen: true,
    };
    ids.iter().map(outcome).collect()
}
