//! Re-keying (`plane-api.md`, POST rekey; `crypto.md` section 10).

use plane::service::{MachineCaller, Role, Scope};
use wire::api::{DoorState, ProposalRef, Propose, SetDoor, SettableMode};
use wire::encoding::{Blob, Secret32};
use wire::epoch_record::{EntryCapability, EpochRecord, EpochType};
use wire::event::{Capability, Kind, ModeName};
use wire::transcript::RecordClass;

use crate::fixture::*;
use crate::rekeys::{self, by_admin, by_owner, request};

const FULL: Capability = Capability::Full;

fn owner_record(link: &Link, owner: &Seat, keep: &[&Seat]) -> EpochRecord {
    let keep: Vec<_> = keep.iter().map(|seat| (*seat, EntryCapability::Full)).collect();
    rekeys::owner_record(link, owner, &keep)
}

on_both! {
    async fn an_owner_rekey_ends_all_tokens_and_begins_an_epoch(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let out = owner.invite(Kind::Agent, FULL).await;
        let human = owner.invite(Kind::Human, FULL).await;
        owner.start_auto(&guest, 10, 600).await;
        let before = human.me().await;
        let waiting = {
            let (service, by) = (plane.service.clone(), before.clone());
            tokio::spawn(async move { service.wait(&by, 9, 200, std::time::Duration::from_secs(50)).await })
        };
        human.until_listening().await;
        let next = Link::new(2);
        let record = owner_record(&next, &owner, &[&owner, &guest]);
        let ask = request(&record, Some(owner.rejoin_secret));
        let made = new(plane.service.rekey(&plane.machine, owner.session, ask.clone()).await.unwrap());
        assert_eq!(made.epoch, 2);
        assert_eq!(code(waiting.await.unwrap()), "rekeyed");
        for seat in [&owner, &guest, &out] {
            assert_eq!(code(seat.caller().await), "rekeyed");
        }
        assert_eq!(code(plane.service.read(&before, 0, 10).await), "rekeyed", "nothing of the new epoch");
        assert_eq!(code(plane.service.post(&before.into(), human.message()).await), "rekeyed");
        let again_made = again(plane.service.rekey(&plane.machine, owner.session, ask).await.unwrap());
        assert_eq!(again_made, made);
        assert_eq!(code(guest.try_join(FULL, true).await), "rekeyed", "the old proof");
        let back = Seat { link: next, profile: sealed(), ..guest.clone() }.join(FULL, true).await;
        let records = back.transcript().await;
        gap_free(&records, 1);
        let new_ones: Vec<_> = records.iter().filter(|record| record.epoch == 2).collect();
        let classes: Vec<_> = new_ones.iter().map(|record| record.class).collect();
        assert_eq!(classes, [RecordClass::Epoch, RecordClass::Notice, RecordClass::Member]);
        assert_eq!((new_ones[0].seq, new_ones[0].sender), (made.seq, Some(owner.id)));
        assert!(new_ones[1].body.as_ref().unwrap().contains(r#""cause":"rekeyed""#));
    }

    async fn rejoin_shows_the_removed_their_removal_and_nothing_after(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let out = owner.invite(Kind::Agent, FULL).await;
        let mut records = Vec::new();
        for epoch in 2..=3 {
            let record = owner_record(&Link::new(epoch), &owner, &[&owner]);
            let ask = request(&record, Some(owner.rejoin_secret));
            plane.service.rekey(&plane.machine, owner.session, ask).await.unwrap();
            records.push(Blob(record.to_bytes()));
        }
        let ask = |seat: &Seat| wire::api::Rejoin {
            participant_id: seat.id,
            rejoin_secret: Secret32::new(seat.rejoin_secret),
            after_epoch: 1,
        };
        let shown = plane.service.rejoin(out.session, ADDRESS, ask(&out)).await.unwrap();
        assert_eq!(shown.epoch_records, records[..1]);
        let shown = plane.service.rejoin(owner.session, ADDRESS, ask(&owner)).await.unwrap();
        assert_eq!(shown.epoch_records, records);
    }

    async fn checks_come_in_the_order_of_the_contract(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let session = owner.session;
        let rekey = async |by: &MachineCaller, ask| plane.service.rekey(by, session, ask).await;
        let record = owner_record(&Link::new(2), &owner, &[&owner]);
        let share = token(&plane.service, "owner", &[Scope::Share]).await;
        assert_eq!(code(rekey(&share, request(&record, None)).await), "forbidden");
        assert_eq!(code(rekey(&plane.machine, request(&record, None)).await), "bad_request");
        assert_eq!(code(rekey(&plane.machine, request(&record, Some([0; 32]))).await), "bad_proof");
        let far = owner_record(&Link::new(3), &owner, &[&owner]);
        assert_eq!(code(rekey(&plane.machine, request(&far, Some(owner.rejoin_secret))).await), "epoch_moved");
        let usurper = Link::new(2).record(session, Some(guest.id), EpochType::OwnerRekey);
        assert_eq!(code(rekey(&plane.machine, request(&usurper, Some(owner.rejoin_secret))).await), "forbidden");
        let admins = request(&record, Some(owner.rejoin_secret));
        assert_eq!(code(rekey(&plane.admin, admins).await), "forbidden", "type 1 is the owner user's");
        let by_admin = Link::new(2).record(session, None, EpochType::AdminRekey);
        new(rekey(&plane.admin, request(&by_admin, None)).await.unwrap());
        let late = owner_record(&Link::new(3), &owner, &[&owner]);
        assert_eq!(code(rekey(&plane.machine, request(&late, Some(owner.rejoin_secret))).await), "forbidden");
        plane.service.end(&plane.machine, session, false).await.unwrap();
        let next = Link::new(3).record(session, None, EpochType::AdminRekey);
        assert_eq!(code(rekey(&plane.machine, request(&next, None)).await), "session_ended");
        again(rekey(&plane.machine, request(&by_admin, None)).await.unwrap());
    }

    async fn of_two_at_once_the_first_wins(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let second = plane.second(&wide()).await;
        let one = request(&Link::new(2).record(owner.session, None, EpochType::AdminRekey), None);
        let two = request(&Link::new(2).record(owner.session, None, EpochType::AdminRekey), None);
        let (one, two) = tokio::join!(
            plane.service.rekey(&plane.machine, owner.session, one),
            second.rekey(&plane.machine, owner.session, two)
        );
        let lost = if one.is_ok() { two } else { one };
        assert_eq!(code(lost), "epoch_moved");
    }

    async fn rekeys_an_hour_are_limited(engine: Engine) {
        let plane = Plane::with(engine, plane::limits::Limits { rekeys_per_hour: 2, ..wide() }).await;
        let owner = plane.create().await;
        let rekey = async |epoch| {
            let record = Link::new(epoch).record(owner.session, None, EpochType::AdminRekey);
            plane.service.rekey(&plane.machine, owner.session, request(&record, None)).await
        };
        rekey(2).await.unwrap();
        plane.advance(1_800);
        rekey(3).await.unwrap();
        assert_eq!(code(rekey(4).await), "quota_exceeded");
        plane.advance(1_799);
        assert_eq!(code(rekey(4).await), "quota_exceeded");
        plane.advance(1);
        rekey(4).await.unwrap();
    }

    async fn relay_outlives_a_rekey_without_a_notice(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        owner.set(SettableMode::Relay).await.unwrap();
        let next = Link::new(2);
        let ask = request(&owner_record(&next, &owner, &[&owner]), Some(owner.rejoin_secret));
        plane.service.rekey(&plane.machine, owner.session, ask).await.unwrap();
        let back = Seat { link: next, profile: sealed(), ..owner }.join(FULL, true).await;
        assert_eq!(back.notices().await.len(), 1);
        assert_eq!(back.state().await.mode.name, ModeName::Relay);
    }

    async fn of_several_faults_the_first_in_the_order_of_checks_counts(engine: Engine) {
        let limits = plane::limits::Limits { rekeys_per_hour: 1, ..wide() };
        let plane = Plane::with(engine, limits).await;
        plane.service.admin_create_member("org", "other", Role::Member).await.unwrap();
        let other = token(&plane.service, "other", &[Scope::Share, Scope::Rekey]).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let session = owner.session;
        let rekey = async |by: &MachineCaller, ask| plane.service.rekey(by, session, ask).await;
        let wrong = Some([0; 32]);
        let right = Some(owner.rejoin_secret);
        let malformed = |secret: Option<[u8; 32]>| wire::api::Rekey {
            epoch_record: sealed(),
            rejoin_secret: secret.map(Secret32::new),
        };
        assert_eq!(code(rekey(&other, malformed(wrong)).await), "not_found", "the credential before the shape");
        assert_eq!(code(rekey(&plane.machine, malformed(wrong)).await), "bad_request", "the shape before the secret");
        let first = owner_record(&Link::new(2), &owner, &[&owner, &guest]);
        new(rekey(&plane.machine, request(&first, right)).await.unwrap());
        assert_eq!(
            code(rekey(&plane.machine, request(&first, wrong)).await),
            "bad_proof",
            "the secret before the record in force"
        );
        let usurper = |epoch| Link::new(epoch).record(session, Some(guest.id), EpochType::OwnerRekey);
        assert_eq!(
            code(rekey(&plane.machine, request(&usurper(9), right)).await),
            "epoch_moved",
            "the epoch before the owner field"
        );
        assert_eq!(
            code(rekey(&plane.machine, request(&usurper(3), right)).await),
            "forbidden",
            "the owner field before the limits"
        );
        let third = owner_record(&Link::new(3), &owner, &[&owner]);
        assert_eq!(code(rekey(&plane.machine, request(&third, right)).await), "quota_exceeded");
        plane.service.end(&plane.machine, session, false).await.unwrap();
        again(rekey(&plane.machine, request(&first, right)).await.unwrap());
        assert_eq!(
            code(rekey(&plane.machine, request(&usurper(9), right)).await),
            "session_ended",
            "the end before the epoch"
        );
    }

    async fn an_old_proof_is_rekeyed_and_a_wrong_one_is_a_wrong_one(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let next = Link::new(2);
        plane.service.rekey(&plane.machine, owner.session, by_owner(&next, &owner, &[&owner])).await.unwrap();
        let late = owner.stranger(Kind::Agent);
        for capability in [FULL, Capability::View] {
            assert_eq!(code(late.try_join(capability, false).await), "rekeyed");
            assert_eq!(code(owner.try_join(capability, true).await), "rekeyed");
        }
        let ask = async |proof, epoch| late.join_with(proof, epoch, late.joining(false)).await;
        assert_eq!(code(ask([0; 32], 1).await), "bad_proof");
        assert_eq!(code(ask(late.link.full, 2).await), "bad_proof", "an old proof is none of the new epoch");
        assert_eq!(code(ask(next.full, 1).await), "bad_proof");
        joined(ask(next.full, 2).await.unwrap());
    }

    async fn a_proposal_is_dropped_without_a_notice(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let proposal_id = wire::ids::ProposalId::from_bytes(random());
        let propose = Propose { proposal_id, budget: None, ttl_s: None, epoch: 1, sealed_goal: sealed() };
        plane.service.propose(&owner.me().await, propose).await.unwrap();
        let next = Link::new(2);
        let ask = by_owner(&next, &owner, &[&owner, &guest]);
        plane.service.rekey(&plane.machine, owner.session, ask).await.unwrap();
        let guest = guest.with_link(next).join(FULL, true).await;
        assert!(guest.state().await.mode.proposal.is_none());
        let accept = ProposalRef { proposal_id };
        assert_eq!(code(plane.service.accept(&guest.me().await, accept).await), "proposal_gone");
        let notices = guest.notices().await;
        assert_eq!(notices, [r#"{"event":"auto_proposed","budget":20,"ttl_s":1800}"#]);
    }

    async fn who_was_removed_is_as_new_in_every_epoch_after(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let (out, kept) = (owner.invite(Kind::Agent, FULL).await, owner.invite(Kind::Agent, FULL).await);
        let closed = SetDoor { state: DoorState::Closed, joins_left: None, until: None };
        let by = plane::service::OwnerCaller::Machine(plane.machine.clone());
        plane.service.set_door(&by, owner.session, closed).await.unwrap();
        let ask = by_owner(&Link::new(2), &owner, &[&owner, &kept]);
        plane.service.rekey(&plane.machine, owner.session, ask).await.unwrap();
        let next = Link::new(3);
        plane.service.rekey(&plane.admin, owner.session, by_admin(&next, owner.session)).await.unwrap();
        assert_eq!(code(out.with_link(next).try_join(FULL, true).await), "door_closed");
        kept.with_link(next).join(FULL, true).await;
    }

    async fn one_kept_with_a_view_secret_passes_the_door_as_new_with_a_full_proof(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let (reader, writer) = (owner.invite(Kind::Agent, FULL).await, owner.invite(Kind::Agent, Capability::View).await);
        let next = Link::new(2);
        let keep = [
            (&owner, EntryCapability::Full),
            (&reader, EntryCapability::View),
            (&writer, EntryCapability::Full),
        ];
        let record = rekeys::owner_record(&next, &owner, &keep);
        plane.service.rekey(&plane.machine, owner.session, request(&record, Some(owner.rejoin_secret))).await.unwrap();
        let owner = owner.with_link(next).join(FULL, true).await;
        let closed = SetDoor { state: DoorState::Closed, joins_left: None, until: None };
        let by = plane::service::OwnerCaller::Participant(owner.me().await);
        plane.service.set_door(&by, owner.session, closed).await.unwrap();
        assert_eq!(code(reader.with_link(next).try_join(FULL, true).await), "door_closed");
        reader.with_link(next).join(Capability::View, true).await;
        writer.with_link(next).join(FULL, true).await;
    }
}
