//! Taking records in: verified one by one, in order, before anything of them is believed.

use std::collections::BTreeSet;

use seal::Error;
use seal::transcript::{Ahead, EpochChange, Outcome, RawRecord, Reader, Standing, Start};
use wire::api::{Checkpoint, Page, ParticipantRow, Record};
use wire::encoding::Blob;
use wire::epoch_record::EpochRecord;
use wire::ids::{MessageId, ParticipantId};
use wire::transcript::RecordClass;

use super::error::SessionError;
use super::message::Message;
use super::view::{Entry, NO_KEY, NewEpoch, Opened, Posted, What};
use super::{Session, ahead, integrity};
use crate::plane::Deadline;

/// What became of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// All of it is accepted.
    All,
    /// A record is missing after the head: read once more before this is held against the plane.
    Gap,
}

impl Session {
    /// Takes a page in. `asked_head` is the head at the time of the request: the plane may not know of less.
    pub(super) async fn take_page(
        &mut self,
        page: Page,
        asked_head: u64,
        until: Deadline,
    ) -> Result<Taken, SessionError> {
        integrity::may_accept(self.alarm.as_ref())?;
        if page.state.head_seq < asked_head {
            return Err(self.fail(Error::Rollback));
        }
        if let Some(checkpoint) = &page.checkpoint {
            self.skip_to(checkpoint)?;
        }
        // Asked anew for each page: a profile may have come in between.
        let mut asked = BTreeSet::new();
        let before = self.transcript.head().seq;
        let mut result = Ok(Taken::All);
        let looked = ahead::look(&page.records, before, &self.keys, &self.roster);
        for (record, looked) in page.records.iter().zip(looked) {
            match self.take_record(record, looked, &mut asked, until).await {
                Ok(()) => continue,
                Err(SessionError::Failed(Error::SeqGap)) => result = Ok(Taken::Gap),
                Err(error) => result = Err(error),
            }
            break;
        }
        let accepted = before + 1..=self.transcript.head().seq;
        let new: Vec<Record> = page
            .records
            .into_iter()
            .filter(|record| accepted.contains(&record.seq) && self.view.at(record.seq).is_some())
            .collect();
        self.remember(&new);
        if result.is_ok() {
            self.hear_state(page.state);
        }
        result
    }

    /// Puts accepted records into the cache. It can be had again, so a cache that does not take them is no failure.
    pub(super) fn remember(&self, records: &[Record]) {
        if let Err(error) = self.cache.append(records) {
            tracing::info!(%error, "the cache does not take new records");
        }
    }

    pub(super) fn forget_cache(&self) {
        if let Err(error) = self.cache.clear() {
            tracing::info!(%error, "the cache can't be cleared");
        }
    }

    /// One record: compared with what was accepted, or accepted, or the end.
    async fn take_record(
        &mut self,
        record: &Record,
        looked: Option<Ahead<'_>>,
        asked: &mut BTreeSet<(ParticipantId, u32)>,
        until: Deadline,
    ) -> Result<(), SessionError> {
        let raw = RawRecord::from_wire(record).map_err(|error| self.fail(error))?;
        if raw.seq <= self.transcript.head().seq {
            return self.compare(&raw);
        }
        let author = ParticipantId::from_bytes(raw.sender);
        let reader = Reader {
            keys: &mut self.keys,
            roster: &mut self.roster,
            me: Some(&self.me),
        };
        if self.transcript.needs_profiles(&raw, &reader) && asked.insert((author, raw.epoch)) {
            self.learn_participants(raw.epoch, until).await?;
        }
        let kept = self.seat.read()?;
        if record.class == RecordClass::Epoch
            && kept
                .epoch_records
                .get(&record.epoch)
                .is_some_and(|known| known.as_slice() != raw.body)
        {
            // The join, or an earlier read, brought another one. Where the keys tell already, they name it.
            let unfit = EpochRecord::parse(raw.body)
                .ok()
                .and_then(|record| self.keys.get(record.epoch)?.check_record(&record).err());
            return Err(self.fail(unfit.unwrap_or(Error::Rollback)));
        }
        let accepted_before = kept.head.filter(|head| record.seq <= head.seq);
        let taking_back = self.is_relearning(&kept) && self.is_forgotten(record);
        if accepted_before.is_some() || taking_back {
            self.expect_own(record)?;
        }
        let entry = match self.accept(record, looked) {
            // Another process of this seat may have sent it since the page was asked for.
            Err(Error::OwnRecordMismatch) => {
                let kept = self.seat.read()?;
                self.expect_pending(&kept)?;
                if kept.head.is_some_and(|head| record.seq <= head.seq) {
                    self.expect_own(record)?;
                }
                self.accept(record, None)
            }
            other => other,
        };
        let entry = entry.map_err(|error| self.fail(error))?;
        if taking_back {
            self.took_back(&entry).map_err(|error| self.fail(error))?;
        }
        let stored = accepted_before.filter(|head| head.seq == record.seq);
        if stored.is_some_and(|head| self.transcript.head().hash != head.hash.0) {
            // All of it is another history than the one accepted before: none of it is shown.
            self.view.clear();
            self.forget_cache();
            return Err(self.fail(Error::Rollback));
        }
        if matches!(entry.what, What::Member(_)) {
            // Who was here a moment ago is not who is here now.
            self.present = None;
        }
        self.view.push(entry);
        Ok(())
    }

