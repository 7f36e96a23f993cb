//! Tokens known from an earlier look-up. A post under one is appended while the database says that it counts, whichever
//! process ended it, and is refused as if it had been looked up.

use std::time::Duration;

use plane::service::{Poster, ServiceError, StreamItem};
use wire::api::{SettableMode, StreamEvent};
use wire::encoding::Blob;
use wire::epoch_record::EntryCapability;
use wire::event::{Capability, Kind, ModeName};
use wire::timestamp::Timestamp;

use crate::fixture::*;
use crate::rekeys::{owner_record, request};

const FULL: Capability = Capability::Full;

async fn poster(seat: &Seat) -> Result<Poster, ServiceError> {
    seat.service.poster(seat.session, &seat.token).await
}

/// Posts until the token is known without a look-up.
async fn known(seat: &Seat) -> Poster {
    for _ in 0..3 {
        seat.post().await;
    }
    let poster = poster(seat).await.unwrap();
    assert!(
        !poster.is_looked_up,
        "after three posts of a session its author's token is known"
    );
    poster
}

/// When somebody was seen last, as another one is shown.
async fn last_seen(by: &Seat, who: &Seat) -> Timestamp {
    let shown = by
        .service
        .participants(&by.me().await, None)
        .await
        .unwrap()
        .participants;
    let mut rows = shown.iter().filter(|row| row.participant_id == who.id);
    rows.next().unwrap().last_seen_at
}

