//! `mode`: shows the mode, goes to the safe side at once, and to relay or auto only after this machine's human said yes to
//! what was shown.

mod ask;
mod auto;
mod possible;
mod terms;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use wire::api::SettableMode;
use wire::event::{Kind, ModeName};
use wire::problem::Code;

pub(crate) use self::terms::{BUDGET_MAX, TTL_MINUTES_MAX};

use self::ask::Asking;
use self::terms::Wanted;
use super::app::App;
use super::choose::{CALL_S, Intent};
use super::delivered::{Answer, Delivered, Due, Shown};
use super::failure::Failure;
use super::host::{Face, Host};
use super::items::IntegrityItem;
use super::present::{self, Presenter};
use super::proposals::{self, ProposalItem};
use super::reach::in_turn;
use super::text::Text;
use super::{doorbell, modes, secrets};
use crate::plane::{Deadline, within};
use crate::session::auto::last_change;
use crate::session::{Session, SessionError};

/// What to set the mode to, or to do with a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SetTo {
    /// Agents read and post at their human's word.
    Observe,
    /// Ends auto; the same as observe elsewhere.
    Stop,
    /// Agents may wait, and post after a yes to each text.
    Relay,
    /// Proposes auto: agents wait and post freely, within a budget and a time.
    Auto,
    /// Accepts the proposal, or an auto that is on, for this seat.
    Accept,
    /// Drops the proposal.
    Decline,
}

/// Which mode; without `set`, shows it.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModeArgs {
    /// observe, stop and decline count at once; relay, auto (propose) and accept ask the human first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "set_schema")]
    pub set: Option<SetTo>,
    /// For auto: what the agents are to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub goal: Option<String>,
    /// For auto: messages, default 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "budget_schema")]
    pub budget: Option<u64>,
    /// For auto: minutes, default 30.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "ttl_schema")]
    pub ttl_minutes: Option<u64>,
    /// Another session: id, its first 8 characters, or title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
}

/// Its goal may hold what the guard refuses.
impl std::fmt::Debug for ModeArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ModeArgs")
    }
}

fn set_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    super::schema::one_of(&["observe", "stop", "relay", "auto", "accept", "decline"])
}

fn budget_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    super::schema::whole(BUDGET_MAX)
}

fn ttl_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    super::schema::whole(TTL_MINUTES_MAX)
}

/// The mode.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ModeAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// The participant of this machine whose mode it is: name, short id and kind.
    pub seat: String,
    /// Whether this call changed it.
    pub changed: bool,
    /// Why it changed nothing, where it was to set something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub unchanged: Option<String>,
    /// The session's mode.
    pub session_mode: String,
    /// The mode as it is for this seat: the stricter of the session's and this seat's consent.
    pub mode: String,
    /// Posts left in auto.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub budget_left: Option<u32>,
    /// When auto ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub auto_ends_at: Option<String>,
    /// The open proposal, with its whole goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ProposalItem")]
    pub proposal: Option<ProposalItem>,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// Of relay and auto: the shell command that sleeps, without a model turn, until somebody else has posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub listen: Option<String>,
    /// What else to know.
    pub warnings: Vec<String>,
    /// What the mode means now, and what to do.
    pub next: String,
}

impl Answer for ModeAnswer {
    fn text(&self) -> String {
        let mut text = Text::about(&self.title, &self.session);
        if self.changed {
            text.line("Changed.");
        }
        if let Some(why) = &self.unchanged {
            text.line(why);
        }
        text.line(format_args!("For {}.", self.seat));
        text.mode(&self.mode, self.budget_left, self.auto_ends_at.as_deref());
        if self.session_mode != self.mode {
            text.line(format_args!("The session's own mode: {}", self.session_mode));
        }
        if self.integrity.state != "ok" {
            text.integrity(&self.integrity);
        }
        text.proposal(self.proposal.as_ref());
        text.listen(self.listen.as_deref());
        text.closing(&self.warnings, &self.next);
        text.finish()
    }
}

impl ModeArgs {
    /// Whether goal, budget and time can be what they are, before somebody writes the goal.
    ///
    /// # Errors
    /// A number out of its range, or one that goes with another `set`.
    pub fn check_numbers(&self, face: Face) -> Result<(), Failure> {
        match self.set {
            Some(SetTo::Auto) => terms::bounds(self, face).map(|_| ()),
            _ => terms::check(self, face).map(|_| ()),
        }
    }
}

