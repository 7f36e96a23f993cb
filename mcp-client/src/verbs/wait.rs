//! `wait`: at once when something by others is unread, else until somebody posts, the mode changes or time is up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use std::time::Duration;

use wire::event::{Kind, ModeName};

use super::app::App;
use super::choose::Intent;
use super::delivered::{self, Answer, Delivered, Due, Shown};
use super::failure::Failure;
use super::host::Host;
use super::items::{EventItem, IntegrityItem, MessageItem};
use super::listening::{self, Woke};
use super::news::{self, For};
use super::page::{Inside, onward, page};
use super::present::Presenter;
use super::proposals::{self, ProposalItem};
use super::text::Text;
use super::{doorbell, modes};
use crate::plane::Deadline;
use crate::render::Budget;
use crate::session::view::Entry;

/// Seconds, unless the call says another number.
const DEFAULT_S: u32 = 45;
/// The longest wait: hosts give a call about 60 s.
const MOST_S: u32 = 50;
/// Makes whole seconds of a time by rounding.
const ROUNDED: Duration = Duration::from_millis(500);
/// Messages of one answer.
const LIMIT: usize = 50;
/// Bytes of one answer.
const BYTES: usize = 24_000;

/// How long to wait, and for what.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitArgs {
    /// Seconds, default 45, at most 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub timeout_s: Option<u32>,
    /// Wake only for messages addressed to me, once for each; they stay unread.
    #[serde(default)]
    pub for_me: bool,
    /// Another session: id, its first 8 characters, or title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
}

/// Why the wait is over, and what came.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WaitAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// messages, mode_changed, knocking (somebody new waits at the door that this seat keeps), ended or timed_out.
    pub woke_by: String,
    /// Seconds waited.
    pub waited_s: u64,
    /// The messages, oldest first.
    pub messages: Vec<MessageItem>,
    /// What the plane says happened.
    pub events: Vec<EventItem>,
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
    /// Pass this as `since` to `read` to go on where nothing counts as read.
    pub next_since: u64,
    /// Of a long message that goes on: pass as `offset` to `read`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub next_offset: Option<u64>,
    /// Whether there is more to read.
    pub more: bool,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// What else to know, such as that the time was clamped.
    pub warnings: Vec<String>,
    /// What to do now.
    pub next: String,
    /// What is shown counts as read: a `read` goes on behind it.
    #[serde(skip)]
    pub counts: bool,
}

impl Answer for WaitAnswer {
    fn text(&self) -> String {
        let mut text = Text::about(&self.title, &self.session);
        text.line(self.why());
        text.mode(&self.mode, self.budget_left, self.auto_ends_at.as_deref());
        text.proposal(self.proposal.as_ref());
        text.integrity(&self.integrity);
        text.timeline(&self.messages, &self.events);
        text.closing(&self.warnings, &self.next);
        text.finish()
    }
}

impl WaitAnswer {
    /// Why it is over, in words.
    pub(crate) fn why(&self) -> String {
        let seconds = self.waited_s;
        match self.woke_by.as_str() {
            "messages" => format!("Somebody wrote, after {seconds} s."),
            "mode_changed" if seconds == 0 && self.proposal.is_some() => "Auto is proposed.".to_owned(),
            "mode_changed" => format!("The mode changed, or what is proposed, after {seconds} s."),
            "knocking" => format!("Somebody waits at the door, after {seconds} s."),
            "ended" => "The session is over.".to_owned(),
            _ => format!("The time was up after {seconds} s."),
        }
    }
}

