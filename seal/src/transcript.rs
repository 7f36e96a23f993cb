//! The verifier of a transcript (`crypto.md` section 9): pure, one record at a time, in order.

mod admission;
mod ahead;
mod outcome;
mod own;
mod raw;
mod reading;
mod start;
mod state;

use wire::encoding::{Blob, Bytes32};
use wire::epoch_record::EpochRecord;
use wire::ids::{MessageId, ParticipantId, SessionId};
use wire::transcript::{Hash, next_hashed, sha256};

use crate::error::Error;
use crate::identity::Identity;
use crate::keys::Keyring;
use crate::roster::Roster;
use admission::{Admitted, NewEra};

pub use crate::record::message::Head;
pub use ahead::Ahead;
pub use outcome::{Access, EpochChange, Member, MemberKind, Outcome, Standing};
pub use raw::RawRecord;
pub use start::Start;
pub use state::{Chain, Era, Sent, TranscriptState};

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

/// One reader's view of one session: the chain it accepted, and what it needs to go on.
#[derive(Debug)]
pub struct Transcript {
    state: TranscriptState,
    /// `state.epoch_record`, parsed; none before the first record.
    in_force: Option<EpochRecord>,
    /// SHA-256 of it.
    in_force_hash: Hash,
}

impl Transcript {
    /// Nothing accepted yet.
    pub fn new(session: SessionId) -> Self {
        Self {
            state: TranscriptState::new(session),
            in_force: None,
            in_force_hash: [0; 32],
        }
    }

    /// For the state file. Holds ids and hashes, no secret.
    pub const fn state(&self) -> &TranscriptState {
        &self.state
    }

    /// Whether a record's author has no known profile, or no right to write in its epoch, or a re-key names this reader
    /// and the owner's keys are not known: ask the plane for the participants once, take their profiles into the
    /// roster, then accept.
    pub fn needs_profiles(&self, record: &RawRecord<'_>, reader: &Reader<'_>) -> bool {
        admission::needs_profiles(self, record, reader)
    }

    /// Accepts the next record and says what it yields.
    ///
    /// # Errors
    /// The record must not enter the chain, and nothing was changed: `seq_gap` (after one re-read), `bad_record`,
    /// `epoch_order`, `epoch_record_malformed`, `rekey_not_owner`, `rekey_auth`, `verifier_mismatch`, `replay`,
    /// `own_record_mismatch`. The plane misbehaves or lost data: accept nothing further, post nothing, say so.
    pub fn accept(&mut self, record: &RawRecord<'_>, reader: &mut Reader<'_>) -> Result<Outcome, Error> {
        self.accept_ahead(Ahead::from(*record), reader)
    }

    /// As [`Transcript::accept`], of a record that was looked into before: the outcome is the same.
    ///
    /// # Errors
    /// As [`Transcript::accept`].
    pub fn accept_ahead(&mut self, ahead: Ahead<'_>, reader: &mut Reader<'_>) -> Result<Outcome, Error> {
        let Ahead { record, looked } = ahead;
        let record = &record;
        let admitted = admission::admit(self, record, reader)?;
        if let Some(me) = reader.me {
            self.check_own(record, &admitted, me.participant_id())?;
        }
        if let Admitted::Epoch(era) = admitted {
            return Ok(Outcome::Epoch(self.enter_era(record, *era, reader)));
        }
        self.append(record);
        Ok(match admitted {
            Admitted::Message { sender, id } => {
                self.state.seen.insert(id);
                if self.state.sent.remove(&id).is_some() {
                    self.state.own.insert(id, record.seq);
                }
                reading::message(self, record, looked, &sender, &id, reader)
            }
            Admitted::Member { about } => reading::member(record, &about, reader),
            Admitted::Notice | Admitted::Epoch(_) => reading::notice(record.body),
        })
    }

