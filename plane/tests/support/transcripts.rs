//! What a transcript must be, from the specification alone: its hash, seqs without a gap; and waiting until it is so.

use std::time::Duration;

use wire::api;
use wire::ids::SessionId;

/// The hash of a transcript by its records, from `crypto.md` section 9.1 alone.
pub(crate) fn hash_of(session: SessionId, records: &[api::Record]) -> [u8; 32] {
    use wire::transcript::{Link as Hashed, next, start};

    let mut hash = start(&session);
    let mut in_force = Vec::new();
    for record in records {
        let body = body_of(record);
        if record.epoch_record.is_some() {
            in_force.clone_from(&body);
        }
        hash = next(
            &hash,
            &in_force,
            &Hashed {
                seq: record.seq,
                epoch: record.epoch,
                class: record.class.byte(),
                sender: record.sender,
                item_id: record.item_id,
                body: &body,
            },
        );
    }
    hash
}

fn body_of(record: &api::Record) -> Vec<u8> {
    match (&record.sealed, &record.epoch_record, &record.body) {
        (Some(sealed), None, None) => sealed.0.clone(),
        (None, Some(epoch), None) => epoch.0.clone(),
        (None, None, Some(body)) => body.clone().into_bytes(),
        other => panic!("a record has exactly one body, not {other:?}"),
    }
}

/// That seqs go up by one from `first`.
pub(crate) fn gap_free(records: &[api::Record], first: u64) {
    let seqs: Vec<u64> = records.iter().map(|record| record.seq).collect();
    let expected: Vec<u64> = (first..).take(seqs.len()).collect();
    assert_eq!(seqs, expected, "seqs have a gap or are out of order");
}

/// Looks until something is so; fails if it is not within ten seconds.
pub(crate) async fn until(mut check: impl AsyncFnMut() -> bool) {
    for _ in 0..2_000 {
        if check().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it did not come to be within ten seconds");
}
