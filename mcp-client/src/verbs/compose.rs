//! One way into the transcript for every verb that writes: integrity, the human's word, then the post.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use wire::api::ParticipantRow;
use wire::event::{Kind, ModeName};
use wire::ids::ParticipantId;
use wire::problem::Code;
use wire::sizes::MESSAGE_JSON_MAX;

use super::app::App;
use super::by_hand::Acting;
use super::choose::CALL_S;
use super::failure::{Failure, code};
use super::host::{Ask, Host, Purpose, Question};
use super::present::{Presenter, short};
use super::reach::in_turn;
use super::secrets::Guarded;
use super::{by_hand, modes, wording};
use crate::plane::{Deadline, within};
use crate::render;
use crate::session::auto::Standing;
use crate::session::message::Message;
use crate::session::{Draft, Session, SessionError, Stored, WrittenFor, integrity};

/// How old the plane's word on the mode may be where an old one can't let a text out unasked: a person asks nobody, in
/// relay the human is asked, in auto the plane compares.
const MODE_AGE: Duration = Duration::from_secs(5);

/// How old the answer to the last post may be for the next one to go by it elsewhere, where the plane is asked before the first of
/// a run: an answer to that question would be as old once the post has arrived.
const RUN_AGE: Duration = Duration::from_millis(10);

/// How long a post may wait for the plane's word on who is there, which it can do without.
const PRESENT_S: u64 = 2;

/// A message that is stored, and how its human came to it.
pub(super) struct Sent {
    pub(super) stored: Stored,
    /// `approved`, `host_prompt` or `not_needed`.
    pub(super) human: &'static str,
    /// Written for auto, and stored in it.
    pub(super) in_auto: bool,
    /// Everybody as they were right before it: a post wakes those who listen, and then nobody does. Empty when the plane
    /// can't say.
    pub(super) present: Vec<ParticipantRow>,
    pub(super) warnings: Vec<String>,
    /// Until when the call may go on: the time a human took to answer does not count.
    pub(super) until: Deadline,
}

/// Posts a message: nothing is sealed before its size is known to fit, no credential is in it that its human did not allow,
/// histories agree, and in relay this machine's human said yes to exactly this text, here or at the host's own permission prompt.
pub(super) async fn post(
    app: &App,
    session: &Arc<Mutex<Session>>,
    host: &dyn Host,
    mut guarded: Guarded,
    mut until: Deadline,
) -> Result<Sent, Failure> {
    let json = guarded
        .message()
        .to_json()
        .ok_or_else(|| Failure::new(code::INTERNAL, "The message can't be written as JSON."))?;
    if json.len() > MESSAGE_JSON_MAX {
        return Err(Failure::new(
            seal::Error::TooLarge.name(),
            format!(
                "The message has {} bytes and a session carries {MESSAGE_JSON_MAX} in one. Nothing was sent; make it shorter \
                 or split it.",
                json.len()
            ),
        ));
    }
    if guarded.open().is_some() {
        let (title, command) = {
            let session = in_turn(session, until).await?;
            let again = by_hand::options_of(guarded.message());
            (
                Presenter::new(&session).title(),
                allowing("post", &session)? + &again,
            )
        };
        // The same message again, whose answer was lost, was allowed when it was first sent.
        if !in_turn(session, until).await?.is_under_way(&json)? {
            guarded.allow(host, &title, &command).await?;
            until = within(CALL_S);
        }
    }
    let mut sent_by = "not_needed";
    let mut warnings = Vec::new();
    let mut present_by = within(PRESENT_S);
    // Whose seat it is decides, not who calls for it: an agent may call itself a person.
    let (mode, warning, by) = {
        let mut session = in_turn(session, until).await?;
        let kept = session.kept()?;
        let known = modes::of(&session, &kept, app.clock.now());
        let guarded =
            kept.kind == Kind::Human || known.session == ModeName::Relay || known.mine == ModeName::Auto;
        let current = match guarded {
            true => is_current(session.state_age(), MODE_AGE),
            false => is_current(session.since_post(), RUN_AGE),
        };
        if !current {
            session.sync_before_post(until, until.min(present_by)).await?;
        }
        let kept = session.kept()?;
        let mode = modes::of(&session, &kept, app.clock.now());
        (mode, integrity::open_warning(session.alarm()), kept.kind)
    };
    if let Some((error, seq)) = warning {
        acknowledge(session, host, error, seq, until).await?;
        (until, present_by) = (within(CALL_S), within(PRESENT_S));
    }
    if mode.session == ModeName::Relay && by == Kind::Agent {
        let (question, by_hand) = {
            let session = in_turn(session, until).await?;
            may_write(&session)?;
            let acting = Acting::by(&session)?.options();
            let again = by_hand::options_of(guarded.message());
            let question = relay_question(&session, &guarded.shown()?, json);
            (question, format!("post{acting}{again}"))
        };
        let answer = host.ask(&question).await;
        (until, present_by) = (within(CALL_S), within(PRESENT_S));
        match answer {
            Ask::Yes => sent_by = "approved",
            Ask::CannotAsk if host.prompts_for_calls() => {
                sent_by = "host_prompt";
                warnings.push(
                    "This host can't ask its human about a text; its own permission prompt for this tool was the question."
                        .to_owned(),
                );
            }
            Ask::CannotAsk => {
                return Err(Failure::new(
                    code::CANNOT_ASK,
                    "In relay an agent's post takes its human's yes, and there is no terminal here to ask at. Nothing was \
                     posted; ask your human to run this in their own terminal with the text as its input. Do not run it \
                     yourself.",
                )
                .with_command(by_hand));
            }
            other => return Err(refused(other, "Nothing was posted.")),
        }
    }
    let written_for = match (by, mode.mine, mode.late) {
        (Kind::Agent, ModeName::Auto, _) => WrittenFor::Auto,
        (Kind::Agent, ModeName::Observe, Some(Standing::Over(_))) => WrittenFor::AutoThatIsOver,
        (Kind::Agent, ModeName::Observe, Some(_)) => WrittenFor::Auto,
        _ => WrittenFor::AnyMode,
    };
    let draft = Draft {
        message: guarded.into_message(),
        written_for,
    };
    let mut posting = in_turn(session, until).await?;
    let listeners = posting.ask_listeners(until.min(present_by)).await;
    let listeners = listeners.map_err(wording::session)?;
    let (stored, present) = match posting.post(&draft, listeners, until).await {
        Ok(posted) => posted,
        Err(error) if is_auto_over(&error) => return Err(auto_over(app, &mut posting, until).await?),
        Err(error) => return Err(wording::session(error)),
    };
    Ok(Sent {
        stored,
        human: sent_by,
        in_auto: written_for != WrittenFor::AnyMode,
        present,
        warnings,
        until,
    })
}

