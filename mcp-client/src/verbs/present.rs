//! From a verified view to the items of an answer. Everything a participant wrote passes `render` here, and only here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use seal::transcript::{Member, MemberKind, Standing};
use wire::api::ParticipantRow;
use wire::epoch_record::{EntryCapability, EpochType};
use wire::event::{Capability, Kind, ModeName, Notice};
use wire::ids::ParticipantId;

use super::closed::{self, Closed, is_closed};
use super::counted;
use super::items::{EventItem, IntegrityItem, JoinCard, MessageItem, ParticipantItem};
use super::{modes, proposals, wording};
use crate::render::{self, NameTable};
use crate::session::presence::{Arrival, Presence};
use crate::session::view::{Entry, NewEpoch, Posted, What};
use crate::session::{Membership, Session, integrity};

/// Messages shown of each list on the join card.
const CARD_LIST: usize = 5;
/// Participants shown on the join card; `who` has the rest.
const CARD_PEOPLE: usize = 16;
/// Those put out who are named in one event.
const NAMED_MAX: usize = 8;
/// Characters of a kind that this version does not know.
const KIND_MAX: usize = 32;

/// One session's view as items.
pub(super) struct Presenter<'a> {
    session: &'a Session,
    /// Worked out where somebody asks, as is the next.
    names: OnceLock<NameTable>,
    presence: OnceLock<Presence>,
}

fn names_of(session: &Session) -> NameTable {
    let known = session.roster().iter();
    NameTable::new(known.map(|(id, known)| (id, known.claims.name.as_str())), None)
}

