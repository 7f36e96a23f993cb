//! Which records one answer shows, and where the next one goes on. Counts and cuts are `render`'s.

use std::collections::BTreeMap;

use super::closed::{Closed, is_closed};
use super::delivered::Reached;
use super::host::Face;
use super::items::{EventItem, MessageItem};
use super::present::Presenter;
use crate::render::{self, Budget};
use crate::seat::Begun;
use crate::session::view::Entry;

/// Bytes of an answer beside its messages: title, mode, integrity, the frame of JSON.
const FRAME: usize = 1_600;
/// Bytes of an event beside its text.
const EVENT: usize = 120;

/// What an answer shows of the transcript.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) messages: Vec<MessageItem>,
    pub(super) events: Vec<EventItem>,
    /// The next answer goes on after this seq.
    pub(super) next_since: u64,
    /// Inside the message after it, at this byte.
    pub(super) next_offset: Option<u64>,
    pub(super) more: bool,
    /// Of the message after `next_since` a first part is shown.
    begun: Option<Begun>,
}

impl Shown {
    /// What its reader has seen with it, if everything before was seen.
    pub(super) fn reached(&self) -> Reached {
        Reached {
            seq: self.next_since,
            begun: self.begun,
        }
    }
}

/// How to go on after an answer that does not show everything. With `counts`, what it showed counts as read.
pub(super) fn onward(shown: &Shown, counts: bool, face: Face, filters: &str) -> String {
    let read = face.call("read");
    match (face, counts) {
        // Its face prints the command, with all that was typed.
        (Face::CommandLine, _) => "There is more.".to_owned(),
        (Face::Tools, true) => format!("There is more: read on with {read}, without arguments."),
        (Face::Tools, false) => {
            let inside = shown.next_offset;
            let offset = inside.map_or_else(String::new, |offset| format!(" and offset {offset}"));
            let since = shown.next_since;
            format!("There is more: {read} with since {since}{offset}{filters}.")
        }
    }
}

/// Where a page goes on inside its first message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Inside {
    /// At this byte, whichever message that is.
    Byte(u64),
    /// Where its reader is in the middle of it; at its beginning if that is another.
    Begun(Option<Begun>),
}

impl Inside {
    fn offset(self, first: Option<&Item>) -> u64 {
        match self {
            Self::Byte(offset) => offset,
            Self::Begun(begun) => begun
                .filter(|begun| first.is_some_and(|item| item.seq() == begun.seq))
                .map_or(0, |begun| begun.offset),
        }
    }
}

enum Item {
    Message(Box<MessageItem>),
    Event(EventItem),
}

impl Item {
    fn seq(&self) -> u64 {
        match self {
            Self::Message(message) => message.seq,
            Self::Event(event) => event.seq,
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Message(message) => message.text.as_deref().unwrap_or_default(),
            Self::Event(_) => "",
        }
    }

    /// What it takes beside its text: in JSON, which is more than in the text form.
    fn overhead(&self) -> usize {
        match self {
            Self::Message(message) => {
                let bare = MessageItem {
                    text: None,
                    ..MessageItem::clone(message)
                };
                // The text form has names where JSON has ids.
                let names = message.addressed.iter().map(|name| name.len() + 2).sum::<usize>();
                // The block's two boundaries and its label in the text form, `text` and the part's place in JSON.
                serde_json::to_string(&bare).map_or(0, |json| json.len()) + names + 100
            }
            Self::Event(event) => event.text.len() + EVENT,
        }
    }
}

/// Of some records the newest that fit into a budget, as where they begin: [`page`] then shows them to the last. Where
/// the very last is larger than all of it, it alone.
pub(super) fn newest(presenter: &Presenter<'_>, entries: &[Entry], budget: Budget) -> usize {
    let closed = presenter.closed(entries.iter());
    let mut left = Budget {
        bytes: budget.bytes.saturating_sub(FRAME),
        ..budget
    };
    for (at, entry) in entries.iter().enumerate().rev() {
        let Some(item) = item(presenter, &closed, entry) else {
            continue;
        };
        let text = serde_json::to_string(item.text()).map_or(0, |json| json.len());
        let size = item.overhead().saturating_add(text);
        if left.entries == 0 || left.bytes < size {
            let alone = at + 1 == entries.len();
            return if alone { at } else { at + 1 };
        }
        left.entries -= 1;
        left.bytes -= size;
    }
    0
}

/// A record as an answer shows it; none where it stands for nothing of its own.
fn item(presenter: &Presenter<'_>, closed: &BTreeMap<u64, Closed<'_>>, entry: &Entry) -> Option<Item> {
    match entry.message() {
        // What can't be read for want of a key is one line for all of it, where the last of it stands.
        Some((entry, _)) if is_closed(entry) => closed.get(&entry.seq).map(|row| {
            Item::Event(EventItem {
                seq: entry.seq,
                at: entry.at.to_string(),
                text: row.text(),
            })
        }),
        Some((entry, posted)) => Some(Item::Message(Box::new(presenter.message(entry, posted)))),
        None => presenter.event(entry).map(Item::Event),
    }
}

/// Chooses from the records after `since` those that `wanted` lets through, and fills the budget. `to` is the last record
/// there is: with nothing left over, the next answer goes on after it.
pub(super) fn page<'a>(
    presenter: &Presenter<'_>,
    entries: &'a [Entry],
    wanted: impl Fn(&'a Entry) -> bool,
    since: u64,
    inside: Inside,
    budget: Budget,
) -> Shown {
    let closed = presenter.closed(entries.iter().filter(|entry| wanted(entry)));
    let items: Vec<Item> = entries
        .iter()
        .filter(|entry| wanted(entry))
        .filter_map(|entry| item(presenter, &closed, entry))
        // One more than fits tells that there is more.
        .take(budget.entries.saturating_add(1))
        .collect();
    let measured: Vec<render::Entry<'_>> = items
        .iter()
        .map(|item| render::Entry {
            text: item.text(),
            overhead: item.overhead(),
        })
        .collect();
    let budget = Budget {
        bytes: budget.bytes.saturating_sub(FRAME),
        ..budget
    };
    let offset = inside.offset(items.first());
    let page = render::page(&measured, usize::try_from(offset).unwrap_or(usize::MAX), budget);
    let mut shown = Shown {
        next_since: since,
        next_offset: page.next_offset.map(|offset| offset as u64),
        more: page.more,
        begun: page.next_offset.zip(items.first()).map(|(offset, item)| Begun {
            seq: item.seq(),
            offset: offset as u64,
        }),
        ..Shown::default()
    };
    let last_finished = page
        .finished
        .checked_sub(1)
        .and_then(|last| items.get(last))
        .map(Item::seq);
    shown.next_since = match (page.more, last_finished) {
        (true, Some(seq)) => seq,
        (true, None) => since,
        (false, _) => entries.last().map_or(since, |entry| entry.seq),
    };
    for part in &page.shown {
        match items.get(part.index) {
            Some(Item::Event(event)) => shown.events.push(event.clone()),
            Some(Item::Message(message)) => {
                let mut message = MessageItem::clone(message);
                if let (Some(text), false) = (&message.text, part.whole) {
                    message.offset = Some(part.range.start as u64);
                    message.total_bytes = Some(text.len() as u64);
                    message.text = Some(text.get(part.range.clone()).unwrap_or_default().to_owned());
                }
                shown.messages.push(message);
            }
            None => {}
        }
    }
    shown
}
