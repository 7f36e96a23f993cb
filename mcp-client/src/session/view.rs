//! One seat's verified view of a transcript: what each accepted record is to a reader.
//!
//! Holds what was accepted, in order, and answers questions about it. It verifies nothing itself and does no I/O.

use seal::transcript::{EpochChange, Member, Standing};
use wire::event::Notice;
use wire::ids::{MessageId, ParticipantId};
use wire::timestamp::Timestamp;

use super::message::Message;

/// Why a message of an epoch whose keys this seat never had can't be read.
pub const NO_KEY: &str = "no_key";

/// One accepted record.
#[derive(Debug)]
pub struct Entry {
    /// Its number.
    pub seq: u64,
    /// When, by the plane's word; not covered by the transcript hash.
    pub at: Timestamp,
    /// The epoch it was appended in.
    pub epoch: u32,
    /// What it is.
    pub what: What,
}

/// What an accepted record is.
#[derive(Debug)]
pub enum What {
    /// A message, opened or not.
    Message(Box<Posted>),
    /// A notice; none is one this version does not know.
    Notice(Option<Notice>),
    /// A member event; none is one this version does not know.
    Member(Option<Member>),
    /// A new epoch.
    Epoch(NewEpoch),
}

/// A new epoch in the transcript.
#[derive(Debug)]
pub struct NewEpoch {
    /// What the verifier says of it.
    pub change: EpochChange,
    /// Whom its record lists: those who stay, by an owner's re-key.
    pub stays: Vec<ParticipantId>,
    /// Whether its link opens the epoch before.
    pub opens_before: bool,
}

/// A message in the transcript.
#[derive(Debug)]
pub struct Posted {
    /// Its id.
    pub id: MessageId,
    /// Who it says it is from. The signature was checked if `content` is there.
    pub author: ParticipantId,
    /// Written by this seat.
    pub mine: bool,
    /// What it says, or the name of why it can't be read.
    pub content: Result<Opened, &'static str>,
}

/// A message that opened.
#[derive(Debug)]
pub struct Opened {
    /// Its plaintext.
    pub message: Message,
    /// What its head says about the two histories.
    pub standing: Standing,
    /// The plane was told another signal than the message carries.
    pub signal_differs: bool,
}

/// All accepted records from the start of this reader's view, without a gap.
#[derive(Debug, Default)]
pub struct View {
    entries: Vec<Entry>,
}

impl View {
    /// Appends the next accepted record.
    pub fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Forgets everything, for a new start.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// All records.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The records after a seq.
    pub fn after(&self, seq: u64) -> &[Entry] {
        let from = self.entries.partition_point(|entry| entry.seq <= seq);
        self.entries.get(from..).unwrap_or_default()
    }

    /// The record at a seq.
    pub fn at(&self, seq: u64) -> Option<&Entry> {
        self.after(seq.checked_sub(1)?)
            .first()
            .filter(|entry| entry.seq == seq)
    }

    /// All messages.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = (&Entry, &Posted)> {
        self.entries.iter().filter_map(Entry::message)
    }

    /// The highest seq of a message by somebody else after `seq`, if any.
    pub fn newest_by_others(&self, seq: u64) -> Option<u64> {
        let by_others = |entry: &&Entry| matches!(&entry.what, What::Message(posted) if !posted.mine);
        self.after(seq)
            .iter()
            .rev()
            .find(by_others)
            .map(|entry| entry.seq)
    }
}

impl Entry {
    /// The record and its message, if it is one.
    pub fn message(&self) -> Option<(&Self, &Posted)> {
        match &self.what {
            What::Message(posted) => Some((self, posted)),
            _ => None,
        }
    }
}

impl Posted {
    /// The plaintext, if it opened.
    pub fn text(&self) -> Option<&Message> {
        self.content.as_ref().ok().map(|opened| &opened.message)
    }
}
