//! `read`: what is unread, or what a filter asks for, opened locally.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::event::Kind;

use super::app::App;
use super::choose::{CALL_S, Intent};
use super::delivered::{self, Answer, Delivered, Due, Shown};
use super::failure::{Failure, code};
use super::host::{Face, Host};
use super::items::{EventItem, IntegrityItem, JoinCard, MessageItem};
use super::page::{Inside, onward, page};
use super::present::Presenter;
use super::proposals::{self, ProposalItem};
use super::reach::in_turn;
use super::search::Query;
use super::text::Text;
use super::{doorbell, modes, people};
use crate::plane::within;
use crate::render::{self, Budget};
use crate::session::view::Entry;

/// Messages, unless the call says another number.
pub(super) const LIMIT: u32 = 50;
/// The most messages of one answer.
const LIMIT_MAX: u32 = 200;
/// Bytes, unless the call says another number.
pub(super) const BYTES: u32 = 24_000;
/// The most bytes of one answer.
const BYTES_MAX: u32 = 60_000;

/// What to read. Without `since`: what is unread, and the cursor moves if the caller is whom the seat belongs to.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadArgs {
    /// Show what comes after this seq; 0 starts with the join card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub since: Option<u64>,
    /// Byte of the next message's text to go on from (`next_offset`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub offset: Option<u64>,
    /// Messages, default 50, at most 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub limit: Option<u32>,
    /// Bytes of the answer, default 24000, at most 60000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub max_bytes: Option<u32>,
    /// Only this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub kind: Option<String>,
    /// Only this topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub topic: Option<String>,
    /// Only by this participant: name or id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub from: Option<String>,
    /// Search the whole transcript: words that must all be in text, topic or author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub query: Option<String>,
    /// Another session: id, its first 8 characters, or title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
}

/// Messages, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ReadAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// With `since: 0`: the join card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "JoinCard")]
    pub card: Option<JoinCard>,
    /// The messages.
    pub messages: Vec<MessageItem>,
    /// What the plane says happened in between.
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
    /// Pass this as `since` to go on.
    pub next_since: u64,
    /// Pass this as `offset` beside `next_since` to go on inside a long message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub next_offset: Option<u64>,
    /// Whether there is more.
    pub more: bool,
    /// How to go on, where there is more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub next: Option<String>,
    /// What is shown counts as read: the same call goes on behind it.
    #[serde(skip)]
    pub counts: bool,
    /// Of a search: how many messages it finds from here on, those shown included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub found: Option<u64>,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// With `since: 0`, of relay and auto: the shell command that sleeps, without a model turn, until somebody else has posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub listen: Option<String>,
    /// What else to know.
    pub warnings: Vec<String>,
    /// What the filters ask for, in words.
    #[serde(skip)]
    pub(crate) sought: Option<String>,
}

impl Answer for ReadAnswer {
    fn text(&self) -> String {
        let mut text = Text::about(&self.title, &self.session);
        text.mode(&self.mode, self.budget_left, self.auto_ends_at.as_deref());
        text.proposal(self.proposal.as_ref());
        text.integrity(&self.integrity);
        if let Some(card) = &self.card {
            text.card(card);
        }
        text.listen(self.listen.as_deref());
        match self.found {
            Some(0) => text.line("No message here has all of these words."),
            Some(1) => text.line("1 message found:"),
            Some(more) => text.line(format_args!("{more} messages found:")),
            None if self.messages.is_empty() && self.events.is_empty() => text.line(self.nothing()),
            None => {}
        }
        text.timeline(&self.messages, &self.events);
        text.closing(&self.warnings, self.next.as_deref().unwrap_or_default());
        text.finish()
    }
}

