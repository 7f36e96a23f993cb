//! `join`: takes a link from the argument, the clipboard or the environment, and comes in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use zeroize::Zeroizing;

use super::app::App;
use super::choose::{CALL_S, Intent, Taken};
use super::delivered::{Answer, Delivered, Due};
use super::failure::{Failure, code};
use super::host::Host;
use super::items::{IntegrityItem, JoinCard};
use super::links::{self, Places};
use super::present::{self, Presenter};
use super::reach::in_turn;
use super::text::Text;
use super::{modes, wording};
use crate::plane::{BadOrigin, Deadline, Origin, PlaneError, within};
use crate::seat::Place;
use crate::session::{Session, SessionError};

/// Bytes of an answer.
const CARD_BYTES: usize = 24_000;

/// Where a link is taken from when the argument has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkSource {
    /// The clipboard.
    Clipboard,
    /// `DEVPILOT_SESSION_LINK`.
    Environment,
}

/// How to come in.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinArgs {
    /// The whole note. Better leave out: the clipboard is read, and the link stays out of this conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub link: Option<String>,
    /// Which to use when clipboard and environment differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "source_schema")]
    pub source: Option<LinkSource>,
    /// Name to show to the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub name: Option<String>,
}

impl std::fmt::Debug for JoinArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JoinArgs")
    }
}

fn source_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    super::schema::one_of(&["clipboard", "environment"])
}

/// The join card.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct JoinAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// The name this seat goes by.
    pub me: String,
    /// This seat's participant id.
    pub my_id: String,
    /// argument, clipboard, environment or seat: where the way in came from.
    pub source: String,
    /// False where this machine already had a seat.
    pub joined: bool,
    /// full or view.
    pub capability: String,
    /// Whether this seat may write.
    pub may_write: bool,
    /// The mode as it is for this seat.
    pub mode: String,
    /// Posts left in auto.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub budget_left: Option<u32>,
    /// Who is here, how much there is, the hand-off, pinned, unanswered and latest messages.
    pub card: JoinCard,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// What else to know.
    pub warnings: Vec<String>,
    /// What to do now.
    pub next: String,
}

impl Answer for JoinAnswer {
    fn text(&self) -> String {
        let mut text = Text::about(&self.title, &self.session);
        let how = if self.joined { "Joined" } else { "Already in" };
        let write = if self.may_write {
            "may write"
        } else {
            "may read only"
        };
        text.line(format_args!(
            "{how} as \"{}\" (link from: {}), {write}.",
            self.me, self.source
        ));
        text.mode(&self.mode, self.budget_left, None);
        text.integrity(&self.integrity);
        text.card(&self.card);
        text.closing(&self.warnings, &self.next);
        text.finish()
    }
}

/// Joins.
///
/// # Errors
/// No link, a damaged one, different ones, or the plane refuses. Nothing found beside a link is repeated.
pub async fn run(app: &App, args: JoinArgs, host: &dyn Host) -> Result<Delivered<JoinAnswer>, Failure> {
    let until = within(CALL_S);
    let _entrance = app.entrance(until).await?;
    let found = links::find(&places(app, &args).await, args.source)?;
    let origin: Origin = found.link.origin.parse().map_err(|error: BadOrigin| {
        Failure::new(
            seal::Error::LinkInsecure.name(),
            format!("The link's host: {error}."),
        )
    })?;
    let place = Place::of(host.folder());
    let listing = app.list()?;
    let id = found.link.session_id;
    let known = match app.held(&id).await {
        Some(session) => Some(Taken {
            session,
            joined: false,
        }),
        None => {
            app.take_seat(host, &listing, &place, &id, Intent::Post, until)
                .await?
        }
    };
    let had_seat = known.is_some();
    let (shared, joined) = match known {
        Some(taken) => (taken.session, taken.joined),
        None => {
            let name = args
                .name
                .clone()
                .unwrap_or_else(|| app.config.display_name(&app.environment));
            let newcomer = app.newcomer(host, &place, name);
            let session = Session::join(&app.entering(until), origin.clone(), &found.link, newcomer)
                .await
                .map_err(|error| not_joined(error, &origin))?;
            let lease = if host.lives_on() {
                session.seat().try_lease()
            } else {
                Ok(None)
            };
            let lease = lease.map_err(|error| wording::seat(&error))?;
            (app.hold(session, lease).await, true)
        }
    };
    let mut session = in_turn(&shared, until).await?;
    let mut warnings = Vec::new();
    if had_seat {
        if session.gains_from(&found.link)? {
            session
                .return_with(&found.link, until)
                .await
                .map_err(|error| not_joined(error, &origin))?;
        } else {
            match session.check_anew(until).await {
                // Said by the answer's integrity.
                Ok(()) | Err(SessionError::Failed(_) | SessionError::Plane(_)) => {}
                Err(error) => return Err(wording::session(error)),
            }
            warnings.extend(app.sync_softly(&mut session, until).await?);
        }
    }
    if !joined {
        warnings.push("This machine has a seat in this session already; here is its card again.".to_owned());
    }
    let answer = card(app, &mut session, joined, found.source, warnings, until).await?;
    let due = Due::Cursor {
        session: id,
        to: session.head().seq,
    };
    Ok(Delivered::with(answer, due))
}

async fn card(
    app: &App,
    session: &mut Session,
    joined: bool,
    source: &str,
    warnings: Vec<String>,
    until: Deadline,
) -> Result<JoinAnswer, Failure> {
    let rows = app.participants(session, until).await;
    let kept = session.kept()?;
    let presenter = Presenter::new(session);
    let mode = modes::of(session, &kept, app.clock.now());
    Ok(JoinAnswer {
        session: session.id().to_string(),
        title: presenter.title(),
        me: presenter.name(session.my_id()),
        my_id: session.my_id().to_string(),
        source: source.to_owned(),
        joined,
        capability: present::capability_word(kept.capability).to_owned(),
        may_write: session.may_write(),
        mode: modes::word(mode.mine).to_owned(),
        budget_left: mode.budget_left,
        card: presenter.card(&rows, CARD_BYTES),
        integrity: presenter.integrity(),
        warnings,
        next: modes::meaning(mode).to_owned(),
    })
}

async fn places(app: &App, args: &JoinArgs) -> Places {
    if let Some(link) = &args.link {
        return Places {
            argument: Some(Zeroizing::new(link.clone())),
            ..Places::default()
        };
    }
    Places {
        argument: None,
        clipboard: app.clipboard.read().await,
        environment: app.environment.get(links::VARIABLE).map(Zeroizing::new),
    }
}

/// A loopback link that nobody answers was made on another machine.
fn not_joined(error: SessionError, origin: &Origin) -> Failure {
    match &error {
        SessionError::Plane(PlaneError::Unreachable { refused: true, .. }) if origin.is_loopback() => {
            Failure::new(
                code::LOOPBACK,
                "This link points to the sender's own machine, and nothing listens there on this one. Ask the sender to share \
             on a plane that both of you can reach.",
            )
        }
        _ => wording::session(error),
    }
}
