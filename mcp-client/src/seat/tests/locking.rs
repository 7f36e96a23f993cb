//! One change at a time, and what a change leaves behind.

use super::*;

#[tokio::test]
async fn the_lock_reads_what_another_process_wrote() {
    let fixture = Fixture::new();
    let ours = fixture.seats.create(&state(1, 1)).unwrap();
    assert_eq!(ours.read().unwrap().cursor, 0);
    let theirs = fixture.elsewhere(&ours);
    theirs
        .with_lock(SOON, |state| -> Result<(), SeatError> {
            state.cursor = 3;
            Ok(())
        })
        .await
        .unwrap();
    let lock = ours.lock(SOON).await.unwrap();
    assert_eq!(lock.cursor, 3);
    drop(lock);
    assert_eq!(ours.read().unwrap().cursor, 3);
}

#[tokio::test]
async fn a_held_lock_ends_in_busy_and_frees_with_its_holder() {
    let fixture = Fixture::new();
    let ours = fixture.seats.create(&state(1, 1)).unwrap();
    let theirs = fixture.elsewhere(&ours);
    let held = theirs.lock(SOON).await.unwrap();
    assert!(matches!(
        ours.lock(Duration::from_millis(30)).await,
        Err(SeatError::Busy)
    ));
    assert!(matches!(
        theirs.lock(Duration::from_millis(30)).await,
        Err(SeatError::Busy)
    ));
    drop(held);
    ours.lock(SOON).await.unwrap();
}

#[tokio::test]
async fn what_is_not_saved_is_forgotten() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    seat.lock(SOON).await.unwrap().cursor = 9;
    assert_eq!(seat.lock(SOON).await.unwrap().cursor, 0);
    let failed = seat.with_lock(SOON, |state| {
        state.cursor = 9;
        Err::<(), _>(SeatError::Busy)
    });
    assert!(failed.await.is_err());
    assert_eq!(seat.read().unwrap().cursor, 0);
}

/// A step that changes only what moves with every post.
async fn move_on(seat: &Seat, cursor: u64, durable: bool) {
    let mut lock = seat.lock(SOON).await.unwrap();
    lock.cursor = cursor;
    lock.head = Some(Head {
        seq: cursor + 1,
        hash: Bytes32([4; 32]),
    });
    let request = wire::api::Post {
        message_id: MessageId::from_bytes([6; 16]),
        epoch: 2,
        sealed: Blob(vec![7; 600]),
        signal: None,
        expect_mode: None,
        attachments: None,
    };
    lock.pending.post = Some(PendingPost {
        request,
        after_rekey: false,
        stored: None,
    });
    if durable {
        lock.save().unwrap()
    } else {
        lock.save_unsynced().unwrap()
    }
}

#[tokio::test]
async fn a_step_does_not_write_the_whole_seat_again_and_is_seen_by_others() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    let file = fixture.home.seat_file(seat.session(), seat.participant());
    let before = std::fs::read(&file).unwrap();
    for (cursor, durable) in [(3, true), (4, false)] {
        move_on(&seat, cursor, durable).await;
        let theirs = fixture.elsewhere(&seat).read().unwrap();
        assert_eq!((theirs.cursor, theirs.head.unwrap().seq), (cursor, cursor + 1));
        let json = |state: &SeatState| serde_json::to_value(state).unwrap();
        assert_eq!(json(&theirs), json(&seat.read().unwrap()));
    }
    assert_eq!(
        std::fs::read(&file).unwrap(),
        before,
        "only the progress file was written"
    );
    let step = |state: &mut SeatState| -> Result<(), SeatError> {
        state.name = "Bo".to_owned();
        Ok(())
    };
    fixture.elsewhere(&seat).with_lock(SOON, step).await.unwrap();
    let ours = seat.read().unwrap();
    assert_eq!((ours.name.as_str(), ours.cursor), ("Bo", 4));
    assert!(ours.pending.post.is_some());
    move_on(&seat, 5, true).await;
    assert_eq!(fixture.elsewhere(&seat).read().unwrap().cursor, 5);
}