/// Reads.
///
/// # Errors
/// No such session, an argument out of range, or the plane refuses; what this machine already has is shown even if the
/// plane can't be reached.
pub async fn run(app: &App, args: ReadArgs, host: &dyn Host) -> Result<Delivered<ReadAnswer>, Failure> {
    let face = host.face();
    let mut budget = Budget {
        entries: limit((face, "limit"), args.limit, LIMIT, LIMIT_MAX)?,
        bytes: limit((face, "max_bytes"), args.max_bytes, BYTES, BYTES_MAX)?,
    };
    let query = args
        .query
        .as_deref()
        .map(|query| Query::parse(query, face))
        .transpose()?;
    let until = within(CALL_S);
    let session = app
        .pick(host, args.session.as_deref(), Intent::Read, until)
        .await?;
    let mut session = in_turn(&session, until).await?;
    let mut warnings = app.sync_softly(&mut session, until).await?;
    warnings.extend(doorbell::ring(app, host, &mut session));
    let sought = sought(&args);
    let rows = match args.since {
        Some(0) if args.offset.is_none() && query.is_none() && sought.is_none() => {
            Some(app.participants(&mut session, until).await)
        }
        _ => None,
    };
    let kept = session.kept()?;
    let presenter = Presenter::new(&session);
    let from = args
        .from
        .as_deref()
        .map(|named| people::one(&session, &presenter, named, face))
        .transpose()?;
    let filtered = args.kind.is_some() || args.topic.is_some() || from.is_some() || query.is_some();
    // A search is for what was said, whether it was read or not.
    let unread_only = args.since.is_none() && query.is_none();
    let since = match args.since {
        Some(since) => since,
        None if unread_only => kept.cursor,
        None => 0,
    };
    let hits = query.map(|query| query.among(|id| presenter.name(id), session.view().after(since)));
    let wanted = |entry: &Entry| match entry.message() {
        None => !filtered,
        Some((entry, posted)) => {
            let text = posted.text();
            let hit = hits
                .as_ref()
                .is_none_or(|hits| hits.binary_search(&entry.seq).is_ok());
            let kind = args
                .kind
                .as_deref()
                .is_none_or(|kind| text.is_some_and(|text| text.kind == kind));
            let topic = args.topic.as_deref().is_none_or(|topic| {
                text.and_then(|text| text.topic.as_deref())
                    .is_some_and(|other| same_words(other, topic))
            });
            let author = from.is_none_or(|from| posted.author == from);
            // What this seat wrote itself is nothing new to it.
            hit && kind && topic && author && !(unread_only && posted.mine && from.is_none())
        }
    };
    let mut card = rows.map(|rows| presenter.card(&rows, budget.bytes / 2));
    if let Some(card) = &card {
        let taken = serde_json::to_string(card).map_or(0, |json| json.len());
        budget.bytes = budget.bytes.saturating_sub(taken);
    }
    let mode = modes::of(&session, &kept, app.clock.now());
    let proposal = proposals::open(&session, &presenter);
    budget.bytes = budget.bytes.saturating_sub(ProposalItem::size(proposal.as_ref()));
    let listen = card.as_ref().and_then(|_| app.listen_in(&session, mode));
    budget.bytes = budget
        .bytes
        .saturating_sub(listen.as_ref().map_or(0, String::len));
    let found = hits.as_ref().map(|_| {
        let entries = session.view().after(since).iter();
        entries.filter(|entry| wanted(entry)).count() as u64
    });
    let own = kept.kind == host.kind();
    let marks = unread_only && !filtered && own;
    let inside = match args.offset {
        Some(offset) => Inside::Byte(offset),
        None => Inside::Begun(kept.begun.filter(|_| marks)),
    };
    let shown = page(
        &presenter,
        session.view().after(since),
        wanted,
        since,
        inside,
        budget,
    );
    warnings.extend(modes::session_over(mode));
    warnings.extend(modes::untold_end(mode, host.reader()));
    warnings.extend(modes::around(mode).filter(|_| host.kind() == Kind::Human));
    let cursor = marks.then(|| shown.reached());
    if unread_only && !filtered && !own && shown.next_since > since {
        warnings.push(delivered::still_unread(kept.kind));
    }
    let by_others = shown.messages.iter().any(|message| !message.mine);
    if let Some(card) = &mut card {
        // It stands among the messages.
        card.handoff
            .take_if(|handoff| shown.messages.iter().any(|message| message.seq == handoff.seq));
    }
    let filters = match (found, &sought) {
        (Some(_), Some(_)) => " and the same query and filters",
        (None, Some(_)) => " and the same filters",
        (Some(_), None) => " and the same query",
        (None, None) => "",
    };
    let next = shown.more.then(|| onward(&shown, marks, face, filters));
    let told = Shown::new(*session.id(), host.reader(), &mode, cursor, by_others);
    let answer = ReadAnswer {
        session: session.id().to_string(),
        title: presenter.title(),
        card,
        messages: shown.messages,
        events: shown.events,
        mode: modes::word(mode.mine).to_owned(),
        budget_left: mode.budget_left,
        auto_ends_at: mode.ends_at.map(|at| at.to_string()),
        proposal,
        next_since: shown.next_since,
        next_offset: shown.next_offset,
        more: shown.more,
        next,
        counts: marks,
        found,
        integrity: presenter.integrity(),
        listen,
        warnings,
        sought,
    };
    Ok(Delivered::with(answer, Due::Shown(told)))
}

impl ReadAnswer {
    /// That there is nothing to show: of what was asked for, or nothing that is new.
    pub(crate) fn nothing(&self) -> String {
        match &self.sought {
            Some(sought) => format!("No message {sought}."),
            None => "Nothing new.".to_owned(),
        }
    }
}

/// What the filters ask for, in words; the filters' own words are made safe for display.
fn sought(args: &ReadArgs) -> Option<String> {
    let parts: Vec<String> = [
        ("with topic", &args.topic),
        ("of kind", &args.kind),
        ("by", &args.from),
    ]
    .into_iter()
    .filter_map(|(how, what)| Some(format!("{how} {}", render::title(what.as_deref()?))))
    .collect();
    let from = match args.since {
        None => ", among those that are unread",
        Some(0) => "",
        Some(_) => " from there on",
    };
    (!parts.is_empty()).then(|| parts.join(" and ") + from)
}

/// A number within its range, or its default.
fn limit((face, name): (Face, &str), asked: Option<u32>, default: u32, most: u32) -> Result<usize, Failure> {
    let value = asked.unwrap_or(default);
    if value == 0 || value > most {
        let text = format!("{} is from 1 to {most}.", face.argument(name));
        return Err(Failure::new(code::BAD_ARGUMENT, text));
    }
    Ok(usize::try_from(value).unwrap_or(usize::MAX))
}

fn same_words(one: &str, other: &str) -> bool {
    render::title(one).to_lowercase() == render::title(other).to_lowercase()
}