on_both! {
    async fn who_posts_was_seen_once_its_append_has_said_that_its_token_counts(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        known(&guest).await;
        let then = last_seen(&owner, &guest).await;
        plane.advance(30);
        let unconfirmed = poster(&guest).await.unwrap();
        assert!(!unconfirmed.is_looked_up);
        assert_eq!(last_seen(&owner, &guest).await, then, "its request has come, and says nothing yet");
        let posted = new(plane.service.post(&unconfirmed, guest.message()).await.unwrap());
        assert_eq!(last_seen(&owner, &guest).await, posted.at);
        assert_eq!(posted.at, then.plus_millis(30_000));
    }

    async fn who_posts_under_a_token_that_was_ended_was_not_seen(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let other = plane.second(&wide()).await;
        known(&guest).await;
        let then = last_seen(&owner, &guest).await;
        other.leave(&guest.over(&other).me().await).await.unwrap();
        plane.advance(30);
        let ended = poster(&guest).await.unwrap();
        assert!(!ended.is_looked_up, "nothing has told this process yet");
        let refused = plane.service.post(&ended, guest.message()).await;
        assert!(matches!(refused, Err(ServiceError::Unauthorized)), "{refused:?}");
        assert_eq!(last_seen(&owner, &guest).await, then);
    }

    async fn a_token_by_which_nothing_is_done_but_posting_is_renewed(engine: Engine) {
        const DAY_S: u32 = 86_400;
        let plane = Plane::with(engine, plane::limits::Limits { token_life_s: 3 * u64::from(DAY_S), ..wide() }).await;
        let owner = plane.create().await;
        known(&owner).await;
        for round in 1..=4 {
            plane.advance(i64::from(DAY_S) + 1);
            let by = poster(&owner).await.unwrap();
            assert!(round >= 3 || !by.is_looked_up, "it is known as long as it was good for at first");
            new(plane.service.post(&by, owner.message()).await.unwrap());
            plane.service.sweep().await.unwrap();
        }
    }

    async fn a_token_that_was_ended_elsewhere_appends_nothing(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let other = plane.second(&wide()).await;
        let before = known(&guest).await;
        let guest_there = guest.over(&other);
        other.leave(&guest_there.me().await).await.unwrap();
        let refused = plane.service.post(&before, guest.message()).await;
        assert!(matches!(refused, Err(ServiceError::Unauthorized)), "{refused:?}");
        assert_eq!(owner.transcript().await.len(), 7, "nothing follows the `left`");
        assert!(matches!(poster(&guest).await, Err(ServiceError::Unauthorized)), "from then on it is not known");
    }

    async fn a_token_that_was_ended_is_refused_before_the_form_of_its_post(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let other = plane.second(&wide()).await;
        let before = known(&guest).await;
        let mut formless = guest.message();
        formless.sealed = Blob(vec![9; 3]);
        assert_eq!(code(plane.service.post(&before, formless.clone()).await), "bad_request");
        other.leave(&guest.over(&other).me().await).await.unwrap();
        let refused = plane.service.post(&before, formless).await;
        assert!(matches!(refused, Err(ServiceError::Unauthorized)), "{refused:?}");
    }

    async fn a_return_elsewhere_ends_what_is_known_here(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let other = plane.second(&wide()).await;
        let before = known(&guest).await;
        let back = guest.over(&other).join(FULL, true).await;
        let refused = plane.service.post(&before, guest.message()).await;
        assert!(matches!(refused, Err(ServiceError::Unauthorized)), "{refused:?}");
        back.over(&plane.service).post().await;
    }

    async fn a_rekey_elsewhere_is_told_to_a_known_token(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let other = plane.second(&wide()).await;
        let before = known(&owner).await;
        let record = owner_record(&Link::new(2), &owner, &[(&owner, EntryCapability::Full)]);
        let ask = request(&record, Some(owner.rejoin_secret));
        new(other.rekey(&plane.machine, owner.session, ask).await.unwrap());
        assert_eq!(code(plane.service.post(&before, owner.message()).await), "rekeyed");
    }

    async fn a_token_that_was_ended_after_its_look_up_appends_nothing(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let other = plane.second(&wide()).await;
        let looked_up: Poster = guest.me().await.into();
        other.leave(&guest.over(&other).me().await).await.unwrap();
        let refused = plane.service.post(&looked_up, guest.message()).await;
        assert!(matches!(refused, Err(ServiceError::Unauthorized)), "{refused:?}");
        assert_eq!(owner.transcript().await.len(), 4, "nothing follows the `left`");

        let returning: Poster = owner.me().await.into();
        owner.over(&other).join(FULL, true).await;
        let refused = plane.service.post(&returning, owner.message()).await;
        assert!(matches!(refused, Err(ServiceError::Unauthorized)), "{refused:?}");
    }

    async fn a_wait_and_a_stream_begin_with_what_came_after_their_look_up(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let human = owner.invite(Kind::Human, FULL).await;
        let other = plane.second(&wide()).await;
        known(&owner).await;
        let head = human.read(0, 200).await.state.head_seq;
        let me = human.me().await;
        let elsewhere = owner.over(&other).post().await;
        let page = plane.service.wait(&me, head, 200, Duration::from_secs(50)).await.unwrap();
        assert_eq!(page.records.iter().map(|record| record.seq).collect::<Vec<_>>(), [elsewhere.seq]);

        let me = human.me().await;
        owner.over(&other).set(SettableMode::Relay).await.unwrap();
        let mut stream = plane.service.events(&me, elsewhere.seq).await.unwrap();
        let mut shown = Vec::new();
        while let Some(StreamItem::Event(event)) = stream.next().await {
            shown.push(event);
            if let Some(StreamEvent::State(state)) = shown.last() {
                assert_eq!(state.mode.name, ModeName::Relay);
                return;
            }
        }
        panic!("no state in {shown:?}");
    }

    async fn what_others_append_meanwhile_costs_a_known_token_nothing(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let other = plane.second(&wide()).await;
        let before = known(&owner).await;
        let elsewhere = guest.over(&other).post().await;
        let post = owner.message();
        let posted = new(plane.service.post(&before, post.clone()).await.unwrap());
        assert_eq!(posted.seq, elsewhere.seq + 1);
        let retried = again(plane.service.post(&before, post).await.unwrap());
        assert_eq!(retried.seq, posted.seq);
    }

    async fn a_token_is_not_known_beyond_its_time(engine: Engine) {
        let plane = Plane::with(engine, plane::limits::Limits { token_life_s: 60, ..wide() }).await;
        let owner = plane.create().await;
        known(&owner).await;
        plane.advance(61);
        assert!(matches!(poster(&owner).await, Err(ServiceError::Unauthorized)));
    }

    async fn an_attachment_that_is_not_there_is_refused_to_a_known_token(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let before = known(&owner).await;
        let mut post = owner.message();
        post.attachments = Some(vec![wire::ids::AttachmentId::from_bytes(random())]);
        assert_eq!(code(plane.service.post(&before, post).await), "not_found");
    }

    async fn who_waits_is_told_of_a_post_and_of_what_another_process_changed_with_it(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let human = owner.invite(Kind::Human, FULL).await;
        let other = plane.second(&wide()).await;
        for round in 0..5 {
            let head = human.state().await.head_seq;
            let (service, me) = (plane.service.clone(), human.me().await);
            let waiting = tokio::spawn(async move { service.wait(&me, head, 200, Duration::from_secs(50)).await });
            human.until_listening().await;
            let (mode, name) = match round % 2 {
                0 => (SettableMode::Relay, ModeName::Relay),
                _ => (SettableMode::Observe, ModeName::Observe),
            };
            let there = owner.over(&other);
            let (posted, set) = tokio::join!(owner.post(), there.set(mode));
            set.unwrap();
            let page = waiting.await.unwrap().unwrap();
            assert!(!page.records.is_empty(), "whichever came first");
            let seqs: Vec<_> = page.records.iter().map(|record| record.seq).collect();
            assert_eq!(seqs, (head + 1..=head + seqs.len() as u64).collect::<Vec<_>>());
            let all = human.read(head, 10).await;
            assert!(all.records.iter().any(|record| record.seq == posted.seq));
            assert_eq!(all.state.mode.name, name);
        }
    }
}
