//! The verifier of a transcript (`crypto.md` section 9): pure, one record at a time, in order.

mod outcome;
mod raw;
mod state;

use wire::ids::{MessageId, ParticipantId, SessionId};
use wire::transcript::Hash;

use crate::error::Error;
use crate::identity::Identity;
use crate::keys::Keyring;
use crate::roster::Roster;

pub use crate::record::message::Head;
pub use outcome::{Access, EpochChange, Member, MemberKind, Outcome, Standing};
pub use raw::RawRecord;
pub use state::TranscriptState;

/// Who reads, with what it holds. Accepting a record may add keys (a re-key) and knowledge (a profile).
#[derive(Debug)]
pub struct Reader<'a> {
    /// The keys held.
    pub keys: &'a mut Keyring,
    /// What was learned of others.
    pub roster: &'a mut Roster,
    /// The reader itself, where it is a participant.
    pub me: Option<&'a Identity>,
}

/// A place to start from when what came before is gone (section 9.4).
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// The last seq that is gone.
    pub seq: u64,
    /// H of it.
    pub hash: Hash,
    /// The bytes of the epoch record in force there.
    pub epoch_record: &'a [u8],
}

/// One reader's view of one session: the chain it accepted, and what it needs to go on.
#[derive(Debug)]
pub struct Transcript {
    state: TranscriptState,
}

impl Transcript {
    /// Nothing accepted yet.
    pub fn new(session: SessionId) -> Self {
        todo!()
    }

    /// Starts after evicted records, unverified: the first message by somebody else whose head is at or after
    /// the start confirms it, or shows a fork.
    ///
    /// # Errors
    /// `epoch_record_malformed`; `verifier_mismatch` against keys held.
    pub fn from_checkpoint(session: SessionId, start: &Start<'_>, keys: &Keyring) -> Result<Self, Error> {
        todo!()
    }

    /// From the state file.
    ///
    /// # Errors
    /// `epoch_record_malformed`, `bad_record`: the file was changed.
    pub fn from_state(state: TranscriptState) -> Result<Self, Error> {
        todo!()
    }

    /// For the state file. Holds ids and hashes, no secret.
    pub const fn state(&self) -> &TranscriptState {
        &self.state
    }

    /// Goes on from a checkpoint that lies after the head, when the records between are gone. One at or before the
    /// head is ignored, and this answers false.
    ///
    /// # Errors
    /// As [`Transcript::from_checkpoint`]; `epoch_order` for an epoch before the one in force; `rollback` for another
    /// record of the epoch in force.
    pub fn skip_to(&mut self, start: &Start<'_>, keys: &Keyring) -> Result<bool, Error> {
        todo!()
    }

    /// Whether a record's author has no known profile, or no right to write in its epoch: ask the plane for the
    /// participants once, take their profiles into the roster, then accept.
    pub fn needs_profiles(&self, record: &RawRecord<'_>, reader: &Reader<'_>) -> bool {
        todo!()
    }

    /// Accepts the next record and says what it yields.
    ///
    /// # Errors
    /// The record must not enter the chain, and nothing was changed: `seq_gap` (after one re-read), `bad_record`,
    /// `epoch_order`, `epoch_record_malformed`, `rekey_not_owner`, `rekey_auth`, `verifier_mismatch`, `replay`,
    /// `own_record_mismatch`. The plane misbehaves or lost data: accept nothing further, post nothing, say so.
    pub fn accept(&mut self, record: &RawRecord<'_>, reader: &mut Reader<'_>) -> Result<Outcome, Error> {
        todo!()
    }

    /// Compares a record at or before the head, read once more, with what was accepted.
    ///
    /// # Errors
    /// `own_record_mismatch` where this participant's own record stood, else `rollback`. `seq_gap` when that seq is
    /// not held.
    pub fn recheck(&self, record: &RawRecord<'_>) -> Result<(), Error> {
        todo!()
    }

    /// Compares the newest seq that the plane names with the head.
    ///
    /// # Errors
    /// `rollback` when the plane has less than was accepted.
    pub fn check_plane_head(&self, head_seq: u64) -> Result<(), Error> {
        todo!()
    }

    /// The head to put into the next message.
    ///
    /// # Errors
    /// `seq_gap` while an own record that the plane confirmed is not accepted yet: read first. `limit_reached` at the
    /// last seq.
    pub fn head_for_writing(&self) -> Result<Head, Error> {
        todo!()
    }

    /// Notes a message of this participant's before its first byte is sent. Sealing it anew after `epoch_moved`
    /// replaces it.
    ///
    /// # Errors
    /// `replay` when that id was accepted before.
    pub fn sending(&mut self, id: MessageId, epoch: u32, sealed: &[u8]) -> Result<(), Error> {
        todo!()
    }

    /// Notes the plane's answer to a post.
    ///
    /// # Errors
    /// `own_record_mismatch` when the record accepted at that seq is another.
    pub fn posted(&mut self, id: &MessageId, seq: u64) -> Result<(), Error> {
        todo!()
    }

    /// The last record accepted.
    pub fn head(&self) -> Head {
        todo!()
    }

    /// H of a seq from the base to the head.
    pub fn hash_at(&self, seq: u64) -> Option<&Hash> {
        todo!()
    }

    /// The seq this view starts after: 0, or that of a checkpoint.
    pub fn base(&self) -> u64 {
        todo!()
    }

    /// The epoch in force; 0 before the first record.
    pub fn epoch(&self) -> u32 {
        todo!()
    }

    /// The bytes of the epoch record in force.
    pub fn epoch_record(&self) -> &[u8] {
        todo!()
    }

    /// The owner in force; none after an administrator re-key.
    pub fn owner(&self) -> Option<&ParticipantId> {
        todo!()
    }

    /// Up to which seq each participant's messages confirm this history, oneself included.
    pub fn confirmed(&self) -> impl Iterator<Item = (&ParticipantId, u64)> {
        std::iter::empty()
    }

    /// Whether a message id was accepted.
    pub fn has_seen(&self, id: &MessageId) -> bool {
        todo!()
    }

    /// Whether an accepted message is this participant's own.
    pub fn is_own(&self, id: &MessageId) -> bool {
        todo!()
    }
}