#[tokio::test]
async fn a_torn_step_is_as_if_it_was_not_made() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    move_on(&seat, 3, true).await;
    move_on(&seat, 4, true).await;
    let file = fixture
        .home
        .seat_file(seat.session(), seat.participant())
        .with_extension("progress");
    let whole = std::fs::read(&file).unwrap();
    let last_line = whole[..whole.len() - 5]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .unwrap()
        + 1;
    // In the mark of the end: the step is whole. In its line, or at the very beginning of it: it was not made.
    for (cut, cursor) in [
        (1, 4),
        (4, 4),
        (5, 3),
        (100, 3),
        (900, 3),
        (whole.len() - last_line, 3),
    ] {
        std::fs::write(&file, &whole[..whole.len() - cut]).unwrap();
        let theirs = fixture.elsewhere(&seat);
        assert_eq!(theirs.read().unwrap().cursor, cursor, "cut by {cut}");
        assert!(theirs.read().unwrap().progress_lost, "cut by {cut}");
        move_on(&theirs, 9, true).await;
        assert_eq!(fixture.elsewhere(&seat).read().unwrap().cursor, 9);
    }
}

#[tokio::test]
async fn steps_before_the_file_was_replaced_have_no_effect_after_it() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    move_on(&seat, 3, true).await;
    let file = fixture
        .home
        .seat_file(seat.session(), seat.participant())
        .with_extension("progress");
    let old = std::fs::read(&file).unwrap();
    let step = |state: &mut SeatState| -> Result<(), SeatError> {
        state.cursor = 8;
        state.name = "Bo".to_owned();
        Ok(())
    };
    seat.with_lock(SOON, step).await.unwrap();
    assert_eq!(
        std::fs::read_to_string(&file).unwrap().lines().count(),
        2,
        "a line and the mark of the end"
    );
    // As after a crash between the two.
    std::fs::write(&file, old).unwrap();
    assert_eq!(fixture.elsewhere(&seat).read().unwrap().cursor, 8);
    assert_eq!(seat.read().unwrap().cursor, 8);
}

#[tokio::test]
async fn a_long_progress_file_is_folded_in() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    let file = fixture
        .home
        .seat_file(seat.session(), seat.participant())
        .with_extension("progress");
    let mut longest = 0;
    for cursor in 1..600 {
        move_on(&seat, cursor, false).await;
        longest = longest.max(std::fs::metadata(&file).unwrap().len());
    }
    assert!((256 * 1024..258 * 1024 + 1200).contains(&longest), "{longest}");
    assert!(std::fs::metadata(&file).unwrap().len() < 256 * 1024);
    assert_eq!(fixture.elsewhere(&seat).read().unwrap().cursor, 599);
}

/// A message of many bytes that waits for its answer.
fn long_post() -> PendingPost {
    let request = wire::api::Post {
        message_id: MessageId::from_bytes([6; 16]),
        epoch: 2,
        sealed: Blob(vec![7; LONG]),
        signal: None,
        expect_mode: None,
        attachments: None,
    };
    PendingPost {
        request,
        after_rekey: false,
        stored: None,
    }
}

const LONG: usize = 24 * 1024;

/// How long the file grows by one step of a kind after the other, until it is folded in.
async fn longest(step: fn(&mut SeatLock) -> Result<(), SeatError>) -> u64 {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    let file = fixture
        .home
        .seat_file(seat.session(), seat.participant())
        .with_extension("progress");
    let mut length = 0;
    loop {
        let mut lock = seat.lock(SOON).await.unwrap();
        lock.cursor += 1;
        lock.pending.post = Some(long_post());
        step(&mut lock).unwrap();
        let now = std::fs::metadata(&file).unwrap().len();
        if now < length {
            assert_eq!(fixture.elsewhere(&seat).read().unwrap().cursor, lock.cursor);
            return length;
        }
        length = now;
    }
}

#[tokio::test]
async fn the_file_is_folded_in_after_an_answer_rather_than_before_a_message_is_sent() {
    // Base64, and what stands around it.
    let line = LONG as u64 * 4 / 3 + 1024;
    for (step, kib) in [
        (SeatLock::save_soon as fn(&mut SeatLock) -> _, 192),
        (SeatLock::save_unsynced, 256),
        (SeatLock::save, 512),
    ] {
        let longest = longest(step).await;
        assert!((kib * 1024..kib * 1024 + line).contains(&longest), "{longest}");
    }
}

