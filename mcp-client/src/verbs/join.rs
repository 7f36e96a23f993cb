//! `join`: takes a link from the argument, the clipboard or the environment, and comes in.

use std::sync::Arc;

use schemars::JsonSchema;
use seal::link::Link;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use wire::epoch_record::EpochType;
use wire::event::Kind;
use zeroize::Zeroizing;

use super::app::App;
use super::choose::{CALL_S, Intent, Taken};
use super::delivered::{Answer, Delivered, Due, Reached, Shown};
use super::failure::{Failure, code};
use super::host::Host;
use super::items::{IntegrityItem, JoinCard};
use super::knocking::Knocking;
use super::links::{self, Places};
use super::present::{self, Presenter};
use super::proposals::{self, ProposalItem};
use super::reach::in_turn;
use super::text::Text;
use super::{modes, wording};
use crate::plane::{BadOrigin, Deadline, Origin, PlaneError, within};
use crate::seat::{Place, SeatSummary};
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
    /// argument, stdin, clipboard, environment or seat: where the way in came from.
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
    /// When auto ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub auto_ends_at: Option<String>,
    /// The open proposal to go to auto.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ProposalItem")]
    pub proposal: Option<ProposalItem>,
    /// Who is here, how much there is, the hand-off, pinned, unanswered and latest messages.
    pub card: JoinCard,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// Of relay and auto: the shell command that sleeps, without a model turn, until somebody else has posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub listen: Option<String>,
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
        text.mode(&self.mode, self.budget_left, self.auto_ends_at.as_deref());
        text.proposal(self.proposal.as_ref());
        text.integrity(&self.integrity);
        text.card(&self.card);
        text.listen(self.listen.as_deref());
        text.closing(&self.warnings, &self.next);
        text.finish()
    }
}

/// Joins. Before a door that asks it knocks, and goes on knocking as long as the host may wait.
///
/// # Errors
/// No link, a damaged one, different ones, or the plane refuses; `knocking` where nobody has answered at the door. Nothing
/// found beside a link is repeated.
pub async fn run(app: &App, args: JoinArgs, host: &dyn Host) -> Result<Delivered<JoinAnswer>, Failure> {
    let found = links::find(&places(app, &args).await, args.source, host.face(), host.kind())?;
    let origin: Origin = found.link.origin.parse().map_err(|error: BadOrigin| {
        Failure::new(
            seal::Error::LinkInsecure.name(),
            format!("The link's host: {error}."),
        )
    })?;
    let knocking = Knocking::begin(host);
    let came = loop {
        let until = knocking.until();
        match come_in(app, &args, host, &found.link, &origin, until).await {
            Ok(came) => break came,
            Err(failure) => knocking.pause(host, failure).await?,
        }
    };
    let until = within(CALL_S);
    let mut session = in_turn(&came.session, until).await?;
    let answer = card(
        app,
        host,
        &mut session,
        came.joined,
        found.source,
        came.warnings,
        until,
    )
    .await?;
    let mode = modes::of(&session, &*session.kept()?, app.clock.now());
    // An auto that is over is not what the card is about.
    let shown = Shown::new(
        *session.id(),
        host.reader(),
        &mode,
        Some(Reached {
            seq: session.head().seq,
            begun: None,
        }),
        true,
    );
    Ok(Delivered::with(answer, Due::Shown(shown)))
}

/// Who is in.
struct Came {
    session: Arc<Mutex<Session>>,
    joined: bool,
    warnings: Vec<String>,
}

