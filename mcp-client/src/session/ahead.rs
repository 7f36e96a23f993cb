//! Looking into many records at once, on as many threads as there are processors, before they are accepted one by one.

use std::num::NonZero;
use std::thread;

use seal::keys::Keyring;
use seal::roster::Roster;
use seal::transcript::{Ahead, RawRecord};
use wire::api::Record;

/// Fewer records than this for each thread are not worth it.
const SHARE_MIN: usize = 32;
/// More threads than this are not started: a client shares its machine.
const THREADS_MAX: usize = 4;

/// Each record after a seq as it was found, in their order; none for what is left to its turn.
pub(super) fn look<'a>(
    records: &'a [Record],
    after: u64,
    keys: &Keyring,
    roster: &Roster,
) -> Vec<Option<Ahead<'a>>> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = (records.len() / SHARE_MIN).min(processors).min(THREADS_MAX);
    match threads {
        0 | 1 => records.iter().map(|_| None).collect(),
        _ => look_by(threads, records, after, keys, roster),
    }
}

fn look_by<'a>(
    threads: usize,
    records: &'a [Record],
    after: u64,
    keys: &Keyring,
    roster: &Roster,
) -> Vec<Option<Ahead<'a>>> {
    let one = |record: &'a Record| {
        let raw = RawRecord::from_wire(record).ok().filter(|raw| raw.seq > after)?;
        Some(Ahead::look(raw, keys, roster))
    };
    let each = &|part: &'a [Record]| part.iter().map(one).collect::<Vec<_>>();
    let share = records.len().div_ceil(threads);
    let (own, others) = records.split_at(share.min(records.len()));
    thread::scope(|scope| {
        let started: Vec<_> = others
            .chunks(share)
            .map(|part| {
                (
                    part,
                    thread::Builder::new().spawn_scoped(scope, move || each(part)),
                )
            })
            .collect();
        let mut looked = each(own);
        for (part, thread) in started {
            let found = thread.ok().and_then(|thread| thread.join().ok());
            // Where no thread was to be had, they are left to their turn.
            looked.extend(found.unwrap_or_else(|| part.iter().map(|_| None).collect()));
        }
        looked
    })
}

#[cfg(test)]
mod tests {
    use wire::encoding::Blob;
    use wire::ids::SessionId;
    use wire::timestamp::Timestamp;
    use wire::transcript::RecordClass;

    use super::*;

    fn record(seq: u64) -> Record {
        Record {
            seq,
            at: Timestamp::from_millis(0),
            epoch: 1,
            class: RecordClass::Message,
            sender: None,
            item_id: None,
            // One in seven lacks what a message has.
            sealed: (!seq.is_multiple_of(7)).then(|| Blob(vec![1])),
            signal: None,
            body: None,
            epoch_record: None,
        }
    }

    #[test]
    fn each_record_stands_in_its_place_however_many_threads_look() {
        let records: Vec<Record> = (1..=100).map(record).collect();
        let (keys, roster) = (Keyring::new(), Roster::new(SessionId::from_bytes([1; 16])));
        for threads in [1, 2, 3, 7, 100, 101] {
            let looked = look_by(threads, &records, 10, &keys, &roster);
            let seqs: Vec<_> = looked
                .iter()
                .map(|looked| looked.as_ref().map(|looked| looked.record().seq))
                .collect();
            let expected: Vec<_> = (1..=100_u64)
                .map(|seq| (seq > 10 && !seq.is_multiple_of(7)).then_some(seq))
                .collect();
            assert_eq!(seqs, expected, "{threads} threads");
        }
    }

    #[test]
    fn few_records_are_left_to_their_turn() {
        let records: Vec<Record> = (1..=31).map(record).collect();
        let (keys, roster) = (Keyring::new(), Roster::new(SessionId::from_bytes([1; 16])));
        let looked = look(&records, 0, &keys, &roster);
        assert_eq!(looked.len(), records.len());
        assert!(looked.iter().all(Option::is_none));
    }
}