impl<'a> Presenter<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        Self {
            session,
            names: OnceLock::new(),
            presence: OnceLock::new(),
        }
    }

    /// How a participant is called.
    pub(super) fn name(&self, id: &ParticipantId) -> String {
        self.names.get_or_init(|| names_of(self.session)).get(id)
    }

    /// Somebody a message is addressed to.
    fn addressee(&self, id: &ParticipantId) -> String {
        if id == self.session.my_id() {
            return "you".to_owned();
        }
        let short: String = id.to_string().chars().take(8).collect();
        format!("\"{}\" {short}", self.name(id))
    }

    /// The session's title.
    pub(super) fn title(&self) -> String {
        let kept = self.session.kept().ok();
        let title = self
            .session
            .title()
            .or_else(|| kept.and_then(|kept| kept.title.clone()));
        title.map_or_else(|| "untitled".to_owned(), |title| render::title(&title))
    }

    /// A message with its whole text.
    pub(super) fn message(&self, entry: &Entry, posted: &Posted) -> MessageItem {
        let mut item = MessageItem {
            seq: entry.seq,
            at: entry.at.to_string(),
            origin: "participant".to_owned(),
            untrusted: true,
            from: self.name(&posted.author),
            from_id: posted.author.to_string(),
            mine: posted.mine,
            ..MessageItem::default()
        };
        let opened = match &posted.content {
            Ok(opened) => opened,
            Err(error) => {
                item.kind = "unreadable".to_owned();
                item.problem = Some((*error).to_owned());
                return item;
            }
        };
        let message = &opened.message;
        let text = render::text(&message.text);
        let mut hidden = text.hidden;
        let mut line = |raw: &str| {
            hidden += render::text(raw).hidden;
            render::title(raw)
        };
        item.kind = line(&message.kind).chars().take(KIND_MAX).collect();
        item.topic = message.topic.as_deref().map(&mut line);
        item.paths = message.paths.iter().map(|path| line(path)).collect();
        item.text = Some(text.text);
        let to: Vec<ParticipantId> = message.to.iter().filter_map(|id| id.parse().ok()).collect();
        item.to = to.iter().map(ParticipantId::to_string).collect();
        item.addressed = to.iter().map(|id| self.addressee(id)).collect();
        item.reply_to = message.reply_to;
        item.pin = message.pin;
        item.signal = message
            .signal
            .clone()
            .filter(|signal| wire::api::Signal::from_word(signal).is_some());
        item.hidden_removed = hidden as u64;
        item.problem = match opened.standing {
            Standing::Differs(error) => Some(error.name().to_owned()),
            _ if opened.signal_differs => Some("signal_differs".to_owned()),
            Standing::Unchecked => Some("unchecked".to_owned()),
            Standing::Confirmed(_) => None,
        };
        item
    }

    /// What happened beside messages, in our own words.
    pub(super) fn event(&self, entry: &Entry) -> Option<EventItem> {
        let text = match &entry.what {
            What::Message(_) => return None,
            What::Notice(None) => "The plane sent a notice this version does not know.".to_owned(),
            What::Notice(Some(notice)) => self.notice_text(entry.seq, notice),
            What::Member(None) => "The plane sent a member event this version does not know.".to_owned(),
            What::Member(Some(member)) => self.member_text(entry.seq, member),
            What::Epoch(new) => self.epoch_text(entry.seq, new),
        };
        Some(EventItem {
            seq: entry.seq,
            at: entry.at.to_string(),
            text,
        })
    }

    /// A notice names nobody. Of the proposal that is open the plane says who made it.
    fn notice_text(&self, seq: u64, notice: &Notice) -> String {
        let mut later = self.session.view().after(seq).iter();
        let is_newest =
            !later.any(|entry| matches!(entry.what, What::Notice(Some(Notice::AutoProposed { .. }))));
        let open = self
            .session
            .plane_state()
            .and_then(|state| state.mode.proposal.as_ref());
        let proposer = open.filter(|_| is_newest).map(|open| self.name(&open.by));
        notice_text(notice, proposer.as_deref())
    }

    fn member_text(&self, seq: u64, member: &Member) -> String {
        let who = self.name(&member.participant_id);
        match &member.kind {
            MemberKind::Joined { kind, .. } => {
                let kind = kind.map_or("somebody", kind_word);
                let did = match self.presence().arrival(seq) {
                    Arrival::New => "joined",
                    Arrival::Back => "came back",
                    Arrival::GoesOn => "goes on after the re-key",
                    Arrival::MovedOver => "moved over to the new link",
                };
                format!("\"{who}\" ({kind}) {did}.")
            }
            MemberKind::Left => format!("\"{who}\" left."),
            MemberKind::Refused => {
                let short = short(&member.participant_id);
                match self.session.roster().get(&member.participant_id) {
                    Some(_) => format!("\"{who}\" {short} was refused at the door."),
                    None => format!("Somebody was refused at the door: {short}."),
                }
            }
            MemberKind::Unknown => format!("Something this version does not know happened to \"{who}\"."),
        }
    }

    fn epoch_text(&self, seq: u64, new: &NewEpoch) -> String {
        let epoch = new.change.epoch;
        match new.change.epoch_type {
            EpochType::Creation => "The session was created.".to_owned(),
            EpochType::OwnerRekey => {
                let before = match new.opens_before {
                    true => "",
                    false => " The new link opens nothing of what came before.",
                };
                format!(
                    "The owner re-keyed: epoch {epoch}, earlier links are dead.{before}{}",
                    self.put_out_text(seq)
                )
            }
            EpochType::AdminRekey => format!(
                "An administrator re-keyed: epoch {epoch}, earlier links are dead. Everybody goes on by the new link alone, \
                 which opens nothing of what came before. The session has no owner any more."
            ),
        }
    }

    fn put_out_text(&self, seq: u64) -> String {
        let out = self.presence().put_out(seq);
        let named: Vec<String> = out
            .iter()
            .take(NAMED_MAX)
            .map(|id| format!("\"{}\" {}", self.name(id), short(id)))
            .collect();
        match out.len() - named.len() {
            _ if out.is_empty() => String::new(),
            0 => format!(" Out: {}.", named.join(", ")),
            more => format!(" Out: {} and {more} more.", named.join(", ")),
        }
    }

    /// Of some records, what this seat's link does not open.
    pub(super) fn closed<'e>(&self, entries: impl Iterator<Item = &'e Entry>) -> BTreeMap<u64, Closed<'a>> {
        closed::rows(self.session, entries)
    }

    fn presence(&self) -> &Presence {
        self.presence
            .get_or_init(|| Presence::of(self.session.view().entries()))
    }

    /// One participant.
    pub(super) fn participant(&self, row: &ParticipantRow) -> ParticipantItem {
        let id = row.participant_id;
        let known = self.session.roster().get(&id);
        let membership = self.session.membership(&id);
        let kept = self.session.kept_with(&id);
        let host = known.and_then(|known| known.claims.members.get("host")?.as_str().map(render::program));
        ParticipantItem {
            name: self.name(&id),
            short_id: short(&id),
            id: id.to_string(),
            me: id == *self.session.my_id(),
            owner: self.session.owner() == Some(&id),
            kind: kind_word(row.kind).to_owned(),
            host,
            capability: capability_word(row.capability).to_owned(),
            may_write: self.session.roster().may_write(&id, self.session.epoch())
                || kept == Some(EntryCapability::Full),
            not_moved_over: kept.is_some(),
            in_epoch: membership == Membership::In,
            why_out: why_out(membership).map(str::to_owned),
            joined_at: row.joined_at.to_string(),
            last_seen_at: row.last_seen_at.to_string(),
            left_at: row.left_at.map(|at| at.to_string()),
            listening: row.listening,
            read_up_to: row.fetched_seq,
            confirmed_up_to: self
                .session
                .confirmed()
                .find(|(who, _)| **who == id)
                .map(|(_, seq)| seq),
        }
    }

    /// Whether what the plane shows holds together.
    pub(super) fn integrity(&self) -> IntegrityItem {
        let others = self
            .session
            .confirmed()
            .filter(|(id, _)| *id != self.session.my_id());
        let furthest = others.max_by_key(|(_, seq)| *seq);
        let mut item = IntegrityItem {
            checked_from: self.session.base() + 1,
            confirmed_up_to: furthest.map(|(_, seq)| seq),
            confirmed_by: furthest.map(|(id, _)| self.name(id)),
            ..IntegrityItem::default()
        };
        if let Some(error) = integrity::failed(self.session.alarm()) {
            item.state = "failed".to_owned();
            item.error = Some(error.name().to_owned());
            item.detail = format!("{} A person has to know of it.", wording::sentence(error));
        } else if let Some((error, seq)) = integrity::open_warning(self.session.alarm()) {
            let by = self
                .author_of(seq)
                .map_or_else(|| "somebody".to_owned(), |id| self.name(&id));
            item.state = "warning".to_owned();
            item.error = Some(error.name().to_owned());
            item.detail = format!(
                "Message {seq} by \"{by}\": {} Until a person says to go on, the mode counts as observe and nothing is \
                 posted.",
                error.advice()
            );
        } else {
            item.state = "ok".to_owned();
            item.detail = "Every record shown was checked here.".to_owned();
        }
        item
    }

    fn author_of(&self, seq: u64) -> Option<ParticipantId> {
        self.session
            .view()
            .at(seq)?
            .message()
            .map(|(_, posted)| posted.author)
    }

    /// The session at a glance, in about `bytes` at most: texts are cut, and `read` has the rest.
    pub(super) fn card(&self, rows: &[ParticipantRow], bytes: usize) -> JoinCard {
        let view = self.session.view();
        let short = |(entry, posted): (&Entry, &Posted)| self.shortened(entry, posted, bytes / 48);
        let first = view.messages().next().filter(|_| self.session.base() == 0);
        let handoff_seq = first.map(|(entry, _)| entry.seq);
        let closed = self.closed(view.entries().iter());
        let closed_to = closed
            .first_key_value()
            .filter(|_| first.is_some_and(|(entry, _)| is_closed(entry)));
        let first = first.filter(|(entry, _)| !is_closed(entry));
        let answered: BTreeSet<u64> = view
            .messages()
            .filter_map(|(_, posted)| posted.text()?.reply_to)
            .collect();
        let pinned = view
            .messages()
            .rev()
            .filter(|(_, posted)| posted.text().is_some_and(|text| text.pin));
        let unanswered = view.messages().rev().filter(|(entry, posted)| {
            let asks = posted.text().is_some_and(|text| text.kind == "question");
            asks && !answered.contains(&entry.seq)
        });
        let latest = view
            .messages()
            .rev()
            .filter(|(entry, _)| Some(entry.seq) != handoff_seq && !is_closed(entry));
        let is_here =
            |row: &&ParticipantRow| row.left_at.is_none() && !self.session.is_out(&row.participant_id);
        let mut here: Vec<_> = rows.iter().filter(is_here).collect();
        here.sort_by_key(|row| std::cmp::Reverse(row.last_seen_at));
        let state = self.session.plane_state();
        let kept = self.session.kept().ok();
        let expires_at = state
            .map(|state| state.expires_at)
            .or_else(|| kept.as_deref().and_then(|kept| kept.expires_at));
        JoinCard {
            participants: here
                .iter()
                .take(CARD_PEOPLE)
                .map(|row| self.participant(row))
                .collect(),
            participants_here: here.len() as u64,
            records: self.session.head().seq,
            messages: view.messages().filter(|(entry, _)| !is_closed(entry)).count() as u64,
            expires_at: expires_at.map(|at| at.to_string()).unwrap_or_default(),
            over: kept
                .as_deref()
                .is_some_and(|kept| self.session.end(kept).is_some()),
            handoff: first.map(|(entry, posted)| self.shortened(entry, posted, bytes / 3)),
            handoff_closed: closed_to.map(|(_, row)| row.hand_off()),
            pinned: in_order(pinned.take(CARD_LIST).map(short)),
            unanswered: in_order(unanswered.take(CARD_LIST).map(short)),
            latest: in_order(latest.take(CARD_LIST).map(short)),
        }
    }

    /// The first message, if this seat can read it, cut at so many bytes.
    pub(super) fn hand_off(&self, bytes: usize) -> Option<MessageItem> {
        let first = self.session.view().messages().next();
        let (entry, posted) = first.filter(|(entry, _)| self.session.base() == 0 && !is_closed(entry))?;
        Some(self.shortened(entry, posted, bytes))
    }

    /// A message whose text is cut for the join card.
    fn shortened(&self, entry: &Entry, posted: &Posted, bytes: usize) -> MessageItem {
        let mut item = self.message(entry, posted);
        if let Some(text) = item.text.take() {
            let shown = render::part(&text, 0, bytes);
            if shown.end < text.len() {
                item.total_bytes = Some(text.len() as u64);
            }
            item.text = Some(text.get(shown).unwrap_or_default().to_owned());
        }
        item
    }
}