/// Whether the plane's word on the mode is there, and new enough to post by.
fn is_current(age: Option<Duration>, oldest: Duration) -> bool {
    age.is_some_and(|age| age <= oldest)
}

/// Refuses a text by a seat that can't write, before its human is asked about it.
fn may_write(session: &Session) -> Result<(), Failure> {
    let kept = session.kept()?;
    match session.epoch() > 0 && !session.may_write() {
        true => Err(wording::session(SessionError::ReadOnly(kept.capability))),
        false => Ok(()),
    }
}

fn is_auto_over(error: &SessionError) -> bool {
    match error {
        SessionError::AutoOver => true,
        SessionError::Plane(error) => error.code() == Some(Code::AutoOver),
        _ => false,
    }
}

/// A post written for auto came after its end. From here on whoever posts knows it, so that the next post is at a human's
/// word.
async fn auto_over(app: &App, session: &mut Session, until: Deadline) -> Result<Failure, Failure> {
    // The notice says why.
    if let Err(error) = session.sync(until).await {
        tracing::info!(%error, "the end of auto was not read");
    }
    let kept = session.kept()?;
    let mode = modes::of(session, &kept, app.clock.now());
    let why = mode.over.map_or_else(|| "Auto is over.".to_owned(), modes::over);
    session.auto_told().await?;
    Ok(Failure::new(
        "auto_over",
        format!(
            "{why} Nothing was posted. Tell your human where the work stands; post only what they ask you to from here on."
        ),
    ))
}

/// A command with which a person lets a credential through, in this session and for this seat.
pub(super) fn allowing(verb: &str, session: &Session) -> Result<String, Failure> {
    Ok(format!(
        "{verb} --allow-secrets{}",
        Acting::by(session)?.options()
    ))
}