/// One try: by a seat of this machine, else as somebody new.
async fn come_in(
    app: &App,
    args: &JoinArgs,
    host: &dyn Host,
    link: &Link,
    origin: &Origin,
    until: Deadline,
) -> Result<Came, Failure> {
    let _entrance = app.entrance(until).await?;
    let place = Place::of(host.folder());
    let mut listing = app.list()?;
    let id = link.session_id;
    // A link's host wins: nothing that a seat at another plane holds is sent there.
    let elsewhere = |seat: &SeatSummary| seat.session == id && seat.plane != *origin;
    let other = listing
        .seats
        .iter()
        .find(|seat| elsewhere(seat))
        .map(|seat| seat.plane.clone());
    listing.seats.retain(|seat| !elsewhere(seat));
    let held = match app.held(&id).await {
        Some(session) if in_turn(&session, until).await?.kept()?.plane == *origin => Some(session),
        _ => None,
    };
    let known = match held {
        Some(session) => Some(Taken {
            session,
            joined: false,
        }),
        None => {
            let intent = Intent::Enter(Some(link));
            app.take_seat(host, &listing, &place, &id, intent, until).await?
        }
    };
    let Some(Taken { session, joined }) = known else {
        let name = args
            .name
            .clone()
            .unwrap_or_else(|| app.config.display_name(&app.environment));
        let newcomer = app.newcomer(host, &place, name)?;
        let mut session = Session::join(&app.entering(until), origin.clone(), link, newcomer)
            .await
            .map_err(|error| not_joined(error, origin))?;
        let lease = session.take_lease();
        return Ok(Came {
            session: app.hold(session, lease).await,
            joined: true,
            warnings: other
                .map(|other| beside_another_plane(&other, origin))
                .into_iter()
                .collect(),
        });
    };
    let mut warnings = Vec::new();
    let mut open = in_turn(&session, until).await?;
    if open.gains_from(link)? {
        open.return_with(link, until)
            .await
            .map_err(|error| not_joined(error, origin))?;
    } else if !joined {
        let was_sound = open.alarm().is_none();
        check_anew(&mut open, until).await?;
        // Whoever is out comes in by no old link, and must not be shown as being in.
        if let Err(error @ (SessionError::Removed | SessionError::AdminRekeyed)) = open.sync(until).await {
            return Err(wording::session(error));
        }
        if was_sound {
            // An alarm of this very moment may be for a fault of this machine as well.
            check_anew(&mut open, until).await?;
        }
        warnings.extend(app.sync_softly(&mut open, until).await?);
    }
    drop(open);
    if !joined {
        warnings.push("This machine has a seat in this session already; here is its card again.".to_owned());
    }
    Ok(Came {
        session,
        joined,
        warnings,
    })
}

/// What does not hold is said by the answer's integrity.
async fn check_anew(open: &mut Session, until: Deadline) -> Result<(), Failure> {
    match open.check_anew(until).await {
        Ok(()) | Err(SessionError::Failed(_) | SessionError::Plane(_)) => Ok(()),
        Err(error) => Err(wording::session(error)),
    }
}

/// That this machine was in the session by another address, which may be the same plane or somebody's copy of it.
fn beside_another_plane(other: &Origin, origin: &Origin) -> String {
    format!(
        "This machine has a seat in this session at {other} as well. The link leads to {origin}, so you joined there as a new \
         participant; nothing of the other seat was sent. If the plane has moved, its user can go on with the old seat by \
         `[moved]` in config.toml."
    )
}

async fn card(
    app: &App,
    host: &dyn Host,
    session: &mut Session,
    joined: bool,
    source: &str,
    mut warnings: Vec<String>,
    until: Deadline,
) -> Result<JoinAnswer, Failure> {
    let rows = app.participants(session, until).await;
    let kept = session.kept()?;
    let presenter = Presenter::new(session);
    let mode = modes::of(session, &kept, app.clock.now());
    warnings.extend(administered(session, host));
    warnings.extend(modes::session_over(mode));
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
        auto_ends_at: mode.ends_at.map(|at| at.to_string()),
        proposal: proposals::open(session, &presenter),
        card: presenter.card(&rows, CARD_BYTES),
        integrity: presenter.integrity(),
        listen: app.listen_in(session, mode),
        warnings,
        next: match mode.gone {
            Some(_) => match host.reader() {
                Kind::Agent => "Nothing more comes in this session. Tell your human.".to_owned(),
                Kind::Human => "Nothing more comes in this session.".to_owned(),
            },
            None => modes::meaning(mode, host.reader(), host.face()),
        },
    })
}

/// An administrator's re-key puts people together anew: whoever comes in by its link is told, and decides.
fn administered(session: &Session, host: &dyn Host) -> Option<String> {
    let reach = session.reach().ok()?;
    if session.epoch_type() != Some(EpochType::AdminRekey) {
        return None;
    }
    let when = reach.began.map_or_else(String::new, |(seq, at)| {
        format!(" on {} (#{seq})", present::moment(&at.to_string()))
    });
    let decides = match host.kind() {
        Kind::Agent => "Tell your human, who decides whether to go on here",
        Kind::Human => "Whether to go on here is yours to decide",
    };
    Some(format!(
        "An administrator re-keyed this session{when}: the link is the administrator's, and there is no owner any more. \
         {decides}."
    ))
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
