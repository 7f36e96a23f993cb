//! The parts of `share`: one session for the same call repeated, and the note in the user's hands.

use std::path::PathBuf;
use std::sync::Arc;

use seal::link::Link;
use seal::secret::LinkKind;
use tokio::sync::Mutex;
use wire::encoding::Bytes32;
use wire::event::Kind;
use wire::sizes::SMALL_JSON_MAX;
use wire::transcript::sha256;
use zeroize::Zeroizing;

use super::app::App;
use super::choose::CALL_S;
use super::failure::{Failure, code};
use super::host::{Face, Host};
use super::reach::in_turn;
use super::secrets::{self, Guarded};
use super::share::ShareArgs;
use super::{by_hand, present, wording};
use crate::clipboard::holder::Holder;
use crate::clipboard::{self, Outcome};
use crate::note::{self, Note};
use crate::plane::{Deadline, within};
use crate::render;
use crate::seat::{Place, ShareMark};
use crate::session::Session;
use crate::session::message::Message;

/// Room that a title leaves for the JSON around it.
const TITLE_MAX: usize = SMALL_JSON_MAX - 16;

/// With which a person shares a credential, for whom it was to be shared (input that is no terminal counts as an agent's), and
/// all else as it was said: a link that was to be read only must not become another.
fn allowing(args: &ShareArgs, host: &dyn Host) -> String {
    let mut line = format!("share --allow-secrets --as {}", present::kind_word(host.kind()));
    // Without a title nothing is shared.
    let title = args
        .title
        .as_deref()
        .filter(|title| !title.contains(char::is_control));
    by_hand::option(&mut line, "title", title.unwrap_or("TITLE"), "TITLE");
    if let Some(with) = &args.with {
        by_hand::option(&mut line, "with", with, "NAME");
    }
    for path in &args.paths {
        by_hand::option(&mut line, "path", path, "PATH");
    }
    if args.view_only {
        line.push_str(" --view-only");
    }
    line
}

/// A note that was made.
pub(super) struct Made {
    pub(super) clipboard: Outcome,
    pub(super) file: PathBuf,
    pub(super) link: Zeroizing<String>,
    pub(super) view_only: bool,
}

/// What is posted first, as the guard has seen it. What stands in the note may hold no credential at all.
pub(super) fn handoff(args: &ShareArgs, host: &dyn Host) -> Result<Option<Guarded>, Failure> {
    for (name, text) in [("title", &args.title), ("with", &args.with)] {
        if let Some(text) = text {
            secrets::refuse(name, text, "Nothing was shared")?;
        }
    }
    let Some(context) = &args.context else {
        return Ok(None);
    };
    let message = Message {
        kind: "note".to_owned(),
        text: context.clone(),
        paths: args.paths.clone(),
        ..Message::default()
    };
    let guarded = Guarded::new(message, host.face().input("context"))?;
    guarded.may_be_allowed(host, &allowing(args, host))?;
    Ok(Some(guarded))
}

/// The session of a call without `session`: the one that the same call made within ten minutes, or a new one.
pub(super) async fn session_for(
    app: &App,
    args: &ShareArgs,
    handoff: Option<&mut Guarded>,
    host: &dyn Host,
    mut until: Deadline,
) -> Result<(Arc<Mutex<Session>>, bool), Failure> {
    let title = args
        .title
        .as_deref()
        .map(str::trim)
        .filter(|title| !render::is_blank(title));
    let (Some(title), Some(_)) = (title, &args.context) else {
        return Err(match host.face() {
            Face::Tools => Failure::new(
                code::BAD_ARGUMENT,
                "A new session needs `title` and `context`; to make the note of an earlier one again, name it with `session`.",
            ),
            Face::CommandLine => Failure::new(
                code::BAD_ARGUMENT,
                "A new session needs a title. To make the note of an earlier one again:",
            )
            .with_command("link"),
        });
    };
    let title_json = serde_json::to_string(title).unwrap_or_default();
    if title_json.len() > TITLE_MAX {
        return Err(Failure::new(
            seal::Error::TooLarge.name(),
            format!(
                "The title has {} bytes and a session takes {TITLE_MAX}. Put the rest into the {}.",
                title_json.len(),
                match host.face() {
                    Face::Tools => "`context`",
                    Face::CommandLine => "hand-off, on standard input",
                }
            ),
        ));
    }
    let plane = app.share_plane()?;
    let machine = app.machine_token(&plane)?;
    let place = Place::of(host.folder());
    let listing = app.list()?;
    let fingerprint = fingerprint(args);
    let now = app.clock.now();
    let repeated = listing
        .seats
        .iter()
        .find(|seat| seat.kind == host.kind() && seat.is_repeat_of(&fingerprint, now));
    if let Some(seat) = repeated {
        let id = seat.session;
        if let Some(session) = app.held(&id).await {
            return Ok((session, false));
        }
        let taken = app
            .take_seat(
                host,
                &listing,
                &place,
                &id,
                super::choose::Intent::Enter(None),
                until,
            )
            .await?;
        if let Some(taken) = taken {
            return Ok((taken.session, false));
        }
    }
    let name = app.config.display_name(&app.environment);
    let newcomer = app.newcomer(host, &place, name)?;
    if let Some(handoff) = handoff.filter(|handoff| handoff.open().is_some()) {
        handoff.allow(host, title, &allowing(args, host)).await?;
        until = within(CALL_S);
    }
    let mark = ShareMark {
        fingerprint,
        at: now,
        context: None,
    };
    let mut session = Session::create(&app.entering(until), plane, &machine, title, newcomer, mark).await?;
    let lease = session.take_lease();
    Ok((app.hold(session, lease).await, true))
}

