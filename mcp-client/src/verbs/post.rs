//! `post`: seals and signs one message, and appends it once however often it is retried.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use wire::event::ModeName;

use super::app::App;
use super::choose::{CALL_S, Intent};
use super::delivered::{Answer, Delivered, Due};
use super::failure::{Failure, code};
use super::host::{Face, Host};
use super::items::IntegrityItem;
use super::present::Presenter;
use super::reach::in_turn;
use super::secrets::Guarded;
use super::text::Text;
use super::{by_hand, compose, modes, people};
use crate::plane::{Deadline, within};
use crate::render;
use crate::session::Session;
use crate::session::message::{Message, POSTABLE_KINDS};

/// What to post.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PostArgs {
    /// The text.
    pub text: String,
    /// Default chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "kind_schema")]
    pub kind: Option<String>,
    /// A topic to file it under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub topic: Option<String>,
    /// Whom it is for: names or ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// Seq of the message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub reply_to: Option<u64>,
    /// Names of files it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Keep it on the join card.
    #[serde(default)]
    pub pin: bool,
    /// Tells readers whether there is more to do for you.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "signal_schema")]
    pub signal: Option<String>,
    /// Another session: id, its first 8 characters, or title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
}

/// Its text may hold what the guard refuses.
impl std::fmt::Debug for PostArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PostArgs")
    }
}

fn kind_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    super::schema::one_of(POSTABLE_KINDS)
}

fn signal_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    super::schema::one_of(&["continue", "done", "blocked"])
}

/// The message is stored.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PostAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// The message's number.
    pub seq: u64,
    /// The mode as it is for this seat, after the post.
    pub mode: String,
    /// Posts left in auto.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub budget_left: Option<u32>,
    /// When auto ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub auto_ends_at: Option<String>,
    /// Who was listening a moment ago, by the plane's word.
    pub listening: Vec<String>,
    /// Who is here and was not listening: they see it when they next read.
    pub not_listening: Vec<String>,
    /// approved, host_prompt (the host's own permission prompt was the question) or not_needed.
    pub human: String,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// What else to know.
    pub warnings: Vec<String>,
}

impl Answer for PostAnswer {
    fn text(&self) -> String {
        let mut text = Text::about(&self.title, &self.session);
        text.line(format_args!("Posted as {}.", self.seq));
        text.mode(&self.mode, self.budget_left, self.auto_ends_at.as_deref());
        let list = |names: &[String]| {
            names
                .iter()
                .map(|name| format!("\"{name}\""))
                .collect::<Vec<_>>()
                .join(", ")
        };
        if !self.listening.is_empty() {
            text.line(format_args!("Listening a moment ago: {}", list(&self.listening)));
        }
        if !self.not_listening.is_empty() {
            text.line(format_args!(
                "Not listening then, will see it at the next read: {}",
                list(&self.not_listening)
            ));
        }
        if self.integrity.state != "ok" {
            text.integrity(&self.integrity);
        }
        text.closing(&self.warnings, "");
        text.finish()
    }
}

/// Refuses what can be refused before anybody writes a text: all arguments but `text`, and a caller without a seat.
///
/// # Errors
/// As [`run`].
pub async fn prepare(app: &App, args: &PostArgs, host: &dyn Host) -> Result<(), Failure> {
    check(args, host.face())?;
    let until = within(CALL_S);
    let shared = app
        .pick(host, args.session.as_deref(), Intent::Post, until)
        .await?;
    answers_a_message(&mut *in_turn(&shared, until).await?, args.reply_to, until).await
}

/// Refuses an answer to what is no message. One that this seat has not fetched yet is looked for first; what came before all
/// that it holds, nobody here can look up.
async fn answers_a_message(
    session: &mut Session,
    reply_to: Option<u64>,
    until: Deadline,
) -> Result<(), Failure> {
    let Some(seq) = reply_to else { return Ok(()) };
    if session.view().at(seq).is_none() && seq > session.head().seq {
        session.sync(until).await?;
    }
    let bad = |text: String| Err(Failure::new(code::BAD_ARGUMENT, text));
    match session.view().at(seq) {
        Some(entry) if entry.message().is_some() => Ok(()),
        Some(_) => bad(format!(
            "{seq} is no message but something that happened, which can't be answered. Nothing was posted; give the number of a \
             message."
        )),
        None if seq <= session.base() => Ok(()),
        None => {
            let newest = session.view().messages().next_back();
            let newest = newest.map_or_else(
                || "there is none at all".to_owned(),
                |(entry, _)| format!("the newest is {}", entry.seq),
            );
            bad(format!(
                "There is no message {seq} here; {newest}. Nothing was posted."
            ))
        }
    }
}

