//! `door`: who may still come in, and who knocks. For the command line alone: it takes a person's own hand.
//!
//! - `keeper`: by what this machine keeps it
//! - `question`: what a person is shown before it changes
//! - `answer`: what comes back
//! - `until`: times
//!
//! Source: `plane-api.md`, Door; `mcp-client.md`, What needs a human's own hand.

mod answer;
mod keeper;
mod question;
mod until;

use wire::api::{Door, DoorState, Knock, SetDoor};

use super::app::App;
use super::choose::CALL_S;
use super::compose;
use super::delivered::Delivered;
use super::failure::{Failure, code};
use super::host::{Ask, Host, Question};
use super::{present, wording};
use crate::plane::within;

pub(crate) use answer::line;
pub use answer::{DoorAnswer, KnockItem};
use keeper::DoorKeeper;
pub use until::{NoTime, Until};

/// What to do at the door.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DoorAction {
    /// Shows it.
    #[default]
    Show,
    /// Sets it. What is left out is without bound.
    Set {
        /// How it shall stand.
        state: DoorState,
        /// How many may still come in, from 1.
        joins: Option<u32>,
        /// Until when.
        until: Option<Until>,
    },
    /// Lets somebody in who knocks: the id, or its first 8 characters.
    Admit(String),
    /// Turns somebody away who knocks: the id, or its first 8 characters.
    Refuse(String),
}

/// Whose door, and what to do.
#[derive(Debug, Clone, Default)]
pub struct DoorArgs {
    /// What to do.
    pub action: DoorAction,
    /// The session: id, its first 8 characters, or title. By its full id also one that this machine has no seat in.
    pub session: Option<String>,
}

/// Shows the door; sets it, admits or refuses after a person said so.
///
/// # Errors
/// This machine does not keep the door; nobody of that id knocks; a bound that can't be; no yes; the plane refuses.
pub async fn run(app: &App, args: DoorArgs, host: &dyn Host) -> Result<Delivered<DoorAnswer>, Failure> {
    let until = within(CALL_S);
    let wanted = match &args.action {
        DoorAction::Set { state, joins, until } => Some(wanted(app, *state, *joins, *until)?),
        _ => None,
    };
    let mut keeper = DoorKeeper::of(app, host, args.session.as_deref())?;
    let door = keeper.door(app, until).await?;
    if let Some(end) = keeper.over(until).await? {
        return Err(wording::is_over(end));
    }
    let (did, door) = match (&args.action, wanted) {
        (DoorAction::Set { .. }, Some(set)) if stands_so(&door, &set) => ("unchanged", door),
        (DoorAction::Set { state, .. }, Some(set)) => {
            ask(
                host,
                &keeper,
                &question::set(&keeper, &door, &set),
                answer::word(*state),
            )
            .await?;
            ("set", keeper.set(&set, within(CALL_S)).await?)
        }
        (DoorAction::Admit(named), _) => decide(app, host, &mut keeper, &door, named, true).await?,
        (DoorAction::Refuse(named), _) => decide(app, host, &mut keeper, &door, named, false).await?,
        (DoorAction::Show | DoorAction::Set { .. }, _) => ("nothing", door),
    };
    Ok(Delivered::plain(shown(app, &keeper, did, &door)))
}

fn stands_so(door: &Door, set: &SetDoor) -> bool {
    // A closed door has no bounds to differ by, whatever closed it.
    let closed = door.state == DoorState::Closed && set.state == DoorState::Closed;
    closed || (door.state == set.state && door.joins_left == set.joins_left && door.until == set.until)
}

async fn decide(
    app: &App,
    host: &dyn Host,
    keeper: &mut DoorKeeper,
    door: &Door,
    named: &str,
    admit: bool,
) -> Result<(&'static str, Door), Failure> {
    let look = format!("door --session {}", keeper.session());
    let knock = the_one(&door.knocking, named).map_err(|failure| failure.with_command(&look))?;
    let who = KnockItem::new(knock, &keeper.names(&door.knocking));
    let verb = if admit { "admit" } else { "refuse" };
    let again = format!("{verb} {}", who.short_id);
    ask(host, keeper, &question::decide(keeper, &who, admit), &again).await?;
    let until = within(CALL_S);
    if admit {
        as_shown(knock, &keeper.door(app, until).await?).map_err(|failure| failure.with_command(&look))?;
    }
    keeper.decide(&knock.participant_id, admit, until).await?;
    let did = if admit { "admitted" } else { "refused" };
    Ok((did, keeper.door(app, until).await?))
}