fn is_ahead(seat: &Seat) -> bool {
    let remembered = seat.inner.remembered.lock().unwrap();
    remembered.as_ref().unwrap().is_ahead()
}

#[tokio::test(start_paused = true)]
async fn a_run_of_positions_waits_for_the_disk_once_a_second() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    let mut waits = Vec::new();
    for pause_ms in [0, 0, 999, 1, 1_000] {
        tokio::time::advance(Duration::from_millis(pause_ms)).await;
        let mut lock = seat.lock(SOON).await.unwrap();
        lock.cursor += 1;
        lock.save_soon().unwrap();
        drop(lock);
        waits.push(!is_ahead(&seat));
    }
    assert_eq!(waits, [true, false, false, true, true]);
    assert_eq!(
        fixture.elsewhere(&seat).read().unwrap().cursor,
        5,
        "others see each"
    );
}

#[tokio::test]
async fn what_was_left_to_the_system_is_waited_for_by_the_next_durable_step_or_on_request() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    move_on(&seat, 3, false).await;
    assert!(is_ahead(&seat));
    move_on(&seat, 4, true).await;
    assert!(!is_ahead(&seat));
    move_on(&seat, 5, false).await;
    seat.flush().unwrap();
    assert!(!is_ahead(&seat));
    assert_eq!(fixture.elsewhere(&seat).read().unwrap().cursor, 5);
}

#[tokio::test]
async fn who_holds_the_lock_sees_its_own_steps_and_others_see_them_at_once() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    let mut lock = seat.lock(SOON).await.unwrap();
    lock.cursor = 7;
    lock.save_unsynced().unwrap();
    assert_eq!(seat.read().unwrap().cursor, 7);
    assert_eq!(fixture.elsewhere(&seat).read().unwrap().cursor, 7);
    drop(lock);
    move_on(&fixture.elsewhere(&seat), 8, true).await;
    assert_eq!(seat.read().unwrap().cursor, 8, "read again once the lock is free");
}

#[tokio::test]
async fn steps_of_several_processes_and_tasks_are_never_lost() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    let handles = [seat.clone(), fixture.elsewhere(&seat), fixture.elsewhere(&seat)];
    let mut tasks = tokio::task::JoinSet::new();
    for seat in handles.into_iter().cycle().take(6) {
        tasks.spawn(async move {
            for _ in 0..20 {
                let step = |state: &mut SeatState| -> Result<(), SeatError> {
                    state.cursor += 1;
                    Ok(())
                };
                seat.with_lock(Duration::from_secs(20), step).await.unwrap();
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    assert_eq!(fixture.elsewhere(&seat).read().unwrap().cursor, 120);
}

#[test]
fn a_lease_is_one_processes_and_ends_with_it() {
    let fixture = Fixture::new();
    for byte in [1, 2] {
        fixture.seats.create(&state(1, byte)).unwrap();
    }
    let mut person = state(1, 3);
    person.kind = Kind::Human;
    fixture.seats.create(&person).unwrap();
    let lease = || {
        fixture
            .seats
            .lease(&fixture.seats.list().unwrap().seats, &session(1))
            .unwrap()
    };
    let LeaseOutcome::Leased(first, first_lease) = lease() else {
        panic!("a free seat")
    };
    let LeaseOutcome::Leased(second, _second_lease) = lease() else {
        panic!("another free seat")
    };
    assert_ne!(first.participant(), second.participant());
    assert!(
        matches!(lease(), LeaseOutcome::AllHeld(_)),
        "a person's seat is no agent's"
    );
    drop(first_lease);
    let LeaseOutcome::Leased(again, _lease) = lease() else {
        panic!("the freed seat")
    };
    assert_eq!(again.participant(), first.participant());
    let nothing = fixture
        .seats
        .lease(&fixture.seats.list().unwrap().seats, &session(9))
        .unwrap();
    assert!(matches!(nothing, LeaseOutcome::NoSeat));
}