    fn enter_era(&mut self, record: &RawRecord<'_>, era: NewEra, reader: &mut Reader<'_>) -> EpochChange {
        let NewEra {
            record: epoch_record,
            access,
            given,
        } = era;
        let change = EpochChange {
            epoch: epoch_record.epoch,
            epoch_type: epoch_record.epoch_type,
            owner: epoch_record.owner,
            access,
        };
        self.put_in_force(record.seq, record.body, epoch_record);
        self.append(record);
        if let Some(given) = given {
            reader.keys.insert(given);
        }
        change
    }

    fn put_in_force(&mut self, from_seq: u64, bytes: &[u8], record: EpochRecord) {
        self.in_force_hash = sha256(bytes);
        self.in_force = Some(record);
        self.state.epoch_record = Blob(bytes.to_vec());
        self.state.eras.push(Era {
            from_seq,
            epoch_record: Bytes32(self.in_force_hash),
        });
    }

    fn append(&mut self, record: &RawRecord<'_>) {
        let next = next_hashed(&self.head().hash, &self.in_force_hash, &record.link());
        self.state.chain.0.push(next);
    }

    /// Compares a record at or before the head, read once more, with what was accepted.
    ///
    /// # Errors
    /// `own_record_mismatch` where this participant's own record stood, else `rollback`. `seq_gap` when that seq is
    /// not held.
    pub fn recheck(&self, record: &RawRecord<'_>) -> Result<(), Error> {
        let before = record
            .seq
            .checked_sub(1)
            .and_then(|seq| self.hash_at(seq))
            .ok_or(Error::SeqGap)?;
        let accepted = self.hash_at(record.seq).ok_or(Error::SeqGap)?;
        let era = self
            .state
            .eras
            .iter()
            .rev()
            .find(|era| era.from_seq <= record.seq)
            .ok_or(Error::SeqGap)?;
        if next_hashed(before, &era.epoch_record.0, &record.link()) == *accepted {
            Ok(())
        } else if self.state.own.values().any(|seq| *seq == record.seq) {
            Err(Error::OwnRecordMismatch)
        } else {
            Err(Error::Rollback)
        }
    }

    /// Compares the newest seq that the plane names with the head.
    ///
    /// # Errors
    /// `rollback` when the plane has less than was accepted.
    pub fn check_plane_head(&self, head_seq: u64) -> Result<(), Error> {
        if head_seq < self.head().seq {
            Err(Error::Rollback)
        } else {
            Ok(())
        }
    }

    /// The session.
    pub const fn session_id(&self) -> &SessionId {
        &self.state.session_id
    }

    /// The last record accepted.
    pub fn head(&self) -> Head {
        let chain = &self.state.chain.0;
        // The chain is never empty: it begins with H(base).
        let hash = chain.last().copied().unwrap_or_default();
        Head {
            seq: self.state.base + (chain.len() as u64).saturating_sub(1),
            hash,
        }
    }

    /// H of a seq from the base to the head.
    pub fn hash_at(&self, seq: u64) -> Option<&Hash> {
        let at = usize::try_from(seq.checked_sub(self.state.base)?).ok()?;
        self.state.chain.0.get(at)
    }

    /// The seq this view starts after: 0, or that of a checkpoint.
    pub const fn base(&self) -> u64 {
        self.state.base
    }

    /// The epoch in force; 0 before the first record.
    pub fn epoch(&self) -> u32 {
        self.in_force.as_ref().map_or(0, |record| record.epoch)
    }

    /// The epoch record in force; none before the first record.
    pub const fn epoch_record(&self) -> Option<&EpochRecord> {
        self.in_force.as_ref()
    }

    /// The owner in force; none after an administrator re-key.
    pub fn owner(&self) -> Option<&ParticipantId> {
        self.in_force.as_ref()?.owner.as_ref()
    }

    /// Up to which seq each participant's messages confirm this history, oneself included.
    pub fn confirmed(&self) -> impl Iterator<Item = (&ParticipantId, u64)> {
        self.state.confirmed.iter().map(|(id, seq)| (id, *seq))
    }

    /// Whether a message id was accepted.
    pub fn has_seen(&self, id: &MessageId) -> bool {
        self.state.seen.contains(id)
    }
}
