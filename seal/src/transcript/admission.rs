//! Steps 1 to 5 of `crypto.md` section 9.3: may this record enter the chain? Changes nothing.

use wire::epoch_record::{EpochRecord, EpochType};
use wire::ids::{MessageId, ParticipantId};
use wire::sizes::SEQ_MAX;
use wire::transcript::RecordClass;

use super::{Access, RawRecord, Reader, Transcript};
use crate::error::Error;
use crate::keys::EpochKeys;
use crate::rekey::{self, Owner};
use crate::succession;

/// A record that may enter, by class.
pub(super) enum Admitted {
    Message { sender: ParticipantId, id: MessageId },
    Notice,
    Member { about: ParticipantId },
    Epoch(Box<NewEra>),
}

/// An epoch record that may enter.
pub(super) struct NewEra {
    pub(super) record: EpochRecord,
    pub(super) access: Access,
    /// What its entry for the reader held.
    pub(super) given: Option<EpochKeys>,
}

pub(super) fn admit(
    transcript: &Transcript,
    record: &RawRecord<'_>,
    reader: &Reader<'_>,
) -> Result<Admitted, Error> {
    let next = transcript
        .head()
        .seq
        .checked_add(1)
        .filter(|next| *next <= SEQ_MAX);
    if next != Some(record.seq) {
        return Err(Error::SeqGap);
    }
    let (sender, item) = (record.sender_id(), record.message_id());
    let class = RecordClass::from_byte(record.class).ok_or(Error::BadRecord)?;
    let admitted = match (class, sender, item) {
        (RecordClass::Message, Some(sender), Some(id)) => Admitted::Message { sender, id },
        (RecordClass::Notice, None, None) => Admitted::Notice,
        (RecordClass::Member, Some(about), None) => Admitted::Member { about },
        (RecordClass::Epoch, _, None) => {
            let epoch = transcript.epoch().checked_add(1);
            if epoch != Some(record.epoch) {
                return Err(Error::EpochOrder);
            }
            return new_era(transcript, record, reader).map(|era| Admitted::Epoch(Box::new(era)));
        }
        _ => return Err(Error::BadRecord),
    };
    if record.epoch == 0 || record.epoch != transcript.epoch() {
        return Err(Error::EpochOrder);
    }
    if let Admitted::Message { id, .. } = admitted
        && transcript.has_seen(&id)
    {
        return Err(Error::Replay);
    }
    Ok(admitted)
}

/// Step 4.
fn new_era(transcript: &Transcript, raw: &RawRecord<'_>, reader: &Reader<'_>) -> Result<NewEra, Error> {
    let record = EpochRecord::parse(raw.body)?;
    if record.session_id != *transcript.session_id() || record.epoch != raw.epoch {
        return Err(Error::EpochRecordMalformed);
    }
    succession::owner_after(transcript.owner(), &record)?;
    if record.owner != raw.sender_id() {
        return Err(Error::BadRecord);
    }
    let held = reader.keys.get(record.epoch);
    if let Some(held) = held {
        held.check_record(&record)?;
    }
    let given = entry_of_reader(transcript, &record, reader)?;
    let access = match (held, &given) {
        (Some(_), _) => Access::Held,
        (None, Some(given)) => Access::Given(given.kind()),
        (None, None) => access_without_keys(&record, reader),
    };
    Ok(NewEra {
        record,
        access,
        given,
    })
}

/// Opens the reader's own entry, if it is listed.
fn entry_of_reader(
    transcript: &Transcript,
    record: &EpochRecord,
    reader: &Reader<'_>,
) -> Result<Option<EpochKeys>, Error> {
    let Some(me) = reader.me.filter(|me| record.entry(me.participant_id()).is_some()) else {
        return Ok(None);
    };
    match (reader.keys.get(transcript.epoch()), reader.keys.get(record.epoch)) {
        (Some(old), _) => rekey::open(record, old, owner_in_force(transcript, reader), me).map(Some),
        // Came by a link, without the epoch before: the link's secret fits, and nothing is left to open the entry with.
        (None, Some(_)) => Ok(None),
        (None, None) => Err(Error::RekeyAuth),
    }
}

fn owner_in_force<'a>(transcript: &'a Transcript, reader: &'a Reader<'_>) -> Owner<'a> {
    let id = transcript.owner();
    Owner {
        id,
        keys: id.and_then(|id| reader.roster.get(id)).map(|known| &known.keys),
    }
}

/// Someone who holds a later epoch reads the past; for anybody else this is where reading ends.
fn access_without_keys(record: &EpochRecord, reader: &Reader<'_>) -> Access {
    let past = reader
        .keys
        .newest()
        .is_some_and(|newest| newest.epoch() > record.epoch);
    match record.epoch_type {
        _ if past || reader.me.is_none() => Access::Unheld,
        EpochType::OwnerRekey => Access::Removed,
        EpochType::AdminRekey => Access::NewLinkNeeded,
        EpochType::Creation => Access::Unheld,
    }
}

/// Whether a profile that the plane serves could change what a record yields.
pub(super) fn needs_profiles(transcript: &Transcript, record: &RawRecord<'_>, reader: &Reader<'_>) -> bool {
    match (RecordClass::from_byte(record.class), record.sender_id()) {
        (Some(RecordClass::Message), Some(sender)) => {
            reader.keys.get(record.epoch).is_some() && !reader.roster.may_write(&sender, record.epoch)
        }
        (Some(RecordClass::Epoch), Some(_)) => {
            let listed = reader.me.is_some_and(|me| {
                EpochRecord::parse(record.body)
                    .is_ok_and(|record| record.entry(me.participant_id()).is_some())
            });
            listed && owner_in_force(transcript, reader).keys.is_none()
        }
        _ => false,
    }
}