/// Who is meant, of those who knock.
fn the_one<'a>(knocking: &'a [Knock], named: &str) -> Result<&'a Knock, Failure> {
    let mut fitting = knocking
        .iter()
        .filter(|knock| question::is_named(named, &knock.participant_id));
    match (fitting.next(), fitting.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(not_knocking()),
        // Whoever makes an id can choose how it begins.
        (Some(_), Some(_)) => Err(Failure::new(
            code::BAD_ARGUMENT,
            "Several who knock have an id that begins so. Nothing was changed; give the whole id, compared by voice.",
        )),
    }
}

/// Whoever knocks may knock again as something else while the question is read. The yes was for what it showed; a refusal
/// is for the id, however it knocks.
fn as_shown(shown: &Knock, now: &Door) -> Result<(), Failure> {
    let same_id = |knock: &&Knock| knock.participant_id == shown.participant_id;
    let Some(knock) = now.knocking.iter().find(same_id) else {
        return Err(not_knocking());
    };
    let same = knock.kind == shown.kind
        && knock.capability == shown.capability
        && knock.sealed_profile == shown.sealed_profile;
    if same {
        return Ok(());
    }
    Err(Failure::new(
        code::KNOCK_CHANGED,
        "The knock changed while you were asked: it now comes under another name, as another kind or with another link. Nobody \
         was let in; look again.",
    ))
}

fn not_knocking() -> Failure {
    Failure::new(
        code::NOT_KNOCKING,
        "Nobody of that id knocks. Nothing was changed. A knock ends ten minutes after its last repeat, once it was answered, and \
         with a re-key; look who knocks now, and give the id or its first 8 characters.",
    )
}

/// The bounds as the plane takes them.
fn wanted(app: &App, state: DoorState, joins: Option<u32>, until: Option<Until>) -> Result<SetDoor, Failure> {
    let bad = |text: &str| Failure::new(code::BAD_ARGUMENT, text);
    if state == DoorState::Closed && (joins.is_some() || until.is_some()) {
        return Err(bad(
            "A closed door has no bounds: nobody new comes in until it is set again.",
        ));
    }
    if joins == Some(0) {
        return Err(bad("With no joins left the door is closed: say `door closed`."));
    }
    let until = match until {
        None => None,
        Some(until) => Some(
            until
                .from(app.clock.now())
                .ok_or_else(|| bad("That time is past."))?,
        ),
    };
    Ok(SetDoor {
        state,
        joins_left: joins,
        until,
    })
}

/// Nothing changes without this machine's human.
async fn ask(host: &dyn Host, keeper: &DoorKeeper, question: &Question, again: &str) -> Result<(), Failure> {
    match host.ask(question).await {
        Ask::Yes => Ok(()),
        Ask::CannotAsk => Err(compose::no_terminal(
            "The door was not changed.",
            format!("door {again} --session {}", keeper.session()),
        )),
        other => Err(compose::refused(other, "The door was not changed.")),
    }
}

fn shown(app: &App, keeper: &DoorKeeper, did: &str, door: &Door) -> DoorAnswer {
    let names = keeper.names(&door.knocking);
    let knocking: Vec<_> = door
        .knocking
        .iter()
        .map(|knock| KnockItem::new(knock, &names))
        .collect();
    let id = keeper.session().to_string();
    // Without a seat of this machine only the whole id names it.
    let named = match keeper.has_seat() {
        true => id.chars().take(8).collect(),
        false => id.clone(),
    };
    let next = answer::next(door, |knock| {
        let short = present::short(&knock.participant_id);
        let line = |verb: &str| app.command(&format!("door {verb} {short} --session {named}"));
        format!("{short}: {}\n  or {}", line("admit"), line("refuse"))
    });
    DoorAnswer {
        title: keeper.title(),
        session: id,
        did: did.to_owned(),
        state: answer::word(door.state).to_owned(),
        joins_left: door.joins_left,
        until: door.until.map(|until| until.to_string()),
        stands: answer::stands(door),
        knocking,
        kept_by: keeper.kept_by().to_owned(),
        next,
    }
}