    /// Accepts the next record, which may have been looked into before, and says what it is to a reader. An error leaves
    /// everything as it was.
    pub(super) fn accept(&mut self, record: &Record, looked: Option<Ahead<'_>>) -> Result<Entry, Error> {
        let ahead = match looked {
            Some(looked) => looked,
            None => RawRecord::from_wire(record)?.into(),
        };
        let mut reader = Reader {
            keys: &mut self.keys,
            roster: &mut self.roster,
            me: Some(&self.me),
        };
        let outcome = self.transcript.accept_ahead(ahead, &mut reader)?;
        Ok(Entry {
            seq: record.seq,
            at: record.at,
            epoch: record.epoch,
            what: self.understand(record, outcome),
        })
    }

    fn understand(&mut self, record: &Record, outcome: Outcome) -> What {
        let content = match outcome {
            Outcome::Message { message, standing } => self.opened(record, message.json.as_str(), standing),
            Outcome::NoKey => Err(NO_KEY),
            Outcome::Unreadable(error) => Err(error.name()),
            Outcome::Notice(notice) => return What::Notice(notice),
            Outcome::BadNotice => return What::Notice(None),
            Outcome::Member(member) => return What::Member(Some(member)),
            Outcome::BadMember => return What::Member(None),
            Outcome::Epoch(change) => return What::Epoch(new_epoch(record, change)),
        };
        // The verifier refuses messages without sender or id, so the zeros never stand.
        let author = record.sender.unwrap_or(ParticipantId::from_bytes([0; 16]));
        What::Message(Box::new(Posted {
            id: record.item_id.unwrap_or(MessageId::from_bytes([0; 16])),
            author,
            mine: author == *self.my_id(),
            content,
        }))
    }

    fn opened(&mut self, record: &Record, json: &str, standing: Standing) -> Result<Opened, &'static str> {
        if let Standing::Differs(error) = standing {
            tracing::warn!(
                error = error.name(),
                seq = record.seq,
                "a sender saw another history"
            );
            integrity::raise(&mut self.alarm, error, record.seq, self.clock.now());
        }
        let message = Message::parse(json).ok_or(Error::BadContent.name())?;
        Ok(Opened {
            signal_differs: message.signal.as_deref() != record.signal.map(|signal| signal.word()),
            message,
            standing,
        })
    }

    /// A record at or before the head, read once more, must be the one that was accepted.
    fn compare(&mut self, raw: &RawRecord<'_>) -> Result<(), SessionError> {
        if raw.seq <= self.transcript.base() {
            return Ok(());
        }
        self.transcript.recheck(raw).map_err(|error| self.fail(error))?;
        if self.unchecked_own.is_some_and(|seq| raw.seq >= seq) {
            self.unchecked_own = None;
        }
        Ok(())
    }

    /// Goes on from a checkpoint after the head; one at or before it is ignored.
    fn skip_to(&mut self, checkpoint: &Checkpoint) -> Result<(), SessionError> {
        let start = Start {
            seq: checkpoint.seq,
            hash: checkpoint.hash.0,
            epoch_record: checkpoint.epoch_record.as_slice(),
        };
        match self.transcript.skip_to(&start, &self.keys) {
            Ok(true) => {
                self.view.clear();
                self.unchecked_own = None;
                self.started_at = Some(checkpoint.clone());
                self.forget_cache();
                Ok(())
            }
            Ok(false) => Ok(()),
            Err(error) => Err(self.fail(error)),
        }
    }

    /// Asks the plane for everybody, with their profiles from an epoch on, and learns from those that hold.
    pub(super) async fn learn_participants(
        &mut self,
        epoch: u32,
        until: Deadline,
    ) -> Result<Vec<ParticipantRow>, SessionError> {
        let token = self.token()?;
        let answer = self
            .plane
            .participants(self.me.session_id(), &token, Some(epoch), until)
            .await?;
        for profile in answer.sealed_profiles.unwrap_or_default() {
            let (who, epoch) = (&profile.participant_id, profile.epoch);
            if let Err(error) = self
                .roster
                .learn(&self.keys, who, epoch, profile.sealed.as_slice())
            {
                tracing::warn!(error = error.name(), epoch, participant = %who, "a profile does not hold");
            }
        }
        // A participant is one row, however often the plane names it.
        let mut named = BTreeSet::new();
        let mut rows = answer.participants;
        rows.retain(|row| named.insert(row.participant_id));
        Ok(rows)
    }

    /// Notes that the plane misbehaves, for good. A gap is noted by who has read once more.
    pub(super) fn fail(&mut self, error: Error) -> SessionError {
        if error != Error::SeqGap {
            self.note_failure(error);
        }
        SessionError::Failed(error)
    }

    pub(super) fn note_failure(&mut self, error: Error) {
        let seq = self.transcript.head().seq.saturating_add(1);
        tracing::error!(error = error.name(), seq, "the transcript does not hold");
        integrity::raise(&mut self.alarm, error, seq, self.clock.now());
    }
}

/// The verifier has parsed the same bytes.
fn new_epoch(record: &Record, change: EpochChange) -> NewEpoch {
    let bytes = record
        .epoch_record
        .as_ref()
        .map(Blob::as_slice)
        .unwrap_or_default();
    let parsed = EpochRecord::parse(bytes).ok();
    NewEpoch {
        change,
        opens_before: parsed.as_ref().is_some_and(|parsed| parsed.history.is_some()),
        stays: parsed
            .map(|parsed| parsed.entries.iter().map(|entry| entry.participant_id).collect())
            .unwrap_or_default(),
    }
}