/// After a sign that histories differ, posting needs a person's word.
async fn acknowledge(
    session: &Arc<Mutex<Session>>,
    host: &dyn Host,
    error: seal::Error,
    seq: u64,
    until: Deadline,
) -> Result<(), Failure> {
    let question = {
        let session = in_turn(session, until).await?;
        let presenter = Presenter::new(&session);
        let detail = presenter.integrity().detail;
        Question {
            purpose: Purpose::Acknowledge,
            session: presenter.title(),
            text: format!(
                "Session \"{}\": {detail}\n\nGo on and post anyway?",
                presenter.title()
            ),
            subject: format!("{} at {seq}", error.name()),
        }
    };
    match host.ask(&question).await {
        Ask::Yes => in_turn(session, within(CALL_S))
            .await?
            .acknowledge(seq)
            .await
            .map_err(wording::session),
        Ask::Deferred => Err(refused(Ask::Deferred, "")),
        _ => {
            let who = match host.reader() {
                Kind::Agent => "Ask your human to compare",
                Kind::Human => "Compare",
            };
            Err(Failure::new(
                code::NOT_ACKNOWLEDGED,
                format!(
                    "{} Nothing was posted: a person has to say to go on first. {who} the head ({}) with the others over \
                     another channel.",
                    wording::sentence(error),
                    host.face().call("who")
                ),
            ))
        }
    }
}

/// The yes counts for this JSON, byte for byte: text, addressees, paths and signal.
fn relay_question(session: &Session, message: &Message, json: String) -> Question {
    let presenter = Presenter::new(session);
    let title = presenter.title();
    let shown = render::text(&message.text);
    let mut text = format!("Send this to everybody in the session \"{title}\"?\n");
    if let Some(remark) = shown.remark() {
        text.push_str(&format!(
            "({remark} from what you see here, not from what is sent)\n"
        ));
    }
    let quoted = |raw: &str| render::in_quotes(&render::title(raw));
    let to = message.to.iter().map(|id| match id.parse::<ParticipantId>() {
        Ok(id) => format!("\"{}\" {}", presenter.name(&id), short(&id)),
        Err(_) => quoted(id),
    });
    for (name, value) in [
        ("Kind", (message.kind != "chat").then(|| message.kind.clone())),
        ("Topic", message.topic.as_deref().map(quoted)),
        (
            "To",
            (!message.to.is_empty()).then(|| to.collect::<Vec<_>>().join(", ")),
        ),
        ("Answers", message.reply_to.map(|seq| format!("#{seq}"))),
        (
            "Pinned",
            message
                .pin
                .then(|| "yes, on the card of those who join".to_owned()),
        ),
        (
            "Files named",
            (!message.paths.is_empty()).then(|| {
                let paths: Vec<String> = message.paths.iter().map(|path| quoted(path)).collect();
                paths.join(", ")
            }),
        ),
        ("Signal", message.signal.clone()),
    ] {
        if let Some(value) = value {
            text.push_str(&format!("{name}: {value}\n"));
        }
    }
    // Behind a gutter no line of it passes for one of ours.
    for line in shown.text.lines() {
        text.push_str(&format!("\n  | {line}"));
    }
    Question {
        purpose: Purpose::Post,
        session: title,
        text,
        // A digest: a question is kept for a while, and a credential that was allowed should not be.
        subject: wire::encoding::to_base64url(&wire::transcript::sha256(json.as_bytes())),
    }
}

/// That a person's own hand is needed and can't be had here. `nothing` says that nothing was done.
pub(crate) fn no_terminal(nothing: &str, command: impl Into<String>) -> Failure {
    Failure::new(
        code::CANNOT_ASK,
        format!(
            "This takes a person's own hand, and there is no terminal here. {nothing} Ask your human to run this in their own \
             terminal; do not run it yourself."
        ),
    )
    .with_command(command)
}

/// What it means that a question was not answered with yes.
pub(super) fn refused(ask: Ask, nothing: &str) -> Failure {
    let (code, what) = match ask {
        Ask::No => (code::DECLINED, "The answer was no."),
        Ask::Dismissed => (code::DISMISSED, "The question was closed without an answer."),
        Ask::Empty | Ask::Yes => (
            code::EMPTY,
            "The question came back without an answer, which is not a yes.",
        ),
        Ask::TimedOut => (code::TIMED_OUT, "Nobody answered in time."),
        Ask::CannotAsk => (code::CANNOT_ASK, "Nobody can be asked here."),
        Ask::Deferred => (
            code::ASK_DEFERRED,
            "A person is being asked; the call goes on with the answer.",
        ),
    };
    Failure::new(code, format!("{what} {nothing}").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_run_the_mode_is_asked_anew_after_ten_milliseconds() {
        let current = |ms| is_current(Some(Duration::from_millis(ms)), RUN_AGE);
        assert!(current(0) && current(10));
        assert!(!current(11) && !is_current(None, RUN_AGE));
    }

    #[test]
    fn where_an_old_word_lets_nothing_out_it_counts_for_five_seconds() {
        let current = |ms| is_current(Some(Duration::from_millis(ms)), MODE_AGE);
        assert!(current(251) && current(5_000));
        assert!(!current(5_001) && !is_current(None, MODE_AGE));
    }
}
