//! `share`: makes a session, seals the hand-off as its first message, and puts the note in the user's hands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::event::Kind;

use super::app::App;
use super::choose::{CALL_S, Intent};
use super::delivered::{Answer, Delivered, Due};
use super::failure::Failure;
use super::host::Host;
use super::present::Presenter;
use super::proposals::{self, ProposalItem};
use super::reach::in_turn;
use super::text::Text;
use super::{compose, modes, sharing, wording};
use crate::clipboard::Outcome;
use crate::plane::{Deadline, within};
use crate::render;
use crate::session::Session;

/// What to share. Without `session`, `title` and `context` are needed.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShareArgs {
    /// Short title, sealed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub title: Option<String>,
    /// What the other side needs to know; becomes the first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub context: Option<String>,
    /// Name of whoever gets the note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub with: Option<String>,
    /// Names of files it is about; contents are not sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Make the note's link read-only.
    #[serde(default)]
    pub view_only: bool,
    /// Make the note again for this session instead of creating one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
    /// Put the link into the answer. It then goes to the model's provider at every later turn.
    #[serde(default)]
    pub reveal_link: bool,
}

/// Its context may hold what the guard refuses.
impl std::fmt::Debug for ShareArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ShareArgs")
    }
}

/// A session is shared, and where its note is.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
pub struct ShareAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// Its mode.
    pub mode: String,
    /// Until when it lives unless somebody writes.
    pub expires_at: String,
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
    /// Whether a new session was made; false for the same call repeated and for `session`.
    pub created: bool,
    /// full or view: what the note's link allows.
    pub link_allows: String,
    /// confirmed, not_confirmed or none: whether the note is on the clipboard.
    pub clipboard: String,
    /// The file that holds the note. Don't open it; it contains the link.
    pub handoff_file: String,
    /// The link was kept out of this answer.
    pub link_withheld: bool,
    /// The link, only when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub link: Option<String>,
    /// The seq of the hand-off message, if one was posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub seq: Option<u64>,
    /// Of relay and auto: the shell command that sleeps, without a model turn, until somebody else has posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub listen: Option<String>,
    /// What else to know, such as that the link opens on this machine only.
    pub warnings: Vec<String>,
    /// What to do now.
    pub next: String,
    /// Whether a person reads the text.
    #[serde(skip)]
    pub(crate) for_a_person: bool,
}

/// May hold the link.
impl std::fmt::Debug for ShareAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ShareAnswer")
    }
}

impl Answer for ShareAnswer {
    fn text(&self) -> String {
        let mut text = Text::about(&self.title, &self.session);
        text.line(match self.created {
            true => "The session is made.",
            false => "The session was there already; its note was made again.",
        });
        text.mode(&self.mode, self.budget_left, self.auto_ends_at.as_deref());
        text.line(format_args!(
            "Open until {} unless somebody writes.",
            self.expires_at
        ));
        text.line(match self.clipboard.as_str() {
            "confirmed" => "The note is on the clipboard.",
            "not_confirmed" => "Whether the note is on the clipboard could not be confirmed: use the file.",
            _ => "There is no clipboard here: use the file.",
        });
        text.line(format_args!("The note as a file: {}", self.handoff_file));
        match &self.link {
            Some(link) => text.line(link),
            // A person opens it.
            None if self.for_a_person => {
                text.line("The link was withheld from this answer; it is in that file.")
            }
            None => text.line(
                "The link was withheld from this answer. Do not open that file; tell the user to send it.",
            ),
        }
        text.proposal(self.proposal.as_ref());
        text.listen(self.listen.as_deref());
        text.closing(&self.warnings, &self.next);
        text.finish()
    }
}

