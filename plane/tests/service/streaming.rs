//! Event streams.

use std::time::{Duration, Instant};

use plane::limits::Limits;
use plane::service::{EventStream, StreamItem};
use wire::api::{self, ByeCode, Record, SettableMode, StreamEvent};
use wire::event::{Capability, Kind, ModeName};

use crate::fixture::*;
use crate::rekeys::by_owner;

async fn stream(seat: &Seat, after: u64) -> EventStream {
    seat.service.events(&seat.me().await, after).await.unwrap()
}

/// The next event, comments left out; none once the stream is over.
async fn next(stream: &mut EventStream) -> Option<StreamEvent> {
    let next = async {
        loop {
            match stream.next().await {
                Some(StreamItem::Comment) => {}
                Some(StreamItem::Event(event)) => return Some(event),
                None => return None,
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), next)
        .await
        .expect("an event within twenty seconds")
}

/// All events up to the first that is looked for, with it.
async fn through(stream: &mut EventStream, last: impl Fn(&StreamEvent) -> bool) -> Vec<StreamEvent> {
    let mut seen = Vec::new();
    loop {
        let event = next(stream)
            .await
            .unwrap_or_else(|| panic!("it is over, after {seen:?}"));
        seen.push(event);
        if seen.last().is_some_and(&last) {
            return seen;
        }
    }
}

fn record(seq: u64) -> impl Fn(&StreamEvent) -> bool {
    move |event| matches!(event, StreamEvent::Record(record) if record.seq == seq)
}

fn bye(code: ByeCode) -> StreamEvent {
    StreamEvent::Bye(code.into())
}

fn is_bye(event: &StreamEvent) -> bool {
    matches!(event, StreamEvent::Bye(_))
}

fn records(events: Vec<StreamEvent>) -> Vec<Record> {
    let record = |event| match event {
        StreamEvent::Record(record) => Some(record),
        _ => None,
    };
    events.into_iter().filter_map(record).collect()
}

/// A session with a person in it; its head is 3.
async fn person(plane: &Plane) -> (Seat, Seat) {
    let owner = plane.create().await;
    let human = owner.invite(Kind::Human, Capability::Full).await;
    (owner, human)
}

on_both! {
    async fn a_stream_shows_what_is_there_and_then_what_comes_as_reading_does(engine: Engine) {
        let plane = Plane::new(engine).await;
        let (owner, human) = person(&plane).await;
        let mut stream = stream(&human, 0).await;
        assert_eq!(next(&mut stream).await, Some(StreamEvent::State(Box::new(human.state().await))));
        assert!(matches!(next(&mut stream).await, Some(StreamEvent::Presence(here)) if here.len() == 2));
        let mut seen = through(&mut stream, record(3)).await;
        owner.post().await;
        human.post().await;
        seen.extend(through(&mut stream, record(5)).await);
        assert_eq!(records(seen), human.transcript().await, "own ones as well");
        let state = through(&mut stream, |event| matches!(event, StreamEvent::State(_))).await;
        assert_eq!(state, [StreamEvent::State(Box::new(human.state().await))]);
    }

    async fn readers_far_behind_catch_up_without_a_gap_while_others_write(engine: Engine) {
        let plane = Plane::new(engine).await;
        let (owner, human) = person(&plane).await;
        // More than is fetched at once, by number and by bytes.
        for _ in 0..250 {
            owner.post().await;
        }
        let writing = {
            let owner = owner.clone();
            tokio::spawn(async move {
                for _ in 0..250 {
                    owner.post().await;
                }
            })
        };
        for after in [0, 100] {
            let mut stream = stream(&human, after).await;
            let seen = records(through(&mut stream, record(503)).await);
            assert_eq!(seen.len() as u64, 503 - after);
            gap_free(&seen, after + 1);
        }
        writing.await.unwrap();
    }

    async fn a_change_of_mode_or_door_is_a_state(engine: Engine) {
        let plane = Plane::new(engine).await;
        let (owner, human) = person(&plane).await;
        let mut stream = stream(&human, 3).await;
        through(&mut stream, |event| matches!(event, StreamEvent::Presence(_))).await;
        owner.set(SettableMode::Relay).await.unwrap();
        let seen = through(&mut stream, |event| matches!(event, StreamEvent::State(_))).await;
        assert!(matches!(&seen[..], [StreamEvent::Record(notice), StreamEvent::State(state)]
            if notice.body.is_some() && state.mode.name == ModeName::Relay));
        let by = plane::service::OwnerCaller::Machine(plane.machine.clone());
        let door = api::SetDoor { state: api::DoorState::Ask, joins_left: None, until: None };
        plane.service.set_door(&by, owner.session, door).await.unwrap();
        assert!(matches!(next(&mut stream).await, Some(StreamEvent::State(state))
            if state.door.state == api::DoorState::Ask));
    }

    async fn a_reader_of_an_evicted_beginning_gets_the_checkpoint_first(engine: Engine) {
        let plane = Plane::with(engine, Limits { records_per_session: 20, ..wide() }).await;
        let (owner, human) = person(&plane).await;
        for _ in 0..30 {
            owner.post().await;
        }
        // Of 33 records 21 stay at most, which is 5 % over the limit: nothing more is evicted then.
        until(async || owner.state().await.min_seq > 12).await;
        let page = human.read(0, 1_000).await;
        let mut stream = stream(&human, 0).await;
        let mut seen = through(&mut stream, record(33)).await;
        assert_eq!(seen.remove(0), StreamEvent::Checkpoint(page.checkpoint.unwrap()));
        assert_eq!(records(seen), page.records);
    }

    async fn a_reader_that_eviction_overtakes_is_too_slow(engine: Engine) {
        let plane = Plane::with(engine, Limits { records_per_session: 20, ..wide() }).await;
        let (owner, human) = person(&plane).await;
        let mut stream = stream(&human, 3).await;
        through(&mut stream, |event| matches!(event, StreamEvent::Presence(_))).await;
        for _ in 0..50 {
            owner.post().await;
        }
        until(async || owner.state().await.min_seq > 5).await;
        assert_eq!(next(&mut stream).await, Some(bye(ByeCode::TooSlow)));
        assert_eq!(next(&mut stream).await, None);
    }

    async fn a_rekey_says_so_and_shows_nothing_of_the_new_epoch(engine: Engine) {
        let plane = Plane::new(engine).await;
        let (owner, human) = person(&plane).await;
        let mut stream = stream(&human, 0).await;
        through(&mut stream, record(3)).await;
        let ask = by_owner(&Link::new(2), &owner, &[&owner, &human]);
        plane.service.rekey(&plane.machine, owner.session, ask).await.unwrap();
        assert_eq!(next(&mut stream).await, Some(bye(ByeCode::Rekeyed)));
        assert_eq!(next(&mut stream).await, None);
    }

    async fn an_end_shows_all_that_was_said_before_it(engine: Engine) {
        let plane = Plane::new(engine).await;
        let (owner, human) = person(&plane).await;
        let mut live = stream(&human, 3).await;
        owner.post().await;
        plane.service.end(&plane.machine, owner.session, false).await.unwrap();
        let seen = through(&mut live, is_bye).await;
        let [.., StreamEvent::State(last), said] = &seen[..] else { panic!("{seen:?}") };
        assert!(last.ended.is_some());
        assert_eq!(said, &bye(ByeCode::SessionEnded));
        assert_eq!(records(seen), human.read(3, 10).await.records);
        assert_eq!(next(&mut live).await, None);

        let mut late = stream(&human, 0).await;
        let seen = through(&mut late, is_bye).await;
        assert_eq!(seen.last(), Some(&bye(ByeCode::SessionEnded)));
        assert_eq!(records(seen), human.transcript().await);
    }

    async fn a_purge_is_an_end(engine: Engine) {
        let plane = Plane::new(engine).await;
        let (owner, human) = person(&plane).await;
        let mut stream = stream(&human, 0).await;
        through(&mut stream, record(3)).await;
        plane.service.end(&plane.machine, owner.session, true).await.unwrap();
        assert_eq!(next(&mut stream).await, Some(bye(ByeCode::SessionEnded)));
    }

    async fn a_stream_whose_token_ended_ends_without_a_word(engine: Engine) {
        let plane = Plane::new(engine).await;
        let (_, human) = person(&plane).await;
        let mut returned = stream(&human, 3).await;
        through(&mut returned, |event| matches!(event, StreamEvent::Presence(_))).await;
        let human = human.join(Capability::Full, true).await;
        assert_eq!(next(&mut returned).await, None);
        let mut left = stream(&human, 3).await;
        through(&mut left, |event| matches!(event, StreamEvent::Presence(_))).await;
        human.service.leave(&human.me().await).await.unwrap();
        assert_eq!(next(&mut left).await, None);
    }

    async fn draining_sends_readers_away_and_takes_no_new_ones(engine: Engine) {
        let plane = Plane::new(engine).await;
        let (_, human) = person(&plane).await;
        let me = human.me().await;
        let mut idle = stream(&human, 3).await;
        through(&mut idle, |event| matches!(event, StreamEvent::Presence(_))).await;
        plane.service.end_waits();
        assert_eq!(next(&mut idle).await, Some(bye(ByeCode::Draining)));
        assert_eq!(next(&mut idle).await, None);
        let refused = plane.service.events(&me, 3).await.map(|_| ());
        assert_eq!(code(refused), "draining");
    }

    async fn streams_and_waits_share_the_places_of_a_participant(engine: Engine) {
        let plane = Plane::with(engine, Limits { waits_per_participant: 2, ..wide() }).await;
        let (_, human) = person(&plane).await;
        let me = human.me().await;
        let one = stream(&human, 3).await;
        let two = stream(&human, 3).await;
        assert_eq!(code(plane.service.events(&me, 3).await.map(|_| ())), "rate_limited");
        assert_eq!(code(plane.service.wait(&me, 3, 10, Duration::ZERO).await), "rate_limited");
        drop(one);
        plane.service.wait(&me, 3, 10, Duration::ZERO).await.unwrap();
        drop(two);
    }

    async fn a_stream_at_one_process_shows_what_another_appended(engine: Engine) {
        let plane = Plane::new(engine).await;
        let (owner, human) = person(&plane).await;
        let second = plane.second(&wide()).await;
        let mut stream = stream(&human.over(&second), 3).await;
        for seq in 4..7 {
            owner.post().await;
            assert_eq!(records(through(&mut stream, record(seq)).await).len(), 1);
        }
    }

    async fn presence_is_told_when_it_changes_and_not_within_five_seconds(engine: Engine) {
        let plane = Plane::new(engine).await;
        let (owner, human) = person(&plane).await;
        let started = Instant::now();
        let mut stream = stream(&human, 3).await;
        let first = through(&mut stream, |event| matches!(event, StreamEvent::Presence(_))).await;
        let Some(StreamEvent::Presence(here)) = first.last() else { unreachable!() };
        let listening: Vec<_> = here.iter().map(|one| (one.participant_id, one.listening)).collect();
        assert_eq!(listening, [(owner.id, false), (human.id, true)]);
        let seq = owner.post().await.seq;
        let later = through(&mut stream, |event| matches!(event, StreamEvent::Presence(_))).await;
        assert!(started.elapsed() >= Duration::from_secs(5));
        let Some(StreamEvent::Presence(here)) = later.last() else { unreachable!() };
        assert_eq!(here[1].fetched_seq, seq, "what a stream was given counts as fetched");
    }
}