fn in_order(newest_first: impl Iterator<Item = MessageItem>) -> Vec<MessageItem> {
    let mut items: Vec<_> = newest_first.collect();
    items.reverse();
    items
}

fn notice_text(notice: &Notice, proposer: Option<&str>) -> String {
    match notice {
        Notice::ModeChanged {
            from,
            to,
            cause,
            spent,
            budget,
            ttl_s,
        } => {
            let mut text = format!(
                "The mode went from {} to {}: {}",
                modes::word(*from),
                modes::word(*to),
                modes::cause_text(*cause, *to)
            );
            match (to, spent, budget, ttl_s) {
                (ModeName::Auto, _, Some(budget), Some(ttl)) => {
                    text.push_str(&format!(" ({})", proposals::bounds(*budget, *ttl)));
                }
                (_, Some(spent), Some(budget), _) => {
                    text.push_str(&format!(" ({spent} of {} spent)", counted(*budget, "message")))
                }
                _ => {}
            }
            text + "."
        }
        Notice::AutoProposed { budget, ttl_s } => {
            let who = proposer.map_or_else(|| "Somebody".to_owned(), |name| format!("\"{name}\""));
            let bounds = proposals::bounds(*budget, *ttl_s);
            format!("{who} proposed auto: {bounds}. A human decides.")
        }
        Notice::AutoDeclined {} => "The proposal to go to auto was declined.".to_owned(),
    }
}

fn why_out(membership: Membership) -> Option<&'static str> {
    match membership {
        Membership::In => None,
        Membership::PutOut => Some("out since the re-key"),
        Membership::NotBack => Some("not back since an administrator re-keyed"),
        Membership::Unproven => Some("no valid profile since the re-key"),
    }
}

/// A time as people are shown it: `2026-11-29T14:02:31.123Z` as `2026-11-29 14:02Z`; anything else as it is.
pub(crate) fn moment(at: &str) -> String {
    match (at.get(..10), at.get(10..11), at.get(11..16), at.ends_with('Z')) {
        (Some(date), Some("T"), Some(time), true) => format!("{date} {time}Z"),
        _ => at.to_owned(),
    }
}

/// The first eight hex digits of an id, by which a session or a participant is named on its own machine.
pub(crate) fn short(id: &impl ToString) -> String {
    id.to_string().chars().take(8).collect()
}

pub(super) fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Agent => "agent",
        Kind::Human => "human",
    }
}

pub(super) fn capability_word(capability: Capability) -> &'static str {
    match capability {
        Capability::Full => "full",
        Capability::View => "view",
    }
}
