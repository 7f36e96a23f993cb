//! Eviction and its checkpoint (`crypto.md` section 9.4).

use plane::limits::Limits;
use wire::epoch_record::{EpochRecord, EpochType};

use crate::fixture::*;

on_both! {
    async fn a_prefix_goes_and_the_checkpoint_has_the_hash_over_it(engine: Engine) {
        let plane = Plane::with(engine, Limits { records_per_session: 100, ..wide() }).await;
        let owner = plane.create().await;
        let first = owner.message();
        let mut seen = Vec::new();
        let mut last = new(owner.send(first.clone()).await.unwrap()).seq;
        while last < 105 {
            last = owner.post().await.seq;
        }
        seen.extend(owner.transcript().await);
        assert_eq!(owner.state().await.min_seq, 1, "5 % over is not yet evicted");
        owner.post().await;
        until(async || owner.state().await.min_seq == 7).await;
        let page = owner.read(0, 1_000).await;
        assert_eq!(page.records.len(), 100);
        gap_free(&page.records, 7);
        let checkpoint = page.checkpoint.unwrap();
        assert_eq!(checkpoint.seq, 6);
        assert_eq!(checkpoint.hash.0, hash_of(owner.session, &seen[..6]));
        assert_eq!(checkpoint.epoch_record, owner.epoch_record);
        assert!(owner.read(6, 10).await.checkpoint.is_none(), "who is not behind needs none");
        assert_eq!(owner.read(5, 10).await.records[0].seq, 7);
        assert_eq!(again(owner.send(first).await.unwrap()).seq, 3, "an evicted message is known for life");
    }

    async fn the_hash_is_carried_over_epochs_and_prefixes(engine: Engine) {
        let plane = Plane::with(engine, Limits { records_per_session: 20, ..wide() }).await;
        let mut owner = plane.create().await;
        owner.post().await;
        let next = Link { epoch: 2, ..Link::new(2) };
        let record = next.record(owner.session, None, EpochType::AdminRekey).to_bytes();
        let request = wire::api::Rekey { epoch_record: record.clone().into(), rejoin_secret: None };
        plane.service.rekey(&plane.machine, owner.session, request).await.unwrap();
        owner = Seat { link: next, profile: sealed(), ..owner }.join(wire::event::Capability::Full, true).await;
        let mut seen = owner.transcript().await;
        for round in 0..60 {
            let seq = owner.post().await.seq;
            seen.extend(owner.read(seq - 1, 1).await.records);
            if round % 10 == 9 {
                let least = seq.saturating_sub(20);
                until(async || owner.state().await.min_seq >= least).await;
            }
        }
        gap_free(&seen, 1);
        let page = owner.read(0, 1_000).await;
        let checkpoint = page.checkpoint.unwrap();
        let gone = usize::try_from(checkpoint.seq).unwrap();
        assert!(gone > 4, "the re-key itself is gone");
        assert_eq!(checkpoint.hash.0, hash_of(owner.session, &seen[..gone]));
        assert_eq!(EpochRecord::parse(checkpoint.epoch_record.as_slice()).unwrap().epoch, 2);
    }

    async fn a_limit_in_bytes_evicts_as_well(engine: Engine) {
        let plane = Plane::with(engine, Limits { bytes_per_session: 10_000, ..wide() }).await;
        let owner = plane.create().await;
        for _ in 0..30 {
            owner.post().await;
        }
        until(async || owner.read(0, 1_000).await.records.iter().filter_map(|r| r.sealed.as_ref()).map(|s| s.0.len()).sum::<usize>() <= 10_500).await;
        gap_free(&owner.read(0, 1_000).await.records, owner.state().await.min_seq);
    }
}