/// Posts.
///
/// # Errors
/// An argument that can't be, a text too long, a human who did not say yes, or the plane refuses. After an open end
/// nothing is lost: the same call again is the same message.
pub async fn run(app: &App, args: PostArgs, host: &dyn Host) -> Result<Delivered<PostAnswer>, Failure> {
    let (kind, signal) = check(&args, host.face())?;
    if render::is_blank(&args.text) {
        return Err(Failure::new(
            code::BAD_ARGUMENT,
            "The text is empty. Say what to post.",
        ));
    }
    let message = Message {
        kind,
        text: args.text,
        topic: args.topic,
        to: Vec::new(),
        reply_to: args.reply_to,
        paths: args.paths,
        pin: args.pin,
        signal,
    };
    let mut guarded = Guarded::new(message, host.face().input("text"))?;
    if guarded.open().is_some() {
        let acting = app.acting(host, args.session.as_deref()).await;
        let again = by_hand::options_of(guarded.message());
        let command = format!("post --allow-secrets{}{again}", acting.options());
        guarded.may_be_allowed(host, &command)?;
    }
    let until = within(CALL_S);
    let shared = app
        .pick(host, args.session.as_deref(), Intent::Post, until)
        .await?;
    {
        let mut session = in_turn(&shared, until).await?;
        answers_a_message(&mut session, guarded.message().reply_to, until).await?;
        let to = people::all(&session, &Presenter::new(&session), &args.to, host.face())?;
        guarded.addressed_to(to.iter().map(ToString::to_string).collect());
    }
    let sent = compose::post(app, &shared, host, guarded, until).await?;
    let until = sent.until;
    let mut session = in_turn(&shared, until).await?;
    let rows = sent.present;
    let mut mode = modes::of(&session, &*session.kept()?, app.clock.now());
    let mut warnings = sent.warnings;
    if sent.in_auto && mode.mine != ModeName::Auto {
        // This post ended it: the notice says why.
        warnings.extend(app.sync_softly(&mut session, until).await?);
        mode = modes::of(&session, &*session.kept()?, app.clock.now());
        warnings.push(modes::meaning(mode, host.reader(), host.face()));
    }
    if rows.is_empty() {
        warnings.push(format!(
            "The plane did not say who is listening: ask {} in a moment.",
            host.face().call("who")
        ));
    }
    let presenter = Presenter::new(&session);
    let others = || {
        rows.iter()
            .filter(|row| row.left_at.is_none() && row.participant_id != *session.my_id())
    };
    let names = |listening: bool| {
        let chosen =
            others().filter(|row| row.listening == listening && session.belongs(&row.participant_id));
        chosen.map(|row| presenter.name(&row.participant_id)).collect()
    };
    let answer = PostAnswer {
        session: session.id().to_string(),
        title: presenter.title(),
        seq: sent.stored.seq,
        mode: modes::word(mode.mine).to_owned(),
        budget_left: mode.budget_left,
        auto_ends_at: mode.ends_at.map(|at| at.to_string()),
        listening: names(true),
        not_listening: names(false),
        human: sent.human.to_owned(),
        integrity: presenter.integrity(),
        warnings,
    };
    let due = Due::Posted {
        session: *session.id(),
    };
    Ok(Delivered::with(answer, due))
}

/// What can be refused before any session is looked at.
fn check(args: &PostArgs, face: Face) -> Result<(String, Option<String>), Failure> {
    let bad = |text: String| Err(Failure::new(code::BAD_ARGUMENT, text));
    let kind = args.kind.clone().unwrap_or_else(|| "chat".to_owned());
    if !POSTABLE_KINDS.contains(&kind.as_str()) {
        return bad(format!(
            "{} is one of: {}.",
            face.argument("kind"),
            POSTABLE_KINDS.join(", ")
        ));
    }
    if args.reply_to == Some(0) {
        return bad(format!(
            "{} is the seq of a message, from 1.",
            face.argument("reply_to")
        ));
    }
    let known = |signal: &String| wire::api::Signal::from_word(signal).is_some();
    if args.signal.as_ref().is_some_and(|signal| !known(signal)) {
        return bad(format!(
            "{} is one of: continue, done, blocked.",
            face.argument("signal")
        ));
    }
    Ok((kind, args.signal.clone()))
}
