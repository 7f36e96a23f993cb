//! Where a view starts: at a checkpoint, or where it stopped (`crypto.md` section 9.4).

use wire::encoding::{Blob, Bytes32};
use wire::epoch_record::EpochRecord;
use wire::ids::SessionId;
use wire::sizes::SEQ_MAX;
use wire::transcript::{Hash, sha256};

use super::Transcript;
use super::state::{Chain, Era, TranscriptState};
use crate::error::Error;
use crate::keys::Keyring;

/// A place to start from when what came before is gone.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// The last seq that is gone.
    pub seq: u64,
    /// H of it.
    pub hash: Hash,
    /// The bytes of the epoch record in force there.
    pub epoch_record: &'a [u8],
}

impl<'a> From<&'a wire::api::Checkpoint> for Start<'a> {
    fn from(checkpoint: &'a wire::api::Checkpoint) -> Self {
        Self {
            seq: checkpoint.seq,
            hash: checkpoint.hash.0,
            epoch_record: checkpoint.epoch_record.as_slice(),
        }
    }
}

impl Transcript {
    /// Starts after evicted records, unverified: the first message by somebody else whose head is at or after
    /// the start confirms it, or shows a fork.
    ///
    /// # Errors
    /// `epoch_record_malformed`; `verifier_mismatch` against keys held; `bad_record` for an impossible seq.
    pub fn from_checkpoint(session: SessionId, start: &Start<'_>, keys: &Keyring) -> Result<Self, Error> {
        let mut transcript = Self::new(session);
        let record = transcript.checked_start(start, keys)?;
        transcript.start_at(start, record);
        Ok(transcript)
    }

    /// Goes on from a checkpoint that lies after the head, when the records between are gone. One at or before the
    /// head is ignored, and this answers false.
    ///
    /// # Errors
    /// As [`Transcript::from_checkpoint`]; `epoch_order` for an epoch before the one in force; `rollback` for another
    /// record of the epoch in force.
    pub fn skip_to(&mut self, start: &Start<'_>, keys: &Keyring) -> Result<bool, Error> {
        if start.seq <= self.head().seq {
            return Ok(false);
        }
        let record = self.checked_start(start, keys)?;
        if record.epoch < self.epoch() {
            return Err(Error::EpochOrder);
        }
        if record.epoch == self.epoch() && start.epoch_record != self.state.epoch_record.as_slice() {
            return Err(Error::Rollback);
        }
        self.start_at(start, record);
        Ok(true)
    }

    fn checked_start(&self, start: &Start<'_>, keys: &Keyring) -> Result<EpochRecord, Error> {
        let record = EpochRecord::parse(start.epoch_record)?;
        if record.session_id != *self.session_id() {
            return Err(Error::EpochRecordMalformed);
        }
        if start.seq == 0 || start.seq > SEQ_MAX {
            return Err(Error::BadRecord);
        }
        if let Some(held) = keys.get(record.epoch) {
            held.check_record(&record)?;
        }
        Ok(record)
    }

    fn start_at(&mut self, start: &Start<'_>, record: EpochRecord) {
        self.state.base = start.seq;
        self.state.chain = Chain(vec![start.hash]);
        self.state.eras.clear();
        self.put_in_force(start.seq, start.epoch_record, record);
        // What the plane confirmed before the start will not be seen any more.
        let gone = |seq: Option<u64>| seq.is_some_and(|seq| seq <= start.seq);
        let settled = self.state.sent.extract_if(.., |_, sent| gone(sent.seq));
        for (id, sent) in settled {
            self.state.seen.insert(id);
            self.state.own.extend(sent.seq.map(|seq| (id, seq)));
        }
    }

    /// From the state file.
    ///
    /// # Errors
    /// `epoch_record_malformed`, `bad_record`: the file was changed.
    pub fn from_state(state: TranscriptState) -> Result<Self, Error> {
        let Blob(bytes) = &state.epoch_record;
        let in_force = if bytes.is_empty() {
            None
        } else {
            Some(EpochRecord::parse(bytes)?)
        };
        if in_force
            .as_ref()
            .is_some_and(|record| record.session_id != state.session_id)
        {
            return Err(Error::EpochRecordMalformed);
        }
        let in_force_hash = sha256(bytes);
        let last_era = state.eras.last().map(|era: &Era| era.epoch_record);
        let whole = !state.chain.0.is_empty()
            && last_era == in_force.is_some().then_some(Bytes32(in_force_hash))
            && state
                .base
                .checked_add(state.chain.0.len() as u64)
                .is_some_and(|end| end - 1 <= SEQ_MAX);
        if whole {
            Ok(Self {
                state,
                in_force,
                in_force_hash,
            })
        } else {
            Err(Error::BadRecord)
        }
    }
}
