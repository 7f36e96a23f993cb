//! What this seat's link does not open: messages of epochs whose keys it never had, told of in one line each time.

use std::collections::BTreeMap;

use wire::epoch_record::EpochType;

use super::counted;
use crate::session::Session;
use crate::session::view::{Entry, NO_KEY, NewEpoch, What};

/// Messages that stay closed, in a row, up to where this seat can read on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closed<'a> {
    /// How many.
    pub(super) messages: u64,
    /// The seq of the last.
    pub(super) last: u64,
    /// The epoch from which on this seat can read, as the transcript tells of it.
    opened: Option<(u64, &'a NewEpoch)>,
}

/// Whether a record is a message that this seat has no key for.
pub(super) fn is_closed(entry: &Entry) -> bool {
    let posted = entry.message().map(|(_, posted)| &posted.content);
    posted.is_some_and(|content| content.as_ref().err() == Some(&NO_KEY))
}

/// Of some records, those that stay closed, by the seq of the last of each row.
pub(super) fn rows<'s, 'e>(
    session: &'s Session,
    entries: impl Iterator<Item = &'e Entry>,
) -> BTreeMap<u64, Closed<'s>> {
    let held: Vec<u32> = session.keys().iter().map(|keys| keys.epoch()).collect();
    let mut rows: BTreeMap<Option<u32>, Closed<'s>> = BTreeMap::new();
    for entry in entries.filter(|entry| is_closed(entry)) {
        let next = held.iter().filter(|epoch| **epoch > entry.epoch).min().copied();
        let row = rows.entry(next).or_insert_with(|| Closed {
            messages: 0,
            last: 0,
            opened: next.and_then(|epoch| began(session, epoch)),
        });
        row.messages += 1;
        row.last = entry.seq;
    }
    rows.into_values().map(|row| (row.last, row)).collect()
}

impl Closed<'_> {
    /// The one line.
    pub(super) fn text(&self) -> String {
        let messages = counted(self.messages, "message");
        let before = self
            .opened
            .map_or_else(String::new, |(seq, _)| format!(" before #{seq}"));
        format!("{messages}{before} can't be read with this link{}", self.why())
    }

    /// The same of a hand-off among them, and what to do.
    pub(super) fn hand_off(&self) -> String {
        format!(
            "The hand-off is closed to this link: {} Ask somebody who was there to hand off again, with a message.",
            self.text()
        )
    }

    fn why(&self) -> &'static str {
        match self
            .opened
            .map(|(_, new)| (new.change.epoch_type, new.opens_before))
        {
            Some((EpochType::OwnerRekey, false)) => ": the owner closed what came before.",
            Some((EpochType::AdminRekey, _)) => {
                ": an administrator re-keyed, and what came before stays with those who were there."
            }
            _ => ".",
        }
    }
}

fn began(session: &Session, epoch: u32) -> Option<(u64, &NewEpoch)> {
    session
        .view()
        .entries()
        .iter()
        .find_map(|entry| match &entry.what {
            What::Epoch(new) if new.change.epoch == epoch => Some((entry.seq, new)),
            _ => None,
        })
}