/// Whether the context is posted already, by this seat or by another of this machine that made the same call: a repeated
/// call does not post it again.
pub(super) async fn has_handoff(
    session: &Mutex<Session>,
    context: &str,
    until: Deadline,
) -> Result<bool, Failure> {
    let session = in_turn(session, until).await?;
    let mut messages = session.view().messages();
    Ok(messages
        .any(|(_, posted)| posted.mine || posted.text().is_some_and(|message| message.text == context)))
}

/// Makes the note, puts it on the clipboard and into a handoff file. The file is there whatever the clipboard does.
pub(super) async fn make_note(
    app: &App,
    session: &mut Session,
    args: &ShareArgs,
    host: &dyn Host,
) -> Result<Made, Failure> {
    let kept = session.kept()?;
    let keys = session
        .keys()
        .newest()
        .ok_or_else(|| Failure::new(code::INTERNAL, "This seat has no keys."))?;
    // A seat that came by a view link has nothing else to hand on.
    let kind = if args.view_only {
        LinkKind::View
    } else {
        keys.kind()
    };
    let secret = keys
        .link_secret(kind)
        .ok_or_else(|| Failure::new(code::INTERNAL, "This seat has no secret to make a link of."))?;
    let link = Link {
        origin: kept.plane.to_string(),
        session_id: *session.id(),
        epoch: keys.epoch(),
        secret,
    }
    .to_text();
    let title = session.title().or_else(|| kept.title.clone()).unwrap_or_default();
    let note = Note {
        from: &kept.name,
        with: args.with.as_deref(),
        title: &title,
        expires_at: kept.expires_at.unwrap_or_else(|| app.clock.now()),
        plane: &kept.plane,
        view_only: kind == LinkKind::View,
        command: note::COMMAND,
        link: &link,
    }
    .text();
    let file = note::handoff::write(&app.home, &title, app.clock.now(), &note).map_err(wording::home)?;
    let kept_file = file.clone();
    session.change(|state| state.handoffs.push(kept_file)).await?;
    Ok(Made {
        clipboard: put(app, host, &note).await,
        file,
        view_only: kind == LinkKind::View,
        link,
    })
}

/// A server keeps the note on the clipboard itself; a command leaves a process behind that does.
async fn put(app: &App, host: &dyn Host, note: &str) -> Outcome {
    if host.lives_on() {
        return app.clipboard.write_confirmed(note).await;
    }
    let outcome = match Holder::this_program() {
        Ok(holder) => holder.hand_over(note, &app.environment).await,
        Err(_) => Outcome::Unavailable,
    };
    // The escape sequence carries the note, and an agent's shell reads its terminal back.
    let by_terminal = app.clipboard.is_on() && host.kind() == Kind::Human;
    match outcome {
        Outcome::Unavailable if by_terminal => clipboard::through_terminal(note, &app.environment),
        other => other,
    }
}

/// SHA-256 over what makes a call the same call.
fn fingerprint(args: &ShareArgs) -> Bytes32 {
    let same = ShareArgs {
        reveal_link: false,
        ..args.clone()
    };
    Bytes32(sha256(&serde_json::to_vec(&same).unwrap_or_default()))
}