/// Waits.
///
/// # Errors
/// In observe it refuses an agent; cancelled; the plane refuses or can't be reached for the whole time.
pub async fn run(app: &App, args: WaitArgs, host: &dyn Host) -> Result<Delivered<WaitAnswer>, Failure> {
    let asked = args.timeout_s.unwrap_or(DEFAULT_S);
    let seconds = u64::from(asked.min(MOST_S));
    let mut warnings = Vec::new();
    if asked > MOST_S {
        warnings.push(format!(
            "A wait lasts at most {MOST_S} s, so it was shortened from {asked} s; wait again."
        ));
        // Whoever looks on knows it before the time is up.
        let shortened = format!("a wait lasts at most {MOST_S} s; waiting for the others");
        host.progress(0, seconds, &shortened).await;
    }
    let started = Deadline::now();
    let end = started + Duration::from_secs(seconds);
    let until = end + listening::GRACE;
    let shared = app
        .pick(host, args.session.as_deref(), Intent::Read, until)
        .await?;
    let what = if args.for_me { For::Me } else { For::Anything };
    let woke = listening::listen(app, &shared, host, what, started, end).await?;
    let mut session = listening::turn(&shared, end).await?;
    let own = session.kept()?.kind == host.kind();
    warnings.extend(doorbell::ring(app, host, &mut session));
    let kept = session.kept()?;
    let presenter = Presenter::new(&session);
    let wanted = |entry: &Entry| match entry.message() {
        None => !args.for_me,
        Some((_, posted)) => !posted.mine && (!args.for_me || news::is_for(&session, &presenter, posted)),
    };
    let proposal = proposals::open(&session, &presenter);
    let budget = Budget {
        entries: LIMIT,
        bytes: BYTES.saturating_sub(ProposalItem::size(proposal.as_ref())),
    };
    // What is only for this seat is shown from its beginning, behind what was shown so before.
    let inside = Inside::Begun(kept.begun.filter(|_| own && !args.for_me));
    let since = news::since(&kept, what, own);
    let shown = page(
        &presenter,
        session.view().after(since),
        wanted,
        since,
        inside,
        budget,
    );
    let mode = modes::of(&session, &kept, app.clock.now());
    warnings.extend(modes::session_over(mode));
    let by_others = !shown.messages.is_empty();
    let cursor = (!args.for_me && own).then(|| shown.reached());
    // One that goes on counts as well: the answer says how to read on.
    let newest = shown.messages.last().map(|message| message.seq);
    let for_me = newest.filter(|_| args.for_me && own);
    let more = shown
        .more
        .then(|| onward(&shown, cursor.is_some(), host.face(), ""));
    let next = match (woke, more) {
        (_, Some(more)) if mode.gone.is_none() => more,
        (_, more) if mode.gone.is_some() => over_next(host, more),
        (Woke::Messages, _) if mode.mine != ModeName::Observe || host.kind() == Kind::Human => {
            "Answer if it is your turn, then wait again.".to_owned()
        }
        (Woke::Messages | Woke::ModeChanged, _) => modes::meaning(mode, host.reader(), host.face()),
        (Woke::Knocking, _) if host.reader() == Kind::Agent => {
            "Tell your human who keeps the door, then wait again.".to_owned()
        }
        (Woke::Knocking, _) => "Answer at the door, then wait again.".to_owned(),
        (Woke::TimedOut | Woke::Ended, _) if shown.events.is_empty() => {
            "Nothing came. Wait again if you expect an answer, or go on with your work.".to_owned()
        }
        (Woke::TimedOut | Woke::Ended, _) => {
            "Nobody wrote; what else happened is above. Wait again if you expect an answer, or go on with your work."
                .to_owned()
        }
    };
    let to = shown.next_since;
    if !own && !args.for_me && to > kept.cursor {
        warnings.push(delivered::still_unread(kept.kind));
    }
    let answer = WaitAnswer {
        session: session.id().to_string(),
        title: presenter.title(),
        woke_by: woke.word().to_owned(),
        waited_s: (started.elapsed() + ROUNDED).as_secs(),
        messages: shown.messages,
        events: shown.events,
        mode: modes::word(mode.mine).to_owned(),
        budget_left: mode.budget_left,
        auto_ends_at: mode.ends_at.map(|at| at.to_string()),
        proposal,
        next_since: shown.next_since,
        next_offset: shown.next_offset,
        more: shown.more,
        integrity: presenter.integrity(),
        warnings,
        next,
        counts: cursor.is_some(),
    };
    let shown = Shown {
        for_me,
        ..Shown::new(*session.id(), host.reader(), &mode, cursor, by_others)
    };
    Ok(Delivered::with(answer, Due::Shown(shown)))
}

/// What to do once the session is over.
fn over_next(host: &dyn Host, more: Option<String>) -> String {
    let is_more = more.is_some();
    let mut next = more.unwrap_or_else(|| "There is nothing more to wait for.".to_owned());
    if host.reader() == Kind::Agent {
        next.push_str(match is_more {
            true => " Tell your human that the session is over.",
            false => " Tell your human.",
        });
    }
    next
}
