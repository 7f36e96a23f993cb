//! `mode`: shows the mode, goes to the safe side at once, and to relay only after this machine's human said yes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tokio::sync::Mutex;
use wire::api::SettableMode;
use wire::event::ModeName;
use wire::problem::Code;

use super::app::App;
use super::choose::{CALL_S, Intent};
use super::delivered::{Answer, Delivered};
use super::failure::{Failure, code};
use super::host::{Ask, Host, Purpose, Question};
use super::items::IntegrityItem;
use super::present::Presenter;
use super::reach::in_turn;
use super::text::Text;
use super::{compose, modes};
use crate::plane::{Deadline, within};
use crate::session::{Session, SessionError};

/// What to set the mode to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SetTo {
    /// Agents read and post at their human's word.
    Observe,
    /// Ends auto; the same as observe elsewhere.
    Stop,
    /// Agents may wait, and post after a yes to each text.
    Relay,
}

/// Which mode; without `set`, shows it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModeArgs {
    /// observe and stop count at once; relay asks the human first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "set_schema")]
    pub set: Option<SetTo>,
    /// Another session: id, its first 8 characters, or title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
}

fn set_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    super::schema::one_of(&["observe", "stop", "relay"])
}

/// The mode.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ModeAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// Whether this call changed it.
    pub changed: bool,
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
    /// Integrity.
    pub integrity: IntegrityItem,
    /// What the mode means now, and what to do.
    pub next: String,
}

impl Answer for ModeAnswer {
    fn text(&self) -> String {
        let mut text = Text::about(&self.title, &self.session);
        if self.changed {
            text.line("Changed.");
        }
        text.mode(&self.mode, self.budget_left, self.auto_ends_at.as_deref());
        if self.session_mode != self.mode {
            text.line(format_args!("The session's own mode: {}", self.session_mode));
        }
        if self.integrity.state != "ok" {
            text.integrity(&self.integrity);
        }
        text.closing(&[], &self.next);
        text.finish()
    }
}

/// Shows or sets the mode.
///
/// # Errors
/// No such session, a human who did not say yes, or the plane refuses.
pub async fn run(app: &App, args: ModeArgs, host: &dyn Host) -> Result<Delivered<ModeAnswer>, Failure> {
    let mut until = within(CALL_S);
    let shared = app
        .pick(host, args.session.as_deref(), Intent::Read, until)
        .await?;
    // The safe direction does not wait for anything to be read first.
    let before = {
        let mut session = in_turn(&shared, until).await?;
        if !matches!(args.set, Some(SetTo::Observe | SetTo::Stop)) {
            session.sync(until).await?;
        }
        session.plane_state().map(|state| state.mode.name)
    };
    match args.set {
        None => {}
        Some(SetTo::Observe) => {
            let mut session = in_turn(&shared, until).await?;
            session.set_mode(SettableMode::Observe, until).await?;
        }
        Some(SetTo::Stop) => stop(&mut *in_turn(&shared, until).await?, before, until).await?,
        Some(SetTo::Relay) if before == Some(ModeName::Relay) => {}
        Some(SetTo::Relay) => {
            ask_for_relay(app, &shared, host, until).await?;
            // The time a human took to answer does not count.
            until = within(CALL_S);
            let mut session = in_turn(&shared, until).await?;
            session.set_mode(SettableMode::Relay, until).await?;
        }
    }
    let session = in_turn(&shared, until).await?;
    let kept = session.kept()?;
    let presenter = Presenter::new(&session);
    let mode = modes::of(&session, &kept, app.clock.now());
    Ok(Delivered::plain(ModeAnswer {
        session: session.id().to_string(),
        title: presenter.title(),
        changed: args.set.is_some() && before.is_none_or(|before| before != mode.session),
        session_mode: modes::word(mode.session).to_owned(),
        mode: modes::word(mode.mine).to_owned(),
        budget_left: mode.budget_left,
        auto_ends_at: mode.ends_at.map(|at| at.to_string()),
        integrity: presenter.integrity(),
        next: modes::meaning(mode).to_owned(),
    }))
}

/// Ends auto, or whatever else lets agents go on. A view participant may end auto alone.
async fn stop(session: &mut Session, mode: Option<ModeName>, until: Deadline) -> Result<(), SessionError> {
    if mode == Some(ModeName::Auto) {
        return session.stop(until).await;
    }
    match session.set_mode(SettableMode::Observe, until).await {
        Err(SessionError::Plane(error)) if error.code() == Some(Code::ViewOnly) => session.stop(until).await,
        result => result,
    }
}

/// Nothing changes without this machine's human.
async fn ask_for_relay(
    app: &App,
    shared: &Mutex<Session>,
    host: &dyn Host,
    until: Deadline,
) -> Result<(), Failure> {
    let (question, short) = {
        let session = in_turn(shared, until).await?;
        let title = Presenter::new(&session).title();
        let text = format!(
            "Set the session \"{title}\" to relay? Agents in it may then wait for messages, and post texts that their own \
             human has said yes to, each one."
        );
        let question = Question {
            purpose: Purpose::Relay,
            session: title,
            text,
            subject: format!("relay {}", session.id()),
        };
        (
            question,
            session.id().to_string().chars().take(8).collect::<String>(),
        )
    };
    match host.ask(&question).await {
        Ask::Yes => Ok(()),
        Ask::CannotAsk => Err(Failure::new(
            code::CANNOT_ASK,
            "This host can't ask its human, so the mode was not changed. Ask your human to run this in their own terminal; \
             do not run it yourself.",
        )
        .with_command(app.command(&format!("mode relay --session {short}")))),
        other => Err(compose::refused(other, "The mode was not changed.")),
    }
}