/// Refuses what can be refused before anybody writes a goal: numbers, a caller without a seat, and what can't be set now.
///
/// # Errors
/// As [`run`].
pub async fn prepare(app: &App, args: &ModeArgs, host: &dyn Host) -> Result<(), Failure> {
    args.check_numbers(host.face())?;
    let until = within(CALL_S);
    let shared = app
        .pick(host, args.session.as_deref(), intent(args.set), until)
        .await?;
    let mut session = in_turn(&shared, until).await?;
    session.sync(until).await?;
    possible::check(&session, args.set, host)
}

/// Shows or sets the mode.
///
/// # Errors
/// An argument that can't be, no such session, no proposal, a human who did not say yes, or the plane refuses.
pub async fn run(app: &App, args: ModeArgs, host: &dyn Host) -> Result<Delivered<ModeAnswer>, Failure> {
    let wanted = terms::check(&args, host.face())?;
    if let Wanted::Propose(terms) = &wanted
        && !terms.findings.is_empty()
    {
        let nothing = "Nothing was proposed.";
        let acting = app.acting(host, args.session.as_deref()).await;
        let command = format!("mode auto --allow-secrets{}{}", acting.options(), terms.options());
        secrets::may_be_allowed(host, &terms.findings, nothing, &command)?;
    }
    let mut until = within(CALL_S);
    let shared = app
        .pick(host, args.session.as_deref(), intent(args.set), until)
        .await?;
    // The safe direction does not wait for anything to be read first.
    let before = {
        let mut session = in_turn(&shared, until).await?;
        if !matches!(wanted, Wanted::Observe | Wanted::Stop) {
            session.sync(until).await?;
        }
        possible::check(&session, args.set, host)?;
        Before::of(&session)
    };
    let mut done = false;
    let mut refused = false;
    match &wanted {
        Wanted::Show => {}
        Wanted::Observe => {
            let mut session = in_turn(&shared, until).await?;
            end_here(&mut session, host, async |session: &mut Session| {
                session.set_mode(SettableMode::Observe, until).await
            })
            .await?;
            done = before.is_left(app, &mut session, until).await;
            auto::read_on(&mut session, until).await;
        }
        Wanted::Stop => {
            let mut session = in_turn(&shared, until).await?;
            end_here(&mut session, host, async |session: &mut Session| {
                session.stop(until).await
            })
            .await?;
            done = before.is_left(app, &mut session, until).await;
            match stop_the_rest(&mut session, until).await? {
                Rest::Nothing => {}
                Rest::Stopped => done = true,
                Rest::NotOurs => refused = true,
            }
            auto::read_on(&mut session, until).await;
        }
        Wanted::Relay if before.mode == Some(ModeName::Relay) => {}
        Wanted::Relay => {
            let asking = Asking::relay(&*in_turn(&shared, until).await?);
            asking.put(host).await?;
            // The time a human took to answer does not count.
            until = within(CALL_S);
            let mut session = in_turn(&shared, until).await?;
            session.set_mode(SettableMode::Relay, until).await?;
            done = before != Before::of(&session);
        }
        Wanted::Propose(terms) => {
            let proposed = auto::propose(&shared, host, terms, until).await?;
            done = proposed.is_some();
            until = proposed.unwrap_or(until);
        }
        Wanted::Accept => {
            let accepted = auto::accept(app, &shared, host, until).await?;
            done = accepted.is_some();
            until = accepted.unwrap_or(until);
        }
        Wanted::Decline => {
            auto::decline(&mut *in_turn(&shared, until).await?, host, until).await?;
            done = true;
        }
    }
    let mut session = in_turn(&shared, until).await?;
    let warnings = doorbell::ring(app, host, &mut session).into_iter().collect();
    let session = &*session;
    let kept = session.kept()?;
    let presenter = Presenter::new(session);
    let mode = modes::of(session, &kept, app.clock.now());
    let mut shown = Shown::new(*session.id(), host.reader(), &mode, None, false);
    // A command may be the human's, for the agent that goes on: it heard nothing.
    shown.auto_over &= host.lives_on();
    let who = proposals::who(&presenter, session.my_id());
    let for_agent = host.reader() == Kind::Human && kept.kind == Kind::Agent;
    let next = match args.set {
        Some(SetTo::Accept) if done && for_agent => {
            format!("Accepted for {who}. Your agent goes on by it at its next call.")
        }
        _ => modes::meaning(mode, host.reader(), host.face()),
    };
    let answer = ModeAnswer {
        session: session.id().to_string(),
        title: presenter.title(),
        seat: format!("{who} ({})", present::kind_word(kept.kind)),
        changed: done,
        unchanged: args
            .set
            .filter(|_| !done)
            .map(|set| possible::why_unchanged(set, refused).to_owned()),
        session_mode: modes::word(mode.session).to_owned(),
        mode: modes::word(mode.mine).to_owned(),
        budget_left: mode.budget_left,
        auto_ends_at: mode.ends_at.map(|at| at.to_string()),
        proposal: proposals::open_whole(session, &presenter),
        integrity: presenter.integrity(),
        listen: app.listen_in(session, mode),
        warnings,
        next,
    };
    Ok(Delivered::with(answer, Due::Shown(shown)))
}