/// Shares.
///
/// # Errors
/// No plane or token is known, an argument is missing or too long, or the plane refuses.
pub async fn run(app: &App, args: ShareArgs, host: &dyn Host) -> Result<Delivered<ShareAnswer>, Failure> {
    let mut handoff = sharing::handoff(&args, host)?;
    let mut until = within(CALL_S);
    // Over the whole call: the same one made at once must find the session, and its context posted.
    let mut _entrance = None;
    let (shared, created) = match &args.session {
        Some(named) => (app.pick(host, Some(named), Intent::Decide, until).await?, false),
        None => {
            _entrance = Some(app.entrance(until).await?);
            sharing::session_for(app, &args, handoff.as_mut(), host, until).await?
        }
    };
    if created {
        // The time a human took to answer does not count.
        until = within(CALL_S);
    }
    let mut warnings = Vec::new();
    if args.session.is_some() {
        // Before a context is posted, and before a link that opens nothing is handed on.
        warnings.extend(goes_on(app, &mut *in_turn(&shared, until).await?, until).await?);
    }
    let seq = match handoff {
        Some(handoff)
            if created
                || args.session.is_some()
                || !sharing::has_handoff(&shared, &handoff.message().text, until).await? =>
        {
            let sent = compose::post(app, &shared, host, handoff, until).await?;
            until = sent.until;
            warnings.extend(sent.warnings);
            Some(sent.stored.seq)
        }
        _ => None,
    };
    if created && args.context.as_deref().is_none_or(render::is_blank) {
        warnings.push(format!(
            "The hand-off is empty: nothing of what the others need to know was given. Write it to them with {}.",
            host.face().call("post")
        ));
    }
    let mut session = in_turn(&shared, until).await?;
    // A link is of the epoch in force, which may have moved while nothing was read here.
    if args.session.is_none() && (!created || session.plane_state().is_none()) {
        warnings.extend(app.sync_softly(&mut session, until).await?);
    }
    let note = sharing::make_note(app, &mut session, &args, host).await?;
    let kept = session.kept()?;
    let presenter = Presenter::new(&session);
    let mode = modes::of(&session, &kept, app.clock.now());
    if kept.plane.is_loopback() {
        warnings.push(format!(
            "This link opens on this machine only. To share with another machine, host a plane that both can reach \
             (`devpilot-plane serve --public-url https://YOUR.HOST`), connect to it (`{}`), and share again.",
            app.command("connect https://YOUR.HOST")
        ));
    }
    if args.reveal_link {
        warnings.push(
            "The link stands in this answer, so it is now context that goes to the model's provider at every later turn."
                .to_owned(),
        );
    }
    let clipboard = match note.clipboard {
        Outcome::Confirmed => "confirmed",
        Outcome::NotConfirmed => "not_confirmed",
        Outcome::Unavailable => "none",
    };
    let what = match (note.clipboard, host.reader()) {
        (Outcome::Confirmed, Kind::Agent) => {
            "Tell the user: the note is on the clipboard, ready to be sent to the other person."
        }
        (_, Kind::Agent) => "Tell the user to open the handoff file and send its text to the other person.",
        (Outcome::Confirmed, Kind::Human) => {
            "The note is on the clipboard: send it to the other person, as you would send a password."
        }
        (_, Kind::Human) => {
            "Open the handoff file and send its text to the other person, as you would send a password."
        }
    };
    let answer = ShareAnswer {
        session: session.id().to_string(),
        title: presenter.title(),
        mode: modes::word(mode.mine).to_owned(),
        expires_at: kept.expires_at.map(|at| at.to_string()).unwrap_or_default(),
        budget_left: mode.budget_left,
        auto_ends_at: mode.ends_at.map(|at| at.to_string()),
        proposal: proposals::open(&session, &presenter),
        created,
        link_allows: if note.view_only { "view" } else { "full" }.to_owned(),
        clipboard: clipboard.to_owned(),
        handoff_file: note.file.display().to_string(),
        link_withheld: !args.reveal_link,
        link: args.reveal_link.then(|| note.link.to_string()),
        seq,
        listen: app.listen_in(&session, mode),
        warnings,
        for_a_person: host.reader() == Kind::Human,
        next: format!("{what} {}", modes::meaning(mode, host.reader(), host.face())),
    };
    let due = Due::Posted {
        session: *session.id(),
    };
    Ok(Delivered::with(answer, due))
}

/// The session whose note is to be made again: its id, and its title made safe for display. Before a person is asked for a
/// word.
///
/// # Errors
/// No such session, several that could be meant, or it is over.
pub(crate) async fn to_hand_on(
    app: &App,
    named: Option<&str>,
    host: &dyn Host,
) -> Result<(String, String), Failure> {
    let until = within(CALL_S);
    let shared = app.pick(host, named, Intent::Decide, until).await?;
    let mut session = in_turn(&shared, until).await?;
    goes_on(app, &mut session, until).await?;
    Ok((session.id().to_string(), Presenter::new(&session).title()))
}

/// Reads on, and refuses a session that is over: its links open nothing any more.
async fn goes_on(app: &App, session: &mut Session, until: Deadline) -> Result<Vec<String>, Failure> {
    let warnings = app.sync_softly(session, until).await?;
    match session.end(&*session.kept()?) {
        Some(end) => Err(wording::is_over(end)),
        None => Ok(warnings),
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer as _, ShareAnswer};

    #[test]
    fn a_note_that_could_not_be_confirmed_or_copied_is_in_the_file() {
        for (clipboard, said) in [
            ("not_confirmed", "could not be confirmed"),
            ("none", "no clipboard here"),
        ] {
            let answer = ShareAnswer {
                session: "6f1c1f5e-3c0f-4a51-9d6e-2a4c8b1e7f30".to_owned(),
                title: "Flaky login test".to_owned(),
                mode: "observe".to_owned(),
                expires_at: "2026-03-04T05:06:07.890Z".to_owned(),
                budget_left: None,
                auto_ends_at: None,
                proposal: None,
                created: true,
                link_allows: "full".to_owned(),
                clipboard: clipboard.to_owned(),
                handoff_file: "/home/ada/.devpilot/handoffs/note.md".to_owned(),
                link_withheld: true,
                link: None,
                seq: None,
                listen: None,
                warnings: Vec::new(),
                next: String::new(),
                for_a_person: false,
            };
            let text = answer.text();
            for part in [said, "use the file", "/home/ada/.devpilot/handoffs/note.md"] {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
    }
}