/// What is decided is no use of the seat in the folder where it is decided.
fn intent(set: Option<SetTo>) -> Intent<'static> {
    match set {
        None => Intent::Read,
        Some(SetTo::Observe | SetTo::Stop) => Intent::Calm,
        Some(SetTo::Relay | SetTo::Auto | SetTo::Accept | SetTo::Decline) => Intent::Decide,
    }
}

/// What a call may change.
#[derive(PartialEq, Eq)]
struct Before {
    mode: Option<ModeName>,
    effective: Option<ModeName>,
    proposal: Option<wire::ids::ProposalId>,
}

impl Before {
    /// Whether the safe direction was a change. A process that has just begun knows no mode from before, and did not wait to
    /// read it: then the plane's last record says whether there was something to leave.
    async fn is_left(&self, app: &App, session: &mut Session, until: Deadline) -> bool {
        if self.mode.is_some() {
            return *self != Self::of(session);
        }
        let before = session.head().seq;
        let Some(newest) = session.plane_state().map(|state| state.head_seq) else {
            return true;
        };
        if newest <= before {
            return false;
        }
        if let Err(error) = app.sync_softly(session, until).await {
            tracing::info!(%error, "nothing was read after the change of mode");
            return true;
        }
        last_change(session.view())
            .is_some_and(|change| change.seq == newest && change.from != ModeName::Observe)
    }

    fn of(session: &Session) -> Self {
        let mode = session.plane_state().map(|state| &state.mode);
        Self {
            mode: mode.map(|mode| mode.name),
            effective: mode.map(|mode| mode.effective),
            proposal: mode.and_then(|mode| Some(mode.proposal.as_ref()?.proposal_id)),
        }
    }
}

/// The safe direction: this seat is out of auto whatever the plane says to it, and the plane is told in any case.
async fn end_here(
    session: &mut Session,
    host: &dyn Host,
    tell: impl AsyncFnOnce(&mut Session) -> Result<(), SessionError>,
) -> Result<(), SessionError> {
    let ended = session.end_own_auto(host.lives_on()).await;
    tell(session).await?;
    ended
}

/// What else lets agents go on once auto is ended.
enum Rest {
    /// Nothing did.
    Nothing,
    /// It is over.
    Stopped,
    /// A seat that reads only may end auto alone.
    NotOurs,
}

/// Sets observe, unless nothing else lets agents go on, and drops what is proposed.
async fn stop_the_rest(session: &mut Session, until: Deadline) -> Result<Rest, SessionError> {
    let goes_on = session
        .plane_state()
        .is_none_or(|state| state.mode.name != ModeName::Observe || state.mode.proposal.is_some());
    if !goes_on {
        return Ok(Rest::Nothing);
    }
    match session.set_mode(SettableMode::Observe, until).await {
        Ok(()) => Ok(Rest::Stopped),
        Err(SessionError::Plane(error)) if error.code() == Some(Code::ViewOnly) => Ok(Rest::NotOurs),
        Err(error) => Err(error),
    }
}
